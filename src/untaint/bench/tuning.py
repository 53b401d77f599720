r"""The same choice of alpha and gamma for every method, on the rows that it is given.

Each setting is scored by its leave-one-out residuals r over all rows, bounded so that a bad row
counts the same whatever it is:

.. math:: \mathrm{score} = \mathrm{mean}_i \min(r_i^2, (5 s)^2)

The scale s, one for the whole grid, is the smallest among the settings of the robust deviation
(median size of the share of smallest residuals, over the Gaussian's). An unbounded mean is steered
by the bad rows; a mean over the trimmed rows only rewards settings that fit the easy rows closely.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from untaint import SubquantileRegressor

BOUND = 5.0
GAUSSIAN_MEDIAN = 0.6745

Make = Callable[[float, float], SubquantileRegressor]


def tune(
    make: Make,
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    epsilon: float,
    *,
    gammas: Sequence[float],
    alphas: Sequence[float],
) -> SubquantileRegressor:
    """Fit every setting and return the fitted model of the best score.

    Parameters
    ----------
    make : callable (gamma, alpha) -> estimator
    X, y : arrays of training rows, corrupted or not
    epsilon : float
        Share of these rows that is corrupted.
    gammas, alphas : sequences of float

    Returns
    -------
    SubquantileRegressor
    """
    models = [make(gamma, alpha).fit(X, y) for gamma in gammas for alpha in alphas]
    residuals = [np.abs(model.leave_one_out_residuals()) for model in models]
    return models[best_setting(residuals, epsilon)]


def best_setting(residuals: Sequence[NDArray[np.float64]], epsilon: float) -> int:
    """Index of the residuals with the smallest bounded mean square.

    Examples
    --------
    >>> import numpy as np
    >>> best_setting([np.array([1.0, 1.0, 50.0]), np.array([2.0, 2.0, 0.0])], 1 / 3)
    0
    """
    scale = min(robust_scale(r, epsilon) for r in residuals)
    bound = BOUND * max(scale, np.finfo(float).tiny)
    scores = [float(np.mean(np.minimum(r, bound) ** 2)) for r in residuals]
    return int(np.argmin(scores))


def robust_scale(residuals: NDArray[np.float64], epsilon: float) -> float:
    """Median size of the share of smallest residuals, in Gaussian deviations."""
    kept = max(1, int((1 - epsilon) * len(residuals)))
    return float(np.median(np.sort(residuals)[:kept])) / GAUSSIAN_MEDIAN
