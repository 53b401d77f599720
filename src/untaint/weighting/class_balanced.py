r"""Trimming of labelled rows, which no class can be trimmed away by.

With n_k the kept weight of class k, n their sum and pi_k = n_k / n,

.. math:: h(l) = \min_{0 \le w \le v,\; \sum w = n} \; \sum_i w_i l_i + \sum_k n_k \log(K \pi_k),
          \qquad n = (1-\epsilon) \textstyle\sum v.

For the log-loss :math:`l = -\log p(y|x)` this is, up to a constant, minus the information that the
model gives about the kept labels: the log-loss alone falls when a class is given up, because labels
that are all the same need no explaining, and the second sum is what that is worth. It is convex in
w, so h is concave in l like every rule of this room.

At the minimum all classes meet at one t: a row is kept when

.. math:: l_i + \log \pi_{y_i} = -\log \frac{p(y_i | x_i)}{\pi_{y_i}} \le t - \log K,

that is, when its features make its label likely compared with the label's own frequency. How many
rows each class gives up follows from the data: many, when the errors are one-sided and this class
is where they went; few, when the class is rare.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, floor
from typing import final

import numpy as np

from .._typing import FloatArray, IntArray
from .base import TrimmingRule, unit_weight
from .trimmed import keep_trimmed, loss_reached

# Part of every class that is kept whatever it loses.
MIN_FRACTION = 0.1
# Losses so far beyond the least are all the same: exp(-600) is still a number.
LARGEST_LOSS = 600.0
MAX_HALVINGS = 80


@dataclass(frozen=True, eq=False)
class ClassBalanced(TrimmingRule):
    """Keep the rows whose labels the model explains best, compared with the labels' frequencies.

    Parameters
    ----------
    contamination : float
    groups : array of shape (n,), int
        Class of each row, 0 to K - 1.
    n_groups : int
        K.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([0.1, 0.2, 0.3, 2.0, 3.0])
    >>> rule = ClassBalanced(0.4, groups=np.array([0, 0, 0, 1, 1]), n_groups=2)
    >>> rule.weights(losses, np.ones(5))  # not the second class, though it fits worst
    array([1., 1., 0., 1., 0.])
    """

    groups: IntArray
    n_groups: int
    _members: list[IntArray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        members = [np.flatnonzero(self.groups == k) for k in range(self.n_groups)]
        object.__setattr__(self, "_members", members)

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Within each class, those of smallest loss."""
        weights = np.array(sample_weight, dtype=float)
        if self.contamination == 0:
            return weights
        totals = self.totals(losses, sample_weight)
        for rows, kept in zip(self._members, totals, strict=True):
            if len(rows):
                weights[rows] = keep_trimmed(losses[rows], sample_weight[rows], kept)
        return weights

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Kept losses, and what the kept classes lack in variety."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept]) + self._label_entropy(weights)

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """The quantile of all losses, whatever their classes."""
        return loss_reached(losses, sample_weight, self.kept_total(sample_weight))

    def row_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """That of each row's class."""
        return self.class_thresholds(losses, sample_weight)[self.groups]

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """The largest kept loss of each class, shape (K,)."""
        thresholds = np.zeros(self.n_groups)
        totals = self.totals(losses, sample_weight)
        for k, rows in enumerate(self._members):
            if len(rows):
                thresholds[k] = loss_reached(losses[rows], sample_weight[rows], totals[k])
        return thresholds

    def among(self, rows: IntArray) -> ClassBalanced:
        """The same classes, fewer rows."""
        return self.over(self.groups[rows])

    def over(self, groups: IntArray) -> ClassBalanced:
        """The same classes, other rows."""
        return ClassBalanced(self.contamination, groups, self.n_groups)

    def totals(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Kept weight of each class, in whole rows where the weights are counts or equal."""
        kept = self.kept_total(sample_weight)
        unit = unit_weight(sample_weight)
        sizes = np.array([sample_weight[rows].sum() for rows in self._members])
        floors = np.minimum(np.maximum(MIN_FRACTION * sizes, unit or 0.0), sizes)
        if unit is not None:
            floors = np.floor(floors / unit + 1e-9) * unit
        if self.contamination == 0 or floors.sum() > kept * (1 + 1e-9):
            return sizes
        least = min(float(losses.min()), np.finfo(float).max)
        ends = [
            _ClassEnd(losses[rows] - least, sample_weight[rows], kept, unit)
            for rows in self._members
            if len(rows)
        ]
        lower = floors[sizes > 0]

        def at(log_scale: float) -> FloatArray:
            """Kept weight of each class when t is so far above the least loss."""
            return np.maximum([end.at(log_scale) for end in ends], lower)

        totals = np.zeros(self.n_groups)
        totals[sizes > 0] = _meet(at, kept, max(end.max_loss for end in ends), unit)
        return totals

    def _label_entropy(self, weights: FloatArray) -> float:
        return self.label_entropy(np.array([weights[rows].sum() for rows in self._members]))

    def label_entropy(self, totals: FloatArray) -> float:
        """Sum of n_k log(K pi_k): n times the divergence from equal frequencies."""
        totals = totals[totals > 0]
        return float(totals @ np.log(self.n_groups * totals / totals.sum()))


@final
class _ClassEnd:
    """How far a class is kept when its rows may lose so much.

    The weight reached grows with the loss, and the weight that a loss leaves room for falls: the
    class ends where they cross.
    """

    def __init__(
        self, above: FloatArray, sample_weight: FloatArray, kept: float, unit: float | None
    ) -> None:
        if (sample_weight == sample_weight[0]).all():
            self.above = np.sort(above)
            self.reached = np.cumsum(sample_weight)
        else:
            order = np.argsort(above, kind="stable")
            self.above = above[order]
            self.reached = np.cumsum(sample_weight[order])
        np.minimum(self.above, LARGEST_LOSS, out=self.above)
        self.max_loss = float(self.above[-1])
        self.kept = kept
        self.unit = unit

    def at(self, log_scale: float) -> float:
        """Kept weight when t is so far above the least loss."""
        low, high = 0, len(self.above)
        while low < high:
            middle = (low + high) // 2
            if self.reached[middle] <= self._room(middle, log_scale):
                low = middle + 1
            else:
                high = middle
        best = float(self.reached[low - 1]) if low > 0 else 0.0
        return max(best, self._room(low, log_scale)) if low < len(self.above) else best

    def _room(self, row: int, log_scale: float) -> float:
        room = self.kept * exp(min(log_scale - float(self.above[row]), LARGEST_LOSS))
        if self.unit is None:
            return room
        # From n - 1 to n rows n log n rises by 1 + log(m) - 1 / (24 m^2), m = n - 1/2.
        count = room / self.unit
        return floor(count + 1 / (24 * max(count, 1.0)) + 0.5) * self.unit


def _meet(at: object, kept: float, spread: float, unit: float | None) -> FloatArray:
    """Class totals at the t where they sum to what is to be kept."""
    assert callable(at)
    # Where no class keeps anything to speak of, and where every class keeps all.
    low, high = -np.log(max(kept / (unit or kept), 2.0)) - 40.0, spread + 2.0
    below, above = at(low), at(high)
    tolerance = 0.5 * unit if unit is not None else 1e-12 * kept
    for _ in range(MAX_HALVINGS):
        middle = 0.5 * (low + high)
        totals = at(middle)
        excess = float(totals.sum()) - kept
        if abs(excess) < tolerance:
            return np.asarray(totals)
        if excess < 0:
            low, below = middle, totals
        else:
            high, above = middle, totals
    # Classes that jump at the same t: the first in order goes first.
    missing = kept - float(below.sum())
    for k, jump in enumerate(above - below):
        below[k] += min(jump, missing)
        missing -= min(jump, missing)
    return np.asarray(below)
