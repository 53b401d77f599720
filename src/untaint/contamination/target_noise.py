"""Lower bounds of the noise of targets: their spread, and the step to which they are rounded."""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray
from ..screening.radius import weighted_median
from ..weighting.base import unit_weight


def median_distance(y: FloatArray, weights: FloatArray) -> float:
    """Return the median absolute deviation of the targets, pooled over outputs."""
    inside = weights > 0
    distances = np.abs(y[inside] - weighted_median(y[inside], weights[inside]))
    return float(np.sqrt(np.sum(weighted_median(distances, weights[inside]) ** 2)))


def resolution(y: FloatArray, weights: FloatArray) -> float:
    """Return the rounding step of the targets: the median gap between values that recur.

    The step is zero unless most rows share their target with others, and for several outputs.
    """
    if y.shape[1] > 1:
        return 0.0
    levels, places = np.unique(y[weights > 0, 0], return_inverse=True)
    counts = np.bincount(places, weights[weights > 0])
    recurring = counts >= 2.0 * (unit_weight(weights) or 1.0)
    if recurring.sum() < 2 or counts[recurring].sum() < 0.5 * counts.sum():
        return 0.0
    return float(np.median(np.diff(levels[recurring])))
