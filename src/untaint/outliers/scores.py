r"""What a fit says of each row.

The scale s of the good residuals comes from the kept ones. For Gaussian errors the mean of the
smallest share p of :math:`\chi^2_k` variables is :math:`k F_{k+2}(F_k^{-1}(p)) / p`, so

.. math:: s^2 = \frac{p \cdot \text{mean of the kept losses}}{k\, F_{k+2}(F_k^{-1}(p))}, \qquad
          \text{score}_i = \sqrt{\ell_i} / s

for k outputs: a score is the size of a residual in robust standard deviations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

from .._typing import FloatArray
from ..weighting.trimmed import Trimmed

# Threshold that a class has at least, for losses to be compared with it.
LEAST_THRESHOLD = 1e-12


def outlier_scores(
    losses: FloatArray, sample_weight: FloatArray, contamination: float, n_outputs: int
) -> FloatArray:
    """Score of each row; rows of weight zero are scored, but have no say in the scale.

    Parameters
    ----------
    losses, sample_weight : array of shape (n,)
    contamination : float
    n_outputs : int

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> outlier_scores(np.array([1.0, 1.0, 9.0]), np.array([1.0, 1.0, 0.0]), 0.0, 1)
    array([1., 1., 3.])
    """
    present = sample_weight > 0
    scale = score_scale(losses[present], sample_weight[present], contamination, n_outputs)
    return np.sqrt(losses) / scale


def score_scale(
    losses: FloatArray, sample_weight: FloatArray, contamination: float, n_outputs: int
) -> float:
    """s, from the losses of rows, or of points that stand for them."""
    rule = Trimmed(contamination)
    kept = rule.value(losses, sample_weight) / rule.kept_total(sample_weight)
    variance = kept / _trimmed_mean(contamination, n_outputs)
    return float(np.sqrt(max(variance, np.finfo(float).tiny)))


def class_scores(losses: FloatArray, thresholds: Any) -> FloatArray:
    """Losses over the thresholds of their classes; a class may be certain of every kept row."""
    with np.errstate(over="ignore"):
        return np.asarray(losses / np.maximum(thresholds, LEAST_THRESHOLD))


def _trimmed_mean(contamination: float, n_outputs: int) -> float:
    """Mean of the kept share of a chi-squared variable."""
    kept = 1.0 - contamination
    if kept >= 1:
        return float(n_outputs)
    return float(n_outputs * chi2.cdf(chi2.ppf(kept, n_outputs), n_outputs + 2) / kept)
