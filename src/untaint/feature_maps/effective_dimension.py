r"""The number of features that a kernel needs, from its effective dimension.

.. math:: d(\alpha) = \sum_i \frac{n \lambda_i}{n \lambda_i + \alpha}

is the number of degrees of freedom of a ridge fit to n samples, with :math:`\lambda_i` the
eigenvalues of the kernel operator, estimated from a few hundred samples. A small multiple of that
many Nystroem landmarks loses little accuracy.
"""

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh

from ..kernels import Kernel

# Samples from whose kernel matrix the spectrum is estimated.
SPECTRUM_ROWS = 500
# Features per degree of freedom, and the bounds of the automatic number of features.
MARGIN = 2.0
MIN_COMPONENTS, MAX_COMPONENTS = 100, 1000


def effective_dimension(kernel: Kernel, sample: Any, n_rows: float, alpha: float) -> float:
    """Return the degrees of freedom of a ridge fit to ``n_rows`` samples like ``sample``."""
    values = eigvalsh(kernel.matrix(sample, dtype=np.float64), check_finite=False)
    values = np.maximum(values, 0.0) * (n_rows / sample.shape[0])
    # For alpha = 0 every direction counts whose eigenvalue is more than a rounding error.
    floor = max(alpha, 1e-12 * float(values.sum()), np.finfo(float).tiny)
    return float(np.sum(values / (values + floor)))


def components_for(kernel: Kernel, sample: Any, n_rows: float, alpha: float) -> int:
    """Return the number of features for ``n_rows`` samples like a few hundred, ``sample``."""
    dimension = effective_dimension(kernel, sample, n_rows, alpha)
    return int(np.clip(np.ceil(MARGIN * dimension), MIN_COMPONENTS, MAX_COMPONENTS))
