"""An axis for scores: even up to a bend, logarithmic beyond it.

A few rows may score a thousand times what the others do. On an even axis the others would be a
single line; on a logarithmic one the lowest would take all the room. With the distance from the
lowest score called u, a score is drawn at u up to the bend b, and at b (1 + log(u / b)) from there
on: continuous, and without a corner.
"""

import math
from typing import NamedTuple

import numpy as np

from .._typing import FloatArray

# An axis that ends before this many bends is left straight.
STRAIGHT = 3.0


class Axis(NamedTuple):
    """An axis that is linear up to a bend and logarithmic beyond.

    It is linear throughout if it bends at its end.
    """

    low: float
    bend: float
    high: float

    def place(self, values: FloatArray) -> FloatArray:
        """Return the places of values on the axis, in arbitrary units."""
        u = np.clip(values, self.low, self.high) - self.low
        b = self.bend - self.low
        return np.where(u <= b, u, b * (1.0 + np.log(np.maximum(u, b) / b)))

    def value(self, places: FloatArray) -> FloatArray:
        """Return the values at these places."""
        b = self.bend - self.low
        u = np.where(places <= b, places, b * np.exp(np.maximum(places, b) / b - 1.0))
        return self.low + u


def bent_axis(values: FloatArray, cut: float) -> Axis:
    """Return an axis on which both the many and the few can be read.

    Parameters
    ----------
    values : array
        Those that are not finite do not count.
    cut : float
        What should stand on the even part, if it is among the values.

    Examples
    --------
    >>> bent_axis(np.array([0.0, 1.0, 2.0, 3.0, 1e6]), cut=3.0)
    Axis(low=0.0, bend=4.5, high=1000000.0)
    """
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if len(finite) == 0:
        return Axis(0.0, 1.0, 1.0)
    low, high = float(finite.min()), float(finite.max())
    if not high > low:  # A single score still gets some width.
        width = max(abs(low), 1.0) / 2.0
        return Axis(low - width, low + width, low + width)
    usual = float(np.quantile(finite, 0.9))
    bend = low + 1.5 * ((cut if math.isfinite(cut) and low < cut < high else usual) - low)
    if not low < bend < high or high - low <= STRAIGHT * (bend - low):
        bend = high
    return Axis(low, bend, high)
