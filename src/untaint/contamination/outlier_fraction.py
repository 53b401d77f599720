r"""A simple estimate of the contamination, from outlier scores.

For residuals r in units of their predictive deviation, the scale is
:math:`s = \mathrm{median} |r| / \Phi^{-1}(0.75)`, and the contamination the fraction of residuals
:math:`|r| > 3.5 s`, which a Gaussian residual exceeds once in two thousand times.
"""

from scipy.special import ndtri

from .._typing import FloatArray
from ..weighting.trimmed import loss_reached

MAX_SCORE = 3.5
MAX_CONTAMINATION = 0.45


def estimate_contamination(scores: FloatArray, sample_weight: FloatArray) -> float:
    """Estimate the fraction of scores beyond 3.5 robust standard deviations, at most 0.45.

    The scores are non-negative, of a fit to other samples, and larger for outliers.
    """
    total = float(sample_weight.sum())
    scale = loss_reached(scores, sample_weight, 0.5 * total) / ndtri(0.75)
    contamination = float(sample_weight[scores > MAX_SCORE * scale].sum() / total)
    return min(contamination, MAX_CONTAMINATION)
