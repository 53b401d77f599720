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
MAX_CONTAMINATION = 0.45
# Part of each predicted class that counts as sure.
SURE = 0.5


def estimate_contamination(scores: FloatArray, sample_weight: FloatArray) -> float:
    """Share of the rows whose score is out of line with the best half.

    Parameters
    ----------
    scores : array of shape (n,)
        Non-negative, larger is worse, without the flattery of an in-sample fit.
    sample_weight : array of shape (n,)

    Returns
    -------
    float
        Between 0 and 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.r_[np.linspace(0.0, 2.0, 80), np.full(20, 50.0)]
    >>> estimate_contamination(scores, np.ones(100))
    0.2
    """
    order = np.argsort(scores, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    middle = order[np.searchsorted(cumulative, 0.5 * cumulative[-1])]
    scale = scores[middle] / norm.ppf(0.75)
    contamination = float(sample_weight[scores > CUT * scale].sum() / cumulative[-1])
    return min(contamination, MAX_CONTAMINATION)


def estimate_disagreement(scores: FloatArray, codes: IntArray, sample_weight: FloatArray) -> float:
    """Share of the rows whose labels are wrong, from how often sure predictions are contradicted.

    Of the rows predicted to be k, the half that is surest not to be j should hold hardly any j but
    by mistake. Classes that overlap make some pairs an exception, so that the median over j counts,
    once for each of the other classes.

    Parameters
    ----------
    scores : array of shape (n, K)
        Of the classes, by a fit that the wrong labels could not steer.
    codes : array of shape (n,), int
        Classes that the rows claim to have.
    sample_weight : array of shape (n,)

    Returns
    -------
    float
        Between 0 and 0.45.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.tile([0, 0, 0, 1], 10)
    >>> estimate_disagreement(np.tile([[5.0, 0.0]], (40, 1)), codes, np.ones(40))
    0.25
    """
    n_classes, predicted = scores.shape[1], scores.argmax(axis=1)
    wrong = 0.0
    for k in np.unique(predicted):
        rows = predicted == k
        weights, labels = sample_weight[rows], codes[rows]
        margins = scores[rows, k, None] - scores[rows]
        rates = [_rate(labels == j, margins[:, j], weights) for j in range(n_classes) if j != k]
        wrong += float(np.median(rates)) * (n_classes - 1) * float(weights.sum())
    return min(wrong / float(sample_weight.sum()), MAX_CONTAMINATION)


def _rate(hits: BoolArray, margins: FloatArray, weights: FloatArray) -> float:
    """Share of hits among the rows with the larger margins."""
    order = np.argsort(-margins, kind="stable")
    reached = np.cumsum(weights[order])
    edge = margins[order][np.searchsorted(reached, SURE * reached[-1])]
    sure = margins >= edge
    return float(weights[sure & hits].sum() / weights[sure].sum())
