r"""Simple estimates of the contamination, from outlier scores or from class predictions.

For residuals r in units of their predictive deviation, the scale is
:math:`s = \mathrm{median} |r| / \Phi^{-1}(0.75)`, and the contamination the fraction of residuals
:math:`|r| > 3.5 s`, which a Gaussian residual exceeds once in two thousand times. For labels it is
estimated by how often confident predictions disagree with them.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from .._typing import BoolArray, FloatArray, IntArray

MAX_SCORE = 3.5
MAX_CONTAMINATION = 0.45
# Fraction of each predicted class that counts as confident.
CONFIDENT_FRACTION = 0.5
# Margins that differ by no more, relative to the largest, are equal.
SAME = 1e-9


def estimate_contamination(scores: FloatArray, sample_weight: FloatArray) -> float:
    """Estimate the fraction of scores beyond 3.5 robust standard deviations, at most 0.45.

    Parameters
    ----------
    scores : array of shape (n,)
        Non-negative outlier scores of a fit to other samples, larger for outliers.
    sample_weight : array of shape (n,)

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
    contamination = float(sample_weight[scores > MAX_SCORE * scale].sum() / cumulative[-1])
    return min(contamination, MAX_CONTAMINATION)


def estimate_disagreement(scores: FloatArray, codes: IntArray, sample_weight: FloatArray) -> float:
    """Estimate the fraction of wrong labels by disagreeing confident predictions, at most 0.45.

    Among the samples predicted as class k, those half with the largest margin over class j should
    be labelled j only by label noise. Overlapping classes make some pairs an exception, so the
    median rate over j is used for each of the other classes.

    Parameters
    ----------
    scores : array of shape (n, K)
        Class scores of a fit that is robust to wrong labels, or made to other samples.
    codes : array of shape (n,), int
        Observed classes.
    sample_weight : array of shape (n,)

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
    """Return the fraction of hits among the confident half, that of the larger margins."""
    order = np.argsort(-margins, kind="stable")
    reached = np.cumsum(weights[order])
    edge = margins[order][np.searchsorted(reached, CONFIDENT_FRACTION * reached[-1])]
    # Copies of the row at the edge differ from it by rounding.
    confident = margins >= edge - SAME * float(np.abs(margins).max())
    return float(weights[confident & hits].sum() / weights[confident].sum())
