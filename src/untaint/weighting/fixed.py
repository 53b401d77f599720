r"""Weights that somebody else has decided on.

.. math:: h(l) = \sum_i w_i l_i

is the plainest concave function of the losses: its gradient is w wherever it is taken.
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
    """Fixed weights, whatever the losses are.

    Parameters
    ----------
    contamination : float
        Share that is believed to be bad.
    inlier_probability : array of shape (n,)
        Between 0 and 1, how far each row is trusted.

    Examples
    --------
    >>> import numpy as np
    >>> rule = FixedWeights(0.5, np.array([1.0, 0.0]))
    >>> rule.weights(np.array([7.0, 3.0]), np.ones(2))
    array([1., 0.])
    """

    inlier_probability: FloatArray

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """The given ones."""
        return self.inlier_probability * sample_weight

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Weighted sum of the losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, sample_weight: FloatArray) -> float:
        """The loss that so much weight stays below, as if the smallest were kept."""
        return loss_reached(losses, sample_weight, self.kept_total(sample_weight))

    def kept_total(self, sample_weight: FloatArray) -> float:
        """Sum of the weights."""
        return float(self.inlier_probability @ sample_weight)

    def among(self, rows: IntArray) -> FixedWeights:
        """The weights of these rows."""
        return FixedWeights(self.contamination, self.inlier_probability[rows])
