"""Class probabilities with the slope that makes observed labels likeliest.

Those of boosted trees are too certain, and those of few trees too. Labels are true classes seen
through a noise matrix.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from .._typing import FloatArray, IntArray

# Bounds of the logarithm of a slope, and of a probability.
MAX_LOG_SLOPE, MIN_PROBABILITY = 3.0, 1e-6


class Calibrated(NamedTuple):
    """Class probabilities (n, K) with the slope at which labels are likeliest, and how likely."""

    probabilities: FloatArray
    log_likelihood: float
    slope: float


def calibrated(
    probabilities: FloatArray, codes: IntArray, noise_matrix: FloatArray, weights: FloatArray
) -> Calibrated:
    """Return out-of-fold probabilities with the slope that makes the labels most likely.

    Examples
    --------
    >>> import numpy as np
    >>> sure = np.array([[0.999, 0.001]] * 10)
    >>> labels = np.array([0] * 8 + [1] * 2)
    >>> calibrated(sure, labels, np.eye(2), np.ones(10)).probabilities[0].round(2)
    array([0.8, 0.2])
    """
    scores = np.log(np.clip(probabilities, MIN_PROBABILITY, None))
    rates, inside = noise_matrix.T[codes], weights > 0

    def cost(log_slope: float) -> float:
        own = softmax(np.exp(log_slope) * scores[inside], axis=1)
        likelihood = np.maximum((own * rates[inside]).sum(axis=1), np.finfo(float).tiny)
        return -float(weights[inside] @ np.log(likelihood)) + 0.5 * log_slope**2

    bounds = (-MAX_LOG_SLOPE, MAX_LOG_SLOPE)
    found = minimize_scalar(cost, bounds=bounds, method="bounded")
    slope = float(np.exp(np.round(found.x, 3)))
    return Calibrated(with_slope(probabilities, slope), -float(found.fun), slope)


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
