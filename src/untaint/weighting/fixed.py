r"""Weights that do not depend on the losses.

.. math:: h(l) = \sum_i w_i l_i

is linear, and therefore concave, in the losses; its gradient is w everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

from .._typing import FloatArray, IntArray
from .trimmed import Trimmed


@final
@dataclass(frozen=True, eq=False)
class FixedWeights(Trimmed):
    """Posterior probabilities that samples are inliers, as fixed weights.

    Parameters
    ----------
    contamination : float
        Expected share of outliers.
    inlier_probability : array of shape (n,)
        The weight of each sample, relative to its sample weight.
    """

    inlier_probability: FloatArray

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return the fixed weights."""
        return self.inlier_probability * sample_weight

    def kept_total(self, sample_weight: FloatArray) -> float:
        """Return the sum of the weights."""
        return float(self.inlier_probability @ sample_weight)

    def among(self, rows: IntArray) -> FixedWeights:
        """Return the weights of some samples."""
        return FixedWeights(self.contamination, self.inlier_probability[rows])
