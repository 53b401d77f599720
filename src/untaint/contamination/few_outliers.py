r"""A few outliers among some hundred residuals, too few to form a group of their own.

For k = 1, 2, ... the k largest absolute residuals are compared with the others. These follow
Student's distribution with :math:`\nu` degrees of freedom and scale s, estimated by the likelihood
of residuals that are known not to exceed the largest of them, :math:`r_{k+1}`,

.. math:: \sum_{i > k} \log \frac{f_\nu(r_i / s)}{s\, P_\nu(|r| \le |r_{k+1}|)},

so that heavy tails are estimated as such without their extremes, too. The k rows are outliers if
:math:`n P_\nu(|r| > |r_k|)`, the expected number of such residuals, does not exceed a level. The
largest such k counts.
"""

from dataclasses import replace

import numpy as np
from scipy.special import stdtr

from .._typing import BoolArray, FloatArray
from ..screening.radius import weighted_median
from .null_models import TAILS, log_student
from .residual_mixture import OutlierPosterior, ResidualMixture
from .two_groups import as_rows

# Numbers of residuals: of fewer the tail cannot be estimated, and of more the mixture finds groups.
MIN_ROWS, MAX_ROWS = 60.0, 1000.0
# Outliers at most: a part of the rows, and a number of rows.
MAX_PART, MAX_COUNT = 0.05, 8
# Expected number of larger residuals among right rows.
LEVEL = 0.1
# Log-likelihood that a heavy tail has to gain, of which little is known within.
HEAVY_TAIL = 2.0
# Scales below which no residual is an outlier, whatever the tail.
MIN_DEVIATION = 4.0
# Rows are known by the others if the variance of their prediction is at most the first of these
# numbers, or that of this part of the rows, and the last number.
KNOWN_VARIANCE, KNOWN_PART, UNKNOWN_VARIANCE = 0.1, 0.75, 0.9
# Larger ratios of size and scale are all the same.
MAX_Z = 1e6
# Median of a Gaussian residual's size.
MEDIAN = 0.6745
# Scales to choose from, in units of the median over the above.
SCALES = np.exp(np.linspace(-0.6, 0.4, 51))


def few_outliers(
    residuals: FloatArray, sample_weight: FloatArray, least_scale: float = 0.0
) -> BoolArray:
    """Return the mask of the outliers among residuals that are centred at zero.

    The scale of the others is at least ``least_scale``.
    """
    outliers = np.zeros(len(residuals), dtype=bool)
    weights = as_rows(sample_weight)
    total = float(weights.sum())
    if not MIN_ROWS <= total < MAX_ROWS:
        return outliers
    rows, sizes = np.flatnonzero(weights > 0), np.nan_to_num(np.abs(residuals))
    middle = float(weighted_median(sizes[rows], weights[rows])) / MEDIAN
    scales = np.maximum(middle * SCALES, max(least_scale, np.finfo(float).tiny))
    order, count = rows[np.argsort(-sizes[rows], kind="stable")], 0
    sizes, weights = sizes[order], weights[order]
    for k in range(1, int(np.sum(sizes > MIN_DEVIATION * max(middle, least_scale))) + 1):
        if k > MAX_COUNT or weights[:k].sum() > MAX_PART * total:
            break
        tail, scale = _fit(sizes[k:], weights[k:], scales)
        if total * _both_sides(sizes[k - 1] / scale, tail) <= LEVEL:
            count = int(np.sum(sizes >= sizes[k - 1]))  # equal residuals go together
    outliers[order[:count]] = True
    return outliers


def with_few_outliers(
    posterior: OutlierPosterior, mixture: ResidualMixture, deviations: FloatArray
) -> OutlierPosterior:
    """Return a posterior without outliers with the few that there may be.

    The deviations are those of leave-one-out predictions, in units of the noise. A row that lies
    apart from the others may have a large residual because few rows near it determine the fit.
    """
    if posterior.candidates[0].contamination > 0:
        return posterior
    variances, included = deviations**2 - 1.0, mixture.included
    limit = min(max(KNOWN_VARIANCE, float(np.quantile(variances, KNOWN_PART))), UNKNOWN_VARIANCE)
    known = np.where(variances <= limit, included, 0.0)
    least_scale = max(mixture.min_scale, mixture.step / np.sqrt(12.0))
    relative = posterior.residuals.values / posterior.residuals.relative_scale
    few = few_outliers(relative, known, least_scale) & ~posterior.misfit
    good = np.where(few, 0.0, posterior.inlier_probability)
    share = 1.0 - float(included @ good / mixture.sample_weight.sum())
    found, (low, high) = max(posterior.contamination, share), posterior.interval
    interval = (low, high + found - posterior.contamination)
    return replace(posterior, inlier_probability=good, contamination=found, interval=interval)


def _fit(sizes: FloatArray, weights: FloatArray, scales: FloatArray) -> tuple[float, float]:
    """Return tail and scale of the largest likelihood, given descending sizes."""
    best, total = (-np.inf, np.inf, 1.0), float(weights.sum())
    z = np.minimum(sizes / scales[:, None], MAX_Z)
    for tail in TAILS:
        within = np.maximum(1.0 - _both_sides(z[:, 0], tail), np.finfo(float).tiny)
        likelihood = log_student(z, tail) @ weights - total * np.log(scales * within)
        likelihood -= HEAVY_TAIL * np.isfinite(tail)
        j = int(np.argmax(likelihood))
        best = max(best, (float(likelihood[j]), tail, float(scales[j])))
    return best[1], best[2]


def _both_sides(z: FloatArray, tail: float) -> FloatArray:
    """Return P(|r| > z) of Student's distribution."""
    return np.asarray(2.0 * stdtr(tail, -np.asarray(z)))
