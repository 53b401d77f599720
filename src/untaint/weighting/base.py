r"""What every selection rule is: a concave function of the losses and its gradient.

A rule aggregates the losses of n rows into one number h(l), concave and increasing in l. Its
gradient w = h'(l) weighs the rows. Because h is concave,

.. math:: h(l') \le h(l) + \sum_i w_i (l'_i - l_i)  \quad\text{for every } l',

so refitting on the weights w can only lower h: the alternation "weigh, refit" descends for every
rule of this room, trimming and its smooth form alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from .._typing import FloatArray, IntArray


class WeightingRule(ABC):
    """A concave, increasing function of the losses."""

    #: Whether rows are kept in part.
    soft: ClassVar[bool] = False
    #: Steepness lambda of a soft threshold; None for a hard one.
    smoothing: float | None = None

    @abstractmethod
    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Weight of each row, in proportion to its own row weight where losses are alike."""

    def value(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Aggregate h of the losses, whose gradient the weights are."""
        return self.value_at(self.weights(losses, sample_weight), losses, sample_weight)

    @abstractmethod
    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """The same, for who has the weights already."""


@dataclass(frozen=True)
class TrimmingRule(WeightingRule):
    """Keeps the share ``1 - contamination`` of the rows that fit best.

    Weights lie between 0 and the row's own weight, and sum to the kept share.

    Parameters
    ----------
    contamination : float
        Share of the total row weight that is given up, in [0, 1).
    """

    contamination: float

    @abstractmethod
    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Loss t that separates what is kept from what is given up."""

    def row_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """The threshold that each row is held to, shape (n,); one for all unless a rule differs."""
        return np.full(len(losses), self.threshold(losses, sample_weight))

    def among(self, rows: IntArray) -> TrimmingRule:
        """The same rule for some of the rows."""
        return self

    def over(self, groups: IntArray) -> TrimmingRule:
        """The same rule for other rows, of these classes."""
        return self

    def totals(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Kept weight of each class; all rows are one unless a rule differs."""
        return np.array([self.kept_total(sample_weight)])

    def class_thresholds(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Threshold of each class."""
        return np.array([self.threshold(losses, sample_weight)])

    def label_entropy(self, totals: FloatArray) -> float:
        """What the aggregate has besides the kept losses, from the kept weight of each class."""
        return 0.0

    def kept_total(self, sample_weight: FloatArray) -> float:
        """Total weight to keep: ``(1 - contamination) * sum(sample_weight)``, in whole rows.

        Weights that are counts, or all equal, are kept by the whole row and the rest is given up:
        a fraction of one bad row can spoil a fit. (Rows beyond counting, such as weights that sum
        to one, are kept to the last fraction.)
        """
        kept = (1.0 - self.contamination) * float(sample_weight.sum())
        unit = unit_weight(sample_weight)
        if unit is None or self.contamination == 0:
            return kept
        # 0.55 * 100 is 55.00000000000001 here and 0.8 * 10 may be a hair less than 8.
        return max(1.0, np.floor(kept / unit + 1e-9)) * unit


def unit_weight(sample_weight: FloatArray) -> float | None:
    """Weight of one row: one if all are counts, else the common weight, None if there is none."""
    present = sample_weight[sample_weight > 0]
    if (present == np.floor(present)).all():
        return 1.0  # before the common weight: rows of weight two are pairs of copies
    return float(present[0]) if (present == present[0]).all() else None
