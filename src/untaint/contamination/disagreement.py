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
from ..weighting.trimmed import loss_reached

MAX_SCORE = 3.5
MAX_CONTAMINATION = 0.45
# Fraction of each predicted class that counts as confident.
CONFIDENT_FRACTION = 0.5
# Margins that differ by no more, relative to the largest, are equal.
SAME = 1e-9


def estimate_contamination(scores: FloatArray, sample_weight: FloatArray) -> float:
    """Estimate the fraction of scores beyond 3.5 robust standard deviations, at most 0.45.

    The scores are non-negative, of a fit to other samples, and larger for outliers.
    """
    total = float(sample_weight.sum())
    scale = loss_reached(scores, sample_weight, 0.5 * total) / norm.ppf(0.75)
    contamination = float(sample_weight[scores > MAX_SCORE * scale].sum() / total)
    return min(contamination, MAX_CONTAMINATION)


def estimate_disagreement(scores: FloatArray, codes: IntArray, sample_weight: FloatArray) -> float:
    """Estimate the fraction of wrong labels by disagreeing confident predictions, at most 0.45.

    Among the samples predicted as class k, those half with the largest margin over class j should
    be labelled j only by label noise. Overlapping classes make some pairs an exception, so the
    median rate over j is used for each of the other classes. The class scores, (n, K), are those of
    a fit that is robust to wrong labels, or made to other samples.
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
