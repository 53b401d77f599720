"""Class probabilities with the slope that makes observed labels likeliest.

Those of boosted trees are too certain, and those of few trees too. Labels are true classes seen
through a noise matrix.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from .._typing import FloatArray, IntArray

# Bounds of the logarithm of a slope, and of a probability.
MAX_LOG_SLOPE, MIN_PROBABILITY = 3.0, 1e-6
# Width of the interval that a search ends with, and the part of it that a step of it keeps.
PRECISION, GOLDEN = 1e-3, (np.sqrt(5) - 1) / 2


class Calibrated(NamedTuple):
    """Class probabilities (n, K) with the slope at which labels are likeliest, and how likely."""

    probabilities: FloatArray
    log_likelihood: float
    slope: float


def calibrated(
    probabilities: FloatArray, codes: IntArray, noise_matrix: FloatArray, weights: FloatArray
) -> Calibrated:
    """Return out-of-fold probabilities with the slope that makes the labels most likely."""
    scores = np.log(np.clip(probabilities, MIN_PROBABILITY, None))
    rates, inside = noise_matrix.T[codes], weights > 0

    def cost(log_slope: float) -> float:
        own = softmax(np.exp(log_slope) * scores[inside], axis=1)
        likelihood = np.maximum((own * rates[inside]).sum(axis=1), np.finfo(float).tiny)
        return -float(weights[inside] @ np.log(likelihood)) + 0.5 * log_slope**2

    log_slope = round(_minimise(cost, -MAX_LOG_SLOPE, MAX_LOG_SLOPE), 3)
    slope = float(np.exp(log_slope))
    return Calibrated(with_slope(probabilities, slope), -cost(log_slope), slope)


def _minimise(cost: Callable[[float], float], low: float, high: float) -> float:
    """Return where a function of one minimum is smallest, by golden-section search."""
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    while high - low > PRECISION:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = cost(right)
    return (low + high) / 2


def with_slope(probabilities: FloatArray, slope: float) -> FloatArray:
    """Return probabilities whose logarithms are multiplied by a slope.

    Examples
    --------
    >>> import numpy as np
    >>> with_slope(np.array([[0.8, 0.2]]), 2.0).round(2)
    array([[0.94, 0.06]])
    """
    scores = np.log(np.clip(probabilities, MIN_PROBABILITY, None))
    return np.asarray(softmax(slope * scores, axis=1))
