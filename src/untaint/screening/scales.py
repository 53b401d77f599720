"""Robust centre and scale of a feature, by order statistics with breakdown point one half.

The centre is the median; if the two middle values differ, the more frequent of them. The scale is
a quantile of the distances from the centre; if that is zero, a quantile of the positive distances,
so that an indicator of a rare category has scale one however rare it is.

A weight of k is equivalent to k copies of the sample.
"""

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
    return _reached(values[order], weights[order], fraction)


def _reached(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Return the first of some values up to which they have this fraction of the weight."""
    reached = np.cumsum(weights)
    return float(values[np.searchsorted(reached, fraction * reached[-1])])


def centre_of(column: FloatArray, weights: FloatArray) -> float:
    """Return the weighted median, or the more frequent of the two middle values."""
    if np.all(weights == weights[0]):
        lower, upper = quantile(column, weights, 0.5), -quantile(-column, weights, 0.5)
    else:
        order, half = np.argsort(column), 0.5 * (1 - 1e-12)
        values, own = column[order], weights[order]
        lower, upper = _reached(values, own, half), _reached(values[::-1], own[::-1], half)
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


def centres_of(X: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the centre of each column, of all columns at once if the weights are equal."""
    n = len(X)
    if not n or not np.all(weights == weights[0]):
        return np.array([centre_of(column, weights) for column in X.T])
    ordered = np.partition(X, n // 2, axis=0)
    upper = ordered[n // 2].copy()
    if n % 2:
        return upper
    lower = ordered[: n // 2].max(axis=0)
    on_lower, on_upper = (np.count_nonzero(middle == X, axis=0) for middle in (lower, upper))
    centres = 0.5 * lower + 0.5 * upper
    np.copyto(centres, lower, where=(on_lower > on_upper) | (lower == upper))
    np.copyto(centres, upper, where=on_lower < on_upper)
    return centres


def scales_of(deviations: FloatArray, weights: FloatArray, fraction: float = 0.5) -> FloatArray:
    """Return the scale of each column of deviations from a centre, as :func:`scale_of` does."""
    n, distances = len(deviations), np.abs(deviations)
    if not n or not np.all(weights == weights[0]):
        return np.array([scale_of(column, weights, fraction) for column in distances.T])
    positive = np.count_nonzero(distances, axis=0)
    left = fraction * n - (n - positive)
    part = np.where(left > 0, left / np.maximum(positive, 1), fraction) * (1 - 1e-12)
    ranks = n - positive + np.maximum(np.ceil(part * positive).astype(int) - 1, 0)
    if (ranks == ranks[:1]).all():
        rank = min(int(ranks[0]), n - 1) if len(ranks) else 0
        return np.partition(distances, rank, axis=0)[rank].copy()
    ordered = np.sort(distances, axis=0)
    return np.take_along_axis(ordered, np.minimum(ranks, n - 1)[None], axis=0)[0]
