r"""Trimming with a soft edge: the softplus form of the subquantile.

.. math:: h_\lambda(l) = \max_t \; (1-\epsilon) t \textstyle\sum v
              - \sum_i \frac{v_i}{\lambda} \log(1 + e^{\lambda (t - l_i)})

Subquantile Minimization, first version, 3.1 (eq. 20 with its parameter, lambda, in place). At the
best t the weights :math:`w_i = v_i \sigma(\lambda (t - l_i))` sum to :math:`(1-\epsilon) \sum v`;
as lambda grows they tend to those of :class:`~untaint.weighting.trimmed.Trimmed`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr, expit

from .._typing import FloatArray
from .base import TrimmingRule
from .trimmed import Trimmed


@final
@dataclass(frozen=True)
class Softplus(TrimmingRule):
    """Sigmoid weights of width ``1 / smoothing`` around the threshold.

    Parameters
    ----------
    contamination : float
        Share of the total row weight that is given up.
    smoothing : float
        lambda > 0, in units of one over the loss.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Softplus(contamination=0.5, smoothing=1.0)
    >>> rule.weights(np.array([0.0, 1.0]), np.ones(2)).round(3)
    array([0.622, 0.378])
    """

    smoothing: float = field()

    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Sigmoid of how far each loss lies below the threshold."""
        t = self.threshold(losses, sample_weight)
        if not np.isfinite(t):
            # Nothing is given up, or more losses are infinite than are: no edge to soften.
            return self._hard.weights(losses, sample_weight)
        return sample_weight * expit(self._below(t, losses))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Smoothed sum of the smallest losses."""
        # The dual form, whose terms are of the size of the kept losses and do not cancel: the kept
        # losses less the entropy of the weights.
        kept = weights > 0
        part = weights[kept] / sample_weight[kept]
        entropy = sample_weight[kept] @ (entr(part) + entr(1.0 - part))
        return float(weights[kept] @ losses[kept] - entropy / self.smoothing)

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Root t of sum of the weights = kept total, infinite when nothing is given up."""
        kept = self.kept_total(sample_weight)
        hard = self._hard.threshold(losses, sample_weight)
        if kept >= sample_weight.sum() or not np.isfinite(hard):
            return np.inf
        # Around the hard threshold, but for the sigmoid's own width: up to the next loss when the
        # rows so far are just enough. Losses beyond must not blur the root.
        margin = 40.0 / self.smoothing
        low, high = hard - margin, hard + margin
        if sample_weight[losses <= hard].sum() <= kept * (1 + 1e-12):
            beyond = losses[(losses > hard) & np.isfinite(losses)]
            high = margin + (float(beyond.min()) if len(beyond) else hard)

        def excess(t: float) -> float:
            return float(sample_weight @ expit(self._below(t, losses))) - kept

        if excess(high) <= 0:
            return high
        return float(
            brentq(excess, low, high, xtol=1e-14 / self.smoothing, rtol=1e-15, maxiter=500)
        )

    @property
    def _hard(self) -> Trimmed:
        return Trimmed(self.contamination)

    def _below(self, t: float, losses: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return self.smoothing * (t - losses)
