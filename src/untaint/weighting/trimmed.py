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
from .base import TrimmingRule

# Losses so close to the threshold tie with it: copies of a row differ in their last digits.
TIE = 1e-9


@final
@dataclass(frozen=True)
class Trimmed(TrimmingRule):
    """Keep the rows with the smallest losses, exactly the asked share.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Trimmed(contamination=0.4)
    >>> rule.weights(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    array([0., 1., 2.])
    >>> rule.value(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 3.0]))
    5.0
    """

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Full weight below the threshold, none above, a common part of it at the threshold."""
        return keep_trimmed(losses, sample_weight, self.kept_total(sample_weight))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Sum of the kept losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Smallest loss at which the rows up to it weigh as much as is to be kept."""
        return loss_reached(losses, sample_weight, self.kept_total(sample_weight))


def keep_trimmed(losses: FloatArray, sample_weight: FloatArray, kept: float) -> FloatArray:
    """Weights of the rows of smallest loss, ``kept`` in total."""
    below, tied = around(losses, loss_reached(losses, sample_weight, kept))
    weights = np.where(below, sample_weight, 0.0)
    weights[tied] = sample_weight[tied] * part_of_tied(sample_weight, below, tied, kept)
    return weights


def around(losses: FloatArray, t: Any) -> tuple[BoolArray, BoolArray]:
    """Rows below a threshold, and rows that tie with it."""
    slack = np.where(np.isfinite(t), TIE * np.abs(t), 0.0)
    with np.errstate(invalid="ignore"):
        near = (losses >= t - slack) & (losses <= t + slack)
    return losses < t - slack, (losses == t) | near


def part_of_tied(
    sample_weight: FloatArray, below: BoolArray, tied: BoolArray, kept: float
) -> float:
    """Part of the rows at the threshold that is kept."""
    at_threshold = float(sample_weight[tied].sum())
    left = kept - float(sample_weight[below].sum())
    return min(1.0, max(0.0, left / at_threshold)) if at_threshold > 0 else 0.0


def loss_reached(losses: FloatArray, sample_weight: FloatArray, kept: float) -> float:
    """Smallest loss at which the rows up to it weigh ``kept``."""
    if (sample_weight == sample_weight[0]).all():
        # Equal weights, the usual case: one partial sort.
        # Sums of weights like 0.1 are off by about n roundings.
        rank = min(max(int(np.ceil(kept / sample_weight[0] * (1 - 1e-11) - 1e-9)), 1), len(losses))
        return float(np.partition(losses, rank - 1)[rank - 1])
    order = np.argsort(losses, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    rank = int(np.searchsorted(cumulative, kept * (1 - 1e-12)))
    return float(losses[order[min(rank, len(losses) - 1)]])
