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

from .._typing import FloatArray


@dataclass(frozen=True)
class Selection(ABC):
    """Keeps the share ``1 - contamination`` of the rows that fit best.

    Parameters
    ----------
    contamination : float
        Share of the total row weight that is given up, in [0, 1).
    """

    contamination: float

    @abstractmethod
    def weights(self, losses: FloatArray, row_weights: FloatArray) -> FloatArray:
        """Weight of each row, between 0 and its own row weight; they sum to the kept share."""

    @abstractmethod
    def value(self, losses: FloatArray, row_weights: FloatArray) -> float:
        """Aggregate h of the losses, whose gradient the weights are."""

    @abstractmethod
    def threshold(self, losses: FloatArray, row_weights: FloatArray) -> float:
        """Loss t that separates what is kept from what is given up."""

    def kept_total(self, row_weights: FloatArray) -> float:
        """Total weight to keep, ``(1 - contamination) * sum(row_weights)``.

        A whole number of rows that rounding has pushed aside (0.55 * 100 = 55.00000000000001)
        is put back, lest a sliver of one more row be kept.
        """
        kept = (1.0 - self.contamination) * float(row_weights.sum())
        whole = round(kept)
        return float(whole) if abs(kept - whole) <= 1e-9 * max(1.0, kept) else kept
