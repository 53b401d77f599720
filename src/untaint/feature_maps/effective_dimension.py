r"""How many features a kernel needs, from its effective dimension.

A ridge fit to n rows has :math:`d(\alpha) = \sum_i n \lambda_i / (n \lambda_i + \alpha)` degrees of
freedom, with :math:`\lambda_i` the eigenvalues of the kernel over the rows, told by those of a few
hundred of them. Landmarks somewhat beyond that number lose little.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from ..kernels import Kernel

# Rows whose kernel matrix tells the spectrum.
SPECTRUM_ROWS = 500
# Features for a degree of freedom, and never fewer or more than these unless asked for.
MARGIN = 2.0
FEWEST, MOST = 100, 1000


def effective_dimension(kernel: Kernel, sample: Any, n_rows: float, alpha: float) -> float:
    """Degrees of freedom of a ridge fit to so many rows like these.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.kernels import Linear
    >>> float(round(effective_dimension(Linear(), np.eye(2), 200.0, 100.0), 3))
    1.0
    """
    values = eigvalsh(kernel.matrix(sample, dtype=np.float64), check_finite=False)
    values = np.maximum(values, 0.0) * (n_rows / sample.shape[0])
    # Without a ridge every direction counts that is more than rounding.
    floor = max(alpha, 1e-12 * float(values.sum()), np.finfo(float).tiny)
    return float(np.sum(values / (values + floor)))


def components_for(kernel: Kernel, sample: Any, n_rows: float, alpha: float) -> int:
    """Features for the kernel and the ridge.

    Parameters
    ----------
    kernel : Kernel
    sample : array or CSR
        Some hundred rows that stand for all.
    n_rows : float
        Number of all rows, copies counted.
    alpha : float
    """
    dimension = effective_dimension(kernel, sample, n_rows, alpha)
    return int(np.clip(np.ceil(MARGIN * dimension), FEWEST, MOST))
