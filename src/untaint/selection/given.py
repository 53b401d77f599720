r"""Weights that somebody else has decided on.

.. math:: h(l) = \sum_i w_i l_i

is the plainest concave function of the losses: its gradient is w wherever it is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from .._typing import FloatArray, IntArray
from .base import Selection
from .smallest import loss_reached


@final
@dataclass(frozen=True, eq=False)
class Given(Selection):
    """Fixed weights, whatever the losses are.

    Parameters
    ----------
    contamination : float
        Share that is believed to be bad.
    trust : array of shape (n,)
        Between 0 and 1, how far each row is trusted.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Given(0.5, np.array([1.0, 0.0]))
    >>> rule.weights(np.array([7.0, 3.0]), np.ones(2))
    array([1., 0.])
    """

    trust: FloatArray

    def weights(self, losses: FloatArray, row_weights: FloatArray) -> FloatArray:
        """The given ones."""
        return self.trust * row_weights

    def value_at(self, weights: FloatArray, losses: FloatArray, row_weights: FloatArray) -> float:
        """Weighted sum of the losses."""
        kept = weights > 0
        return float(weights[kept] @ losses[kept])

    def threshold(self, losses: FloatArray, row_weights: FloatArray) -> float:
        """The loss that so much weight stays below, as if the smallest were kept."""
        return loss_reached(losses, row_weights, self.kept_total(row_weights))

    def kept_total(self, row_weights: FloatArray) -> float:
        """Sum of the weights."""
        return float(self.trust @ row_weights)

    def among(self, rows: IntArray) -> Given:
        """The weights of these rows."""
        return Given(self.contamination, self.trust[rows])
