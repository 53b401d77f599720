r"""Settings to choose from, and how the choice is reported.

* Scales: multiples of one over the median distance between two rows.
* Ridges: six decades, in units of what the kernel says of a row, :math:`k(x, x)` about the mean,
  which is about 1 for kernels of a distance, and of :math:`(n / 1000)^{1/3}`, about as fast as the
  best ridge grows with the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from ..kernels import Kernel

GAMMA_FACTORS = 2.0 ** np.array([-6.0, -4.0, -2.0, -1.0, 0.0, 1.0])
ALPHA_FACTORS = 10.0 ** np.arange(-4.0, 2.1, 0.5)
# Of labels, whose chances no ridge should sharpen without bound.
LABEL_ALPHA_FACTORS = 10.0 ** np.arange(-3.0, 2.1, 0.5)
# Where rows are first looked for: neither stiff nor free.
FIRST_ALPHA = 0.3


@final
@dataclass(frozen=True)
class Grid:
    """Kernels and ridges.

    Attributes
    ----------
    gammas : list of float or None
        Scales of the kernels; None for a kernel that has none.
    kernels : list of Kernel
    alphas : array, ascending
    first : pair of int
        Kernel and ridge to begin with.
    """

    gammas: Sequence[float | None]
    kernels: Sequence[Kernel]
    alphas: FloatArray
    first: tuple[int, int]

    def results(self, errors: FloatArray) -> dict[str, Any]:
        """What ``cv_results_`` holds, one entry a setting.

        Parameters
        ----------
        errors : array of shape (n_kernels, n_alphas)
        """
        settings = [(gamma, float(alpha)) for gamma in self.gammas for alpha in self.alphas]
        scores = -errors.ravel()
        ranks = np.array([1 + int(np.sum(scores > score)) for score in scores])
        return {
            "params": [{"alpha": alpha, "gamma": gamma} for gamma, alpha in settings],
            "param_alpha": np.array([alpha for _, alpha in settings]),
            "param_gamma": np.array([np.nan if gamma is None else gamma for gamma, _ in settings]),
            "mean_test_score": scores,
            "rank_test_score": ranks,
        }


def auto_alphas(unit: float, n_rows: float, factors: FloatArray = ALPHA_FACTORS) -> FloatArray:
    """Ridges around a power of ten.

    Parameters
    ----------
    unit : float
        Mean squared size of the rows' features, centred.
    n_rows : float
    factors : array
        Ridges in these units.

    Examples
    --------
    >>> from untaint.model_selection.grid import auto_alphas
    >>> float(auto_alphas(1.0, 1000)[0]), float(auto_alphas(100.0, 1000)[-1])
    (0.0001, 10000.0)
    """
    size = max(unit, np.finfo(float).tiny) * (n_rows / 1000.0) ** (1.0 / 3.0)
    return np.asarray(10.0 ** np.round(np.log10(size)) * factors)


def nearest(values: FloatArray, target: float) -> int:
    """Position of the value whose ratio to the target is nearest to one."""
    return int(np.argmin(np.abs(np.log(values / target))))
