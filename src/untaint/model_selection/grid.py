r"""Grids of kernel scales and ridge parameters, and ``cv_results_``.

* gamma: multiples of one over the median distance between two samples.
* alpha: six decades, or ten for the linear kernel, in units of the mean of :math:`k(x, x)` after
  centring, which is about 1 for kernels of a distance, times :math:`(n / 1000)^{1/3}`, about the
  rate at which the best alpha grows with n.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from ..kernels import Kernel

GAMMA_FACTORS = 2.0 ** np.array([-6.0, -4.0, -2.0, -1.0, 0.0, 1.0])
ALPHA_FACTORS = 10.0 ** np.arange(-4.0, 2.1, 0.5)
# The columns of a linear kernel may differ in scale, and with many rows need no ridge at all.
LINEAR_ALPHA_FACTORS = 10.0 ** np.arange(-8.0, 2.1, 0.5)
# Class probabilities need some regularisation: without any they tend to 0 and 1.
LABEL_ALPHA_FACTORS = 10.0 ** np.arange(-3.0, 2.1, 0.5)
# Where the search for inliers begins, in the units above: between under- and overfitting.
FIRST_ALPHA = 0.3


@final
@dataclass(frozen=True)
class Grid:
    """The kernels, whose scales are ``gammas``, and ascending ridge parameters to select from.

    A kernel may be without a scale. ``first`` holds the positions of the kernel and the alpha to
    begin with.
    """

    gammas: Sequence[float | None]
    kernels: Sequence[Kernel]
    alphas: FloatArray
    first: tuple[int, int]

    def results(self, errors: FloatArray) -> dict[str, Any]:
        """Return the dict for ``cv_results_`` from the errors, (n_kernels, n_alphas)."""
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
    """Return a grid of alpha around a power of ten: ``factors`` times about the unit.

    The unit is the mean squared norm of the centred features.
    """
    size = max(unit, np.finfo(float).tiny) * (n_rows / 1000.0) ** (1.0 / 3.0)
    return np.asarray(10.0 ** np.round(np.log10(size)) * factors)


def smoother_kernels(kernel: Kernel) -> list[Kernel]:
    """Return a kernel of a distance at larger scales, the largest first, and itself last."""
    if kernel.distance is None:
        return [kernel]
    # A squared distance takes a squared factor.
    power = 1.0 if kernel.distance == "sqeuclidean" else 0.5
    factors = GAMMA_FACTORS[GAMMA_FACTORS < 0.5] ** power
    return [*(replace(kernel, gamma=kernel.gamma * f) for f in factors), kernel]  # type: ignore


def nearest(values: FloatArray, target: float) -> int:
    """Return the position of the value whose ratio to the target is nearest to one."""
    return int(np.argmin(np.abs(np.log(values / target))))
