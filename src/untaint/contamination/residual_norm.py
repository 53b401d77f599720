r"""One signed number for the residual of each row, also where there are several outputs.

The squared norm of Gaussian residuals of k outputs is approximately :math:`v\,\chi^2_m`, with m
between 1 (perfectly correlated outputs) and k (independent ones). Its quantile is mapped to that
of one Gaussian residual of variance v, so that a single mixture model serves any k.

The noise of targets is bounded from below by their spread, and by the step to which they are
rounded.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.special import chdtrc, chdtri

from .._typing import BoolArray, FloatArray
from ..screening.radius import weighted_median
from ..weighting.base import unit_weight

# Smallest and largest share of rows at values that censor the targets.
MIN_CENSORED, MAX_CENSORED = 0.04, 0.9
# Largest distance from such a value, relative to the median one, of others that are near. They are
# at least so many for each censored row, or for each other one: equal wrong targets are isolated.
NEAR, NEAR_CENSORED, NEAR_OTHERS = 0.25, 1 / 3, 1 / 16
# Part of the recurring targets that the values have from which their rounding step is taken.
FREQUENT = 0.75


@final
@dataclass(frozen=True)
class ResidualNorm:
    """Maps residuals of shape (n, k) to signed norms of shape (n,); m and v above."""

    dof: float = 1.0
    variance: float = 1.0

    def signed(self, residuals: FloatArray) -> FloatArray:
        """Return the signed norm of each row; the sign is that of the summed residuals."""
        if residuals.shape[1] == 1:
            return residuals[:, 0]
        ratio = _squared_norms(residuals) / self.variance
        beyond = chdtrc(self.dof, ratio)
        sizes = np.where(beyond > 1e-300, chdtri(1, np.maximum(beyond, 1e-300)), ratio)
        return np.where(residuals.sum(axis=1) < 0, -1.0, 1.0) * np.sqrt(sizes * self.variance)


def fit_residual_norm(residuals: FloatArray, weights: FloatArray) -> ResidualNorm:
    """Estimate the norm from residuals of rows with these weights."""
    if residuals.shape[1] == 1:
        return ResidualNorm()
    inside = weights > 0
    middle = float(weighted_median(_squared_norms(residuals[inside]), weights[inside]))
    dof = _effective_outputs(residuals[inside], weights[inside])
    return ResidualNorm(dof, max(middle / float(chdtri(dof, 0.5)), np.finfo(float).tiny))


def signed_norms(residuals: FloatArray, weights: FloatArray) -> FloatArray:
    """Return signed norms under the norm that these residuals themselves determine."""
    return fit_residual_norm(residuals, weights).signed(residuals)


def _squared_norms(residuals: FloatArray) -> FloatArray:
    return np.nan_to_num(np.einsum("ij,ij->i", residuals, residuals), nan=np.inf)


def _effective_outputs(residuals: FloatArray, weights: FloatArray) -> float:
    """Return the participation ratio of the residual covariance: between 1 and k."""
    products = (residuals * weights[:, None]).T @ residuals
    size = float(np.trace(products))
    if not 0 < size < np.inf:
        return float(residuals.shape[1])
    return size**2 / float(np.sum(products**2))


def median_distance(y: FloatArray, weights: FloatArray) -> float:
    """Return the median absolute deviation of the targets, pooled over outputs."""
    inside = weights > 0
    distances = np.abs(y[inside] - weighted_median(y[inside], weights[inside]))
    return float(np.sqrt(np.sum(weighted_median(distances, weights[inside]) ** 2)))


def resolution(y: FloatArray, weights: FloatArray) -> float:
    """Return the rounding step of the targets: the median gap between frequent values.

    Frequent are the fewest values that three quarters of the recurring targets have, if most of
    them are equally far apart: wrong targets may lie between values to which right ones are
    rounded. Elsewhere all recurring values are frequent. The step is zero unless most rows share
    their target with others, and for several outputs.
    """
    if y.shape[1] > 1:
        return 0.0
    levels, places = np.unique(y[weights > 0, 0], return_inverse=True)
    counts = np.bincount(places, weights[weights > 0])
    recurring = counts >= 2.0 * (unit_weight(weights) or 1.0)
    if recurring.sum() < 2 or counts[recurring].sum() < 0.5 * counts.sum():
        return 0.0
    levels, counts = levels[recurring], counts[recurring]
    falling = np.sort(counts)[::-1]
    least = falling[np.searchsorted(np.cumsum(falling), FREQUENT * falling.sum() * (1 - 1e-12))]
    gaps = np.diff(levels[counts >= min(least, falling[1])])
    step = float(np.median(gaps))
    equal = np.isclose(gaps, step, rtol=1e-3, atol=0)
    return step if 2 * equal.sum() >= len(gaps) else float(np.median(np.diff(levels)))


def censored(y: FloatArray, weights: FloatArray) -> BoolArray:
    """Return which rows lie at a value that censors the targets, such as zero or full marks.

    That is the smallest or the largest target if at least 4 % of the rows share it and enough
    others come close. At most 90 % of the rows are censored, or none.
    """
    none = np.zeros(len(y), dtype=bool)
    inside = weights > 0
    if y.shape[1] > 1 or not inside.any():
        return none
    values, total = y[inside, 0], float(weights.sum())
    ends = [end for end in (values.min(), values.max()) if _censors(end, values, weights[inside])]
    found = inside & np.isin(y[:, 0], ends)
    return found if float(weights[found].sum()) <= MAX_CENSORED * total else none


def _censors(end: float, values: FloatArray, weights: FloatArray) -> bool:
    """Return whether many targets are at this end of their range, and enough others near to it."""
    at_end = values == end
    share = float(weights[at_end].sum())
    if share < MIN_CENSORED * weights.sum() or at_end.all():
        return False
    distances, others = np.abs(values[~at_end] - end), weights[~at_end]
    near = others[distances <= NEAR * weighted_median(distances, others)].sum()
    return bool(near >= min(NEAR_CENSORED * share, NEAR_OTHERS * others.sum()))
