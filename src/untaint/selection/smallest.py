r"""Trimming: the sum of the smallest losses, the papers' subquantile.

.. math:: h(l) = \min_{0 \le w \le v,\; \sum w = (1-\epsilon) \sum v} \sum_i w_i l_i
              = \max_t \; (1-\epsilon) t \textstyle\sum v - \sum_i v_i (t - l_i)^+

for row weights v: eq. (7) of Subquantile Minimization times n p, with the factor that eqs. (6) and
(8) lost in print. The best t is the (1-eps) quantile of the losses (Lemma 5). A weighted row on the
boundary is kept in part, and rows that tie there share what is left in proportion to their
weights, so that a weight of k is k copies of the row and the order of the rows is immaterial.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from .._typing import BoolArray, FloatArray
from .base import Selection

# Losses so close to the threshold tie with it: copies of a row differ in their last digits.
TIE = 1e-9


@final
@dataclass(frozen=True)
class Smallest(Selection):
    """Keep the rows with the smallest losses, exactly the asked share.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Smallest(contamination=0.4)
    >>> rule.weights(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    array([0., 1., 2.])
    >>> rule.value(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    5.0
    """

    def weights(self, losses: FloatArray, row_weights: FloatArray) -> FloatArray:
        """Full weight below the threshold, none above, a common part of it at the threshold."""
        return keep_smallest(losses, row_weights, self.kept_total(row_weights))

    def value_at(self, weights: FloatArray, losses: FloatArray, row_weights: FloatArray) -> float:
        """Sum of the kept losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, row_weights: FloatArray) -> float:
        """Smallest loss at which the rows up to it weigh as much as is to be kept."""
        return loss_reached(losses, row_weights, self.kept_total(row_weights))


def keep_smallest(losses: FloatArray, row_weights: FloatArray, kept: float) -> FloatArray:
    """Weights of the rows of smallest loss, ``kept`` in total."""
    below, tied = around(losses, loss_reached(losses, row_weights, kept))
    weights = np.where(below, row_weights, 0.0)
    weights[tied] = row_weights[tied] * part_of_tied(row_weights, below, tied, kept)
    return weights


def around(losses: FloatArray, t: Any) -> tuple[BoolArray, BoolArray]:
    """Rows below a threshold, and rows that tie with it."""
    slack = np.where(np.isfinite(t), TIE * np.abs(t), 0.0)
    with np.errstate(invalid="ignore"):
        near = (losses >= t - slack) & (losses <= t + slack)
    return losses < t - slack, (losses == t) | near


def part_of_tied(row_weights: FloatArray, below: BoolArray, tied: BoolArray, kept: float) -> float:
    """Part of the rows at the threshold that is kept."""
    at_threshold = float(row_weights[tied].sum())
    left = kept - float(row_weights[below].sum())
    return min(1.0, max(0.0, left / at_threshold)) if at_threshold > 0 else 0.0


def loss_reached(losses: FloatArray, row_weights: FloatArray, kept: float) -> float:
    """Smallest loss at which the rows up to it weigh ``kept``."""
    if (row_weights == row_weights[0]).all():
        # Equal weights, the usual case: one partial sort.
        # Sums of weights like 0.1 are off by about n roundings.
        rank = min(max(int(np.ceil(kept / row_weights[0] * (1 - 1e-11) - 1e-9)), 1), len(losses))
        return float(np.partition(losses, rank - 1)[rank - 1])
    order = np.argsort(losses, kind="stable")
    cumulative = np.cumsum(row_weights[order])
    rank = int(np.searchsorted(cumulative, kept * (1 - 1e-12)))
    return float(losses[order[min(rank, len(losses) - 1)]])
