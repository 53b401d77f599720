r"""Hard trimming: the sum of the smallest losses, called subquantile in the papers.

.. math:: h(l) = \min_{0 \le w \le v,\; \sum w = (1-\epsilon) \sum v} \sum_i w_i l_i
              = \max_t \; (1-\epsilon) t \textstyle\sum v - \sum_i v_i (t - l_i)^+

for sample weights v: eq. (7) of Subquantile Minimization times n p, with the factor that eqs. (6)
and (8) omit in print. The optimal t is the (1-eps) quantile of the losses (Lemma 5). Samples whose
loss ties with t are kept in part, in proportion to their weights, so that a weight of k is
equivalent to k copies and the result does not depend on the order of the samples.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._typing import BoolArray, FloatArray
from .base import TrimmingRule

# Relative distance within which losses tie: losses of copies of a sample differ by rounding.
TIE_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Trimmed(TrimmingRule):
    """Keep the samples with the smallest losses, up to exactly the fraction ``1 - contamination``.

    Parameters
    ----------
    contamination : float
        Share of the total sample weight that is trimmed, in [0, 1).

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
        """Return full weight below the threshold, zero above, a common fraction at ties."""
        return keep_trimmed(losses, sample_weight, self.kept_total(sample_weight))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the weighted sum of the kept losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the smallest loss up to which the samples weigh at least the kept total."""
        return loss_reached(losses, sample_weight, self.kept_total(sample_weight))


def keep_trimmed(losses: FloatArray, sample_weight: FloatArray, kept: float) -> FloatArray:
    """Return the weights that keep the samples of smallest loss, ``kept`` in total."""
    if np.isnan(losses).any():  # targets so large that their squares overflow
        losses = np.where(np.isnan(losses), np.inf, losses)
    return keep_up_to(losses, sample_weight, kept, loss_reached(losses, sample_weight, kept))


def keep_up_to(losses: FloatArray, sample_weight: FloatArray, kept: float, t: float) -> FloatArray:
    """Return the weights of the samples up to a threshold, ``kept`` in total."""
    below, tied = around(losses, t)
    weights = np.where(below, sample_weight, 0.0)
    weights[tied] = sample_weight[tied] * part_of_tied(sample_weight, below, tied, kept)
    return weights


def around(losses: FloatArray, t: Any) -> tuple[BoolArray, BoolArray]:
    """Return the masks of the losses below a threshold, and of those that tie with it."""
    slack = TIE_TOLERANCE * np.where(np.isfinite(t), np.abs(t), 0.0)
    with np.errstate(invalid="ignore"):
        below = losses < t - slack
        return below, (losses <= t + slack) & ~below


def part_of_tied(
    sample_weight: FloatArray, below: BoolArray, tied: BoolArray, kept: float
) -> float:
    """Return the fraction of the weight at the threshold that is kept."""
    at_threshold = float(sample_weight[tied].sum())
    left = kept - float(sample_weight[below].sum())
    return min(1.0, max(0.0, left / at_threshold)) if at_threshold > 0 else 0.0


def loss_reached(losses: FloatArray, sample_weight: FloatArray, kept: float) -> float:
    """Return the smallest loss up to which the samples weigh at least ``kept``."""
    if (sample_weight == sample_weight[0]).all():
        # Equal weights, the usual case, need a partial sort only. The slack is for sums of weights
        # such as 0.1, which are off by up to n rounding errors.
        rank = min(max(int(np.ceil(kept / sample_weight[0] * (1 - 1e-11) - 1e-9)), 1), len(losses))
        return float(np.partition(losses, rank - 1)[rank - 1])
    order = np.argsort(losses, kind="stable")
    cumulative = np.cumsum(sample_weight[order])
    rank = int(np.searchsorted(cumulative, kept * (1 - 1e-12)))
    return float(losses[order[min(rank, len(losses) - 1)]])
