"""Robust centre and scale of a feature, by order statistics with breakdown point one half.

The centre is the median; if the two middle values differ, the more frequent of them. The scale is
a quantile of the distances from the centre; if that is zero, a quantile of the positive distances,
so that an indicator of a rare category has scale one however rare it is.

A weight of k is equivalent to k copies of the sample.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray


def quantile(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Return the weighted quantile: the smallest value with at least this fraction up to it."""
    # Rounding of the product below must not select the next value.
    fraction *= 1 - 1e-12
    if np.all(weights == weights[0]):
        rank = max(int(np.ceil(fraction * len(values))) - 1, 0)
        return float(np.partition(values, rank)[rank])
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, fraction * reached[-1])]])


def centre_of(column: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median, or the more frequent of the two middle values."""
    lower, upper = quantile(column, weights, 0.5), -quantile(-column, weights, 0.5)
    if lower == upper:
        return lower
    on_lower, on_upper = (float(weights[column == v].sum()) for v in (lower, upper))
    if on_lower == on_upper:
        return 0.5 * lower + 0.5 * upper
    return lower if on_lower > on_upper else upper


def scale_of(
    distances: FloatArray, weights: FloatArray, fraction: float = 0.5, zeros: float = 0.0
) -> float:
    """Return a quantile of distances and a weight of ``zeros``; if it is 0, of positive ones."""
    away = distances > 0
    if not away.any():
        return 0.0
    if not away.all():
        zeros += float(weights[~away].sum())
        distances, weights = distances[away], weights[away]
    positive = float(weights.sum())
    left = fraction * (zeros + positive) - zeros
    return quantile(distances, weights, left / positive if left > 0 else fraction)


def scales_of(deviations: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the scale of each column of deviations from a centre."""
    return np.array([scale_of(np.abs(column), weights) for column in deviations.T])
