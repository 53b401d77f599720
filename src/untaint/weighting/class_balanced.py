r"""Class-balanced trimming of labelled samples.

With v the sample weights, n_k the kept weight of class k, n their sum and pi_k = n_k / n,

.. math:: h(l) = \min_{0 \le w \le v,\; \sum w = n} \; \sum_i w_i l_i + \sum_k n_k \log(K \pi_k),
          \qquad n = (1-\epsilon) \textstyle\sum v.

For the log-loss :math:`l = -\log p(y|x)` this is, up to a constant, minus the mutual information
of features and kept labels. The log-loss alone decreases when a whole class is trimmed, because
labels of one class are trivial to predict; the second sum, the label entropy term, compensates for
that. It is convex in w, so h is concave in l.

At the minimum all classes share one t: a sample is kept when

.. math:: l_i + \log \pi_{y_i} = -\log \frac{p(y_i | x_i)}{\pi_{y_i}} \le t - \log K,

that is, when its features make its label likely compared with the label's own frequency. The
number of trimmed samples of each class follows from the data: it is large for the class that
one-sided label noise flips samples into, and small for a rare class.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import exp, floor
from typing import final

import numpy as np

from .._typing import FloatArray, IntArray
from .base import unit_weight
from .trimmed import Trimmed, keep_trimmed, keep_up_to, loss_reached

# Fraction of every class that is kept whatever its losses.
MIN_FRACTION = 0.1
# Losses are capped at this distance from the smallest: exp(-600) is still a normal number.
MAX_LOSS = 600.0
MAX_HALVINGS = 80
# First distance from a guess at which the other end of its interval is looked for, and its growth.
FIRST_STEP, STEP_FACTOR = 1e-3, 8.0


@dataclass(frozen=True, eq=False)
class ClassBalanced(Trimmed):
    """Trim the samples whose labels are least likely, relative to the labels' frequencies.

    Parameters
    ----------
    contamination : float
        Share of the total sample weight that is trimmed, in [0, 1).
    groups : array of shape (n,), int
        Class of each sample, 0 to ``n_groups - 1``.
    n_groups : int
        Number of classes.

    Examples
    --------
    >>> import numpy as np
    >>> losses = np.array([0.1, 0.2, 0.3, 2.0, 3.0])
    >>> rule = ClassBalanced(0.4, groups=np.array([0, 0, 0, 1, 1]), n_groups=2)
    >>> rule.weights(losses, np.ones(5))  # Trimmed would remove the second class
    array([1., 1., 0., 1., 0.])
    """

    groups: IntArray
    n_groups: int
    _members: list[IntArray] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        members = [np.flatnonzero(self.groups == k) for k in range(self.n_groups)]
        object.__setattr__(self, "_members", members)

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return weights that keep the samples of smallest loss within each class."""
        weights = np.array(sample_weight, dtype=float)
        if self.contamination == 0:
            return weights
        totals = self.totals(losses, sample_weight)
        for rows, kept in zip(self._members, totals, strict=True):
            if len(rows):
                weights[rows] = keep_trimmed(losses[rows], sample_weight[rows], kept)
        return weights

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the sum of the kept losses plus the label entropy term."""
        totals = np.array([weights[rows].sum() for rows in self._members])
        return super().value_at(weights, losses, sample_weight) + self.label_entropy(totals)

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the largest kept loss of each class, shape (K,)."""
        parts = zip(self._members, self.totals(losses, sample_weight), strict=True)
        data = ((losses[rows], sample_weight[rows], kept) for rows, kept in parts)
        return np.array([loss_reached(*part) if len(part[0]) else 0.0 for part in data])

    def weights_and_thresholds(
        self, losses: FloatArray, sample_weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return weights and thresholds of losses that are not NaN, in the time of one of them."""
        weights, thresholds = np.array(sample_weight, dtype=float), np.zeros(self.n_groups)
        for k, kept in enumerate(self.totals(losses, sample_weight)):
            rows = self._members[k]
            if len(rows):
                own, mass = losses[rows], sample_weight[rows]
                thresholds[k] = loss_reached(own, mass, kept)
                if self.contamination > 0:
                    weights[rows] = keep_up_to(own, mass, kept, thresholds[k])
        return weights, thresholds

    def among(self, rows: IntArray) -> ClassBalanced:
        """Return this rule restricted to the samples of the given indices."""
        return self.over(self.groups[rows])

    def over(self, groups: IntArray) -> ClassBalanced:
        """Return this rule for other samples, whose classes are ``groups``."""
        return ClassBalanced(self.contamination, groups, self.n_groups)

    def totals(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the kept weight of each class, whole samples if weights are counts or equal."""
        kept = self.kept_total(sample_weight)
        unit = unit_weight(sample_weight)
        sizes = np.array([sample_weight[rows].sum() for rows in self._members])
        floors = np.minimum(np.maximum(MIN_FRACTION * sizes, unit or 0.0), sizes)
        if unit is not None:
            floors = np.floor(floors / unit + 1e-9) * unit
        if self.contamination == 0 or floors.sum() > kept * (1 + 1e-9):
            return sizes
        least = min(float(losses.min()), np.finfo(float).max)
        parts = [(losses[rows] - least, sample_weight[rows]) for rows in self._members if len(rows)]
        ends = [_ClassEnd(*part, kept, unit) for part in parts]
        lower = floors[sizes > 0]

        def at(log_scale: float) -> FloatArray:
            """Return the kept weight of each class at t = smallest loss + log_scale."""
            return np.maximum([end.at(log_scale) for end in ends], lower)

        # At the lower end no class keeps a whole sample, at the upper end every class keeps all.
        low, high = -np.log(max(kept / (unit or kept), 2.0)) - 40.0, max(e.max_loss for e in ends)
        totals = np.zeros(self.n_groups)
        totals[sizes > 0] = _bisect(at, kept, (low, high + 2.0), _guess(ends, kept), unit)
        return totals

    def label_entropy(self, totals: FloatArray) -> float:
        """Return sum n_k log(K pi_k), n times the KL divergence from equal frequencies."""
        totals = totals[totals > 0]
        return float(totals @ np.log(self.n_groups * totals / totals.sum()))


@final
class _ClassEnd:
    """The kept weight n_k of one class as a function of t.

    The cumulative weight of the sorted losses increases with the loss, the weight n exp(t - l)
    that the optimality condition allows decreases: the class is kept up to where they cross.
    """

    def __init__(
        self, above: FloatArray, sample_weight: FloatArray, kept: float, unit: float | None
    ) -> None:
        if (sample_weight == sample_weight[0]).all():
            above = np.sort(above)
        else:
            order = np.argsort(above, kind="stable")
            above, sample_weight = above[order], sample_weight[order]
        self.above, self.reached = np.minimum(above, MAX_LOSS), np.cumsum(sample_weight)
        self.max_loss = float(self.above[-1])
        self.kept, self.unit = kept, unit
        # About the t from which each loss is kept; it increases with the loss.
        allowed = self.reached
        if unit is not None:
            allowed = np.maximum(allowed - 0.5 * unit, 0.25 * unit)
        self.starts = self.above + np.log(np.maximum(allowed, np.finfo(float).tiny) / kept)

    def at(self, log_scale: float) -> float:
        """Return the kept weight at t = smallest loss + log_scale."""
        row, n = int(np.searchsorted(self.starts, log_scale)), len(self.above)
        while row < n and self.reached[row] <= self._allowed(row, log_scale):
            row += 1
        while row > 0 and self.reached[row - 1] > self._allowed(row - 1, log_scale):
            row -= 1
        best = float(self.reached[row - 1]) if row > 0 else 0.0
        return max(best, self._allowed(row, log_scale)) if row < n else best

    def _allowed(self, row: int, log_scale: float) -> float:
        """Return the largest class weight at which this loss is still kept."""
        allowed = self.kept * exp(min(log_scale - float(self.above[row]), MAX_LOSS))
        if self.unit is None:
            return allowed
        # From n - 1 to n samples n log n increases by 1 + log(m) - 1 / (24 m^2), m = n - 1/2.
        count = allowed / self.unit
        return floor(count + 1 / (24 * max(count, 1.0)) + 0.5) * self.unit


def _guess(ends: list[_ClassEnd], kept: float) -> float:
    """Return about the t from which samples of this weight are kept, if weights are about equal."""
    each = sum(float(end.reached[-1]) for end in ends) / sum(len(end.starts) for end in ends)
    starts = np.concatenate([end.starts for end in ends])
    rank = min(max(int(kept / each), 1), len(starts)) - 1
    return float(np.partition(starts, rank)[rank])


def _bisect(
    at: Callable[[float], FloatArray],
    kept: float,
    ends: tuple[float, float],
    guess: float,
    unit: float | None,
) -> FloatArray:
    """Return the class totals at the t where they sum to ``kept``, by bisection around a guess."""
    low, high = ends
    below, above = None, None
    tolerance = 0.5 * unit if unit is not None else 1e-12 * kept
    middle, step = guess, FIRST_STEP
    for _ in range(MAX_HALVINGS):
        totals = at(middle)
        excess = float(totals.sum()) - kept
        if abs(excess) < tolerance:
            return totals
        if excess < 0:
            low, below = middle, totals
        else:
            high, above = middle, totals
        middle = 0.5 * (low + high)
        if below is None or above is None:
            middle = max(middle, high - step) if below is None else min(middle, low + step)
            step *= STEP_FACTOR
    # Several classes jump at the same t: fill them up in the order of the classes.
    below, above = (
        at(end) if each is None else each for end, each in ((low, below), (high, above))
    )
    missing = kept - float(below.sum())
    for k, jump in enumerate(above - below):
        below[k] += min(jump, missing)
        missing -= min(jump, missing)
    return below
