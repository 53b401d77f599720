"""Centre and scale of a column, by order statistics that almost half of the rows cannot move.

The centre is the median; if the two middle rows differ, the one that more rows share. The scale is
a quantile of the distances from the centre; of the positive ones if that is zero, so that the ones
of a rare category are one unit away from its zeros, however rare.

A weight of k is k copies of the row.
"""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray


def quantile(values: FloatArray, weights: FloatArray, fraction: float) -> float:
    """Smallest value that at least this share of the rows does not exceed.

    Examples
    --------
    >>> import numpy as np
    >>> quantile(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 2.0]), 0.6)
    3.0
    """
    # Rounding must not ask for one row more.
    fraction *= 1 - 1e-12
    if np.all(weights == weights[0]):
        rank = max(int(np.ceil(fraction * len(values))) - 1, 0)
        return float(np.partition(values, rank)[rank])
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(reached, fraction * reached[-1])]])


def centre_of(column: FloatArray, weights: FloatArray) -> float:
    """Centre of a column.

    Examples
    --------
    >>> import numpy as np
    >>> centre_of(np.array([0.0, 0.0, 1.0, 2.0]), np.ones(4))
    0.0
    """
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
    """Quantile of the distances and of further zeros; of the positive ones if that is zero.

    Examples
    --------
    >>> import numpy as np
    >>> scale_of(np.array([0.0, 0.0, 0.0, 5.0]), np.ones(4))
    5.0
    >>> scale_of(np.array([2.0, 4.0, 6.0]), np.ones(3), zeros=2.0)
    2.0
    """
    away = distances > 0
    if not away.any():
        return 0.0
    if not away.all():
        zeros += float(weights[~away].sum())
        distances, weights = distances[away], weights[away]
    positive = float(weights.sum())
    left = fraction * (zeros + positive) - zeros
    return quantile(distances, weights, left / positive if left > 0 else fraction)
