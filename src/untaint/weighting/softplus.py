r"""Trimming with sigmoid weights: the softplus form of the subquantile.

.. math:: h_\lambda(l) = \max_t \; (1-\epsilon) t \textstyle\sum v
              - \sum_i \frac{v_i}{\lambda} \log(1 + e^{\lambda (t - l_i)})

with v the sample weights, epsilon the contamination and lambda the smoothing parameter:
Subquantile Minimization, first version, section 3.1, eq. (20). At the optimal t the weights
:math:`w_i = v_i \sigma(\lambda (t - l_i))` sum to :math:`(1-\epsilon) \sum v`; as lambda grows
they tend to those of :class:`~untaint.weighting.trimmed.Trimmed`.
"""

from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from scipy.special import entr, expit

from .._typing import FloatArray
from .trimmed import Trimmed


@final
@dataclass(frozen=True)
class Softplus(Trimmed):
    """Trimming with a sigmoid of width ``1 / smoothing`` around the threshold.

    Parameters
    ----------
    contamination : float
        Fraction of the total sample weight that is trimmed.
    smoothing : float
        The parameter lambda > 0, in units of 1 / loss.

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
        """Return the weights ``v_i sigmoid(smoothing * (t - l_i))``."""
        t = self.threshold(losses, sample_weight)
        if not np.isfinite(t):
            # Nothing is trimmed, or infinite losses are kept: there is no threshold to smooth.
            return super().weights(losses, sample_weight)
        return sample_weight * expit(self._below(t, losses))

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return h, computed as the kept losses minus the entropy of the weights over lambda."""
        # The terms of this dual form are of the size of the kept losses and do not cancel.
        entropy = weight_entropy(weights, sample_weight)
        return super().value_at(weights, losses, sample_weight) - entropy / self.smoothing

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the t at which the weights sum to the kept total; infinite without trimming."""
        from scipy.optimize import brentq  # imported where it is used: that takes .1 s

        kept = self.kept_total(sample_weight)
        hard = super().threshold(losses, sample_weight)
        if kept >= sample_weight.sum() or not np.isfinite(hard):
            return np.inf
        # The root lies within the width of the sigmoid of the hard threshold, or of the next loss
        # if the samples up to the threshold weigh exactly ``kept``. A tight bracket keeps large
        # losses from limiting the accuracy of the root.
        margin = 40.0 / self.smoothing
        low, high = hard - margin, hard + margin
        if sample_weight[losses <= hard].sum() <= kept * (1 + 1e-12):
            beyond = losses[(losses > hard) & np.isfinite(losses)]
            high = margin + (float(beyond.min()) if len(beyond) else hard)

        def excess(t: float) -> float:
            return float(sample_weight @ expit(self._below(t, losses))) - kept

        if excess(high) <= 0:
            return high
        xtol = 1e-14 / self.smoothing
        return float(brentq(excess, low, high, xtol=xtol, rtol=1e-15, maxiter=500))

    def _below(self, t: float, losses: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):
            return self.smoothing * (t - losses)


def weight_entropy(weights: FloatArray, sample_weight: FloatArray) -> float:
    """Return the sum of the binary entropies of the kept fractions of the samples' weights."""
    kept = weights > 0
    part = weights[kept] / sample_weight[kept]
    return float(sample_weight[kept] @ (entr(part) + entr(1.0 - part)))
