r"""Outlier scores: residuals in robust standard deviations.

.. math:: s^2 = \frac{p \cdot \text{mean of the kept losses}}{k\, F_{k+2}(F_k^{-1}(p))}, \qquad
          \text{score}_i = \sqrt{\ell_i} / s

for squared losses of k outputs, a kept fraction p, and F_k the distribution function of
:math:`\chi^2_k`. The denominator over p is the mean of the smallest fraction p of
:math:`\chi^2_k` variables, which makes the scale s consistent for Gaussian errors.
"""

from typing import Any

import numpy as np
from scipy.special import gammainc, gammaincinv

from .._typing import FloatArray
from ..weighting.trimmed import Trimmed

# Lower bound of a class's loss threshold, which may be zero.
MIN_THRESHOLD = 1e-12


def outlier_scores(
    losses: FloatArray, sample_weight: FloatArray, contamination: float, n_outputs: int
) -> FloatArray:
    """Return the outlier score of each sample; the scale ignores samples of weight zero."""
    present = sample_weight > 0
    scale = score_scale(losses[present], sample_weight[present], contamination, n_outputs)
    return np.sqrt(losses) / scale


def score_scale(
    losses: FloatArray, sample_weight: FloatArray, contamination: float, n_outputs: int
) -> float:
    """Return the scale s from the losses of samples, or of weighted points of a histogram."""
    rule = Trimmed(contamination)
    mean, kept = (
        rule.value(losses, sample_weight) / rule.kept_total(sample_weight),
        1.0 - contamination,
    )
    # The mean of the smallest fraction of chi-squared variables.
    half = 0.5 * n_outputs
    gaussian = n_outputs * gammainc(half + 1.0, gammaincinv(half, kept)) / kept
    return float(np.sqrt(max(mean / gaussian, np.finfo(float).tiny)))


def class_scores(losses: FloatArray, thresholds: Any) -> FloatArray:
    """Return the losses over the thresholds of their classes."""
    with np.errstate(over="ignore"):
        return np.asarray(losses / np.maximum(thresholds, MIN_THRESHOLD))
