r"""How many rows look wrong, when nobody says.

Scores are residuals in units of their own predictive deviation. The half of the rows that fits
best fixes the scale s, made consistent for Gaussian errors; a row is suspicious when its score
exceeds 3.5 s, which a Gaussian row does once in two thousand times.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from .._typing import BoolArray, FloatArray, IntArray

CUT = 3.5
LARGEST_SHARE = 0.45
# Part of each predicted class that counts as sure: there, a wrong answer is hardly ever honest.
SURE = 0.5


def estimate_share(scores: FloatArray, row_weights: FloatArray) -> float:
    """Share of the rows whose score is out of line with the best half.

    Parameters
    ----------
    scores : array of shape (n,)
        Non-negative, larger is worse, without the flattery of an in-sample fit.
    row_weights : array of shape (n,)

    Returns
    -------
    float
        Between 0 and 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.r_[np.linspace(0.0, 2.0, 80), np.full(20, 50.0)]
    >>> estimate_share(scores, np.ones(100))
    0.2
    """
    order = np.argsort(scores, kind="stable")
    cumulative = np.cumsum(row_weights[order])
    middle = order[np.searchsorted(cumulative, 0.5 * cumulative[-1])]
    scale = scores[middle] / norm.ppf(0.75)
    share = float(row_weights[scores > CUT * scale].sum() / cumulative[-1])
    return min(share, LARGEST_SHARE)


def estimate_label_share(
    predicted: IntArray, agrees: BoolArray, margins: FloatArray, row_weights: FloatArray
) -> float:
    """Share of the rows whose labels are wrong, from how often sure predictions are contradicted.

    Parameters
    ----------
    predicted : array of shape (n,), int
        Class that a fit, which the wrong labels could not steer, gives each row.
    agrees : array of shape (n,), bool
        Whether the row's own label is that class.
    margins : array of shape (n,)
        How sure the fit is, larger is surer.
    row_weights : array of shape (n,)

    Returns
    -------
    float
        Between 0 and 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> agrees = np.tile([True, True, True, False], 10)
    >>> estimate_label_share(np.zeros(40, dtype=int), agrees, np.ones(40), np.ones(40))
    0.25
    """
    wrong = 0.0
    for k in np.unique(predicted):
        rows = predicted == k
        weights = row_weights[rows]
        order = np.argsort(-margins[rows], kind="stable")
        reached = np.cumsum(weights[order])
        sure = margins[rows] >= margins[rows][order][np.searchsorted(reached, SURE * reached[-1])]
        rate = float(weights[sure & ~agrees[rows]].sum() / weights[sure].sum())
        wrong += rate * float(weights.sum())
    return min(wrong / float(row_weights.sum()), LARGEST_SHARE)
