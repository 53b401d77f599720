r"""Selection of alpha and gamma, alike for every method, on the rows that it is given.

1. Fit the method with every setting, and let the fits vote: the share 1 - epsilon of the rows that
   most of them keep are taken for good.
2. Score each setting by the mean squared leave-one-out residual of plain kernel ridge on the
   kept rows, and take the best.

The rows are the same for all settings on purpose. A setting that may choose the rows it is scored
on chooses those it fits well, and the most flexible one wins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untaint import SubquantileRegressor

# Beyond this many deviations a row is as suspicious as can be.
LARGEST_SCORE = 10.0

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
    kept = vote(models, epsilon)
    scores = [leave_one_out_score(model, X[kept], y[kept]) for model in models]
    return models[int(np.argmin(scores))]


def vote(models: Sequence[Any], epsilon: float) -> NDArray[np.intp]:
    """Return rows that most models keep; equal votes are settled by the mean score."""
    votes = np.sum([model.inlier_mask_ for model in models], axis=0)
    suspicion = np.mean(
        [np.minimum(model.outlier_scores_, LARGEST_SCORE) for model in models], axis=0
    )
    order = np.lexsort((suspicion, -votes))
    return np.sort(order[: round((1 - epsilon) * len(order))])


def leave_one_out_score(
    model: SubquantileRegressor, X: NDArray[np.float64], y: NDArray[np.float64]
) -> float:
    """Return mean squared leave-one-out residual of plain kernel ridge with the model's setting."""
    plain = SubquantileRegressor(
        contamination=0.0, kernel=model.kernel, gamma=model.gamma, alpha=model.alpha
    )
    return float(np.mean(plain.fit(X, y).leave_one_out_residuals() ** 2))
