r"""Weights that do not depend on the losses.

.. math:: h(l) = \sum_i w_i l_i

is linear, and therefore concave, in the losses; its gradient is w everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from .._typing import FloatArray, IntArray
from .base import TrimmingRule
from .trimmed import loss_reached


@final
@dataclass(frozen=True, eq=False)
class FixedWeights(TrimmingRule):
    """Posterior probabilities as fixed weights.

    Parameters
    ----------
    contamination : float
        Estimated share of outliers.
    inlier_probability : array of shape (n,)
        Posterior probability that each row is an inlier.

    Examples
    --------
    >>> import numpy as np
    >>> rule = FixedWeights(0.5, np.array([1.0, 0.0]))
    >>> rule.weights(np.array([7.0, 3.0]), np.ones(2))
    array([1., 0.])
    """

    inlier_probability: FloatArray

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the fixed weights."""
        return self.inlier_probability * sample_weight

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the weighted sum of the losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the quantile of the losses at the share of the weight that is kept."""
        return loss_reached(losses, sample_weight, self.kept_total(sample_weight))

    def kept_total(self, sample_weight: FloatArray) -> float:
        """Return the sum of the weights."""
        return float(self.inlier_probability @ sample_weight)

    def among(self, rows: IntArray) -> FixedWeights:
        """Return the weights of some rows."""
        return FixedWeights(self.contamination, self.inlier_probability[rows])
