r"""Truncated reweighting: the inverse absolute residual, truncated at M.

.. math:: w_i = v_i \min\Bigl(\frac{1}{\sqrt{l_i}}, M\Bigr), \qquad
          h(l) = \sum_i v_i \begin{cases} 2 \sqrt{l_i} & \sqrt{l_i} > 1 / M \\
                                          M l_i + 1 / M & \text{else} \end{cases}

for squared losses and sample weights v: Mukhoty, Gopakumar, Jain and Kar, *Globally-convergent
iteratively reweighted least squares for robust regression problems* (2019). h is proportional to
Huber's function of the residuals with transition point 1 / M; as M grows it decreases to twice the
sum of the absolute residuals.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from .._typing import FloatArray
from .base import WeightingRule


@final
@dataclass(frozen=True)
class Truncated(WeightingRule):
    """Weight samples by the inverse of their absolute residuals, at most ``largest``.

    Parameters
    ----------
    largest : float
        The bound M > 0.

    Examples
    --------
    >>> import numpy as np
    >>> Truncated(largest=2.0).weights(np.array([0.0, 16.0]), np.ones(2))
    array([2.  , 0.25])
    """

    largest: float
    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return ``v_i min(1 / |r_i|, M)``."""
        return sample_weight / np.maximum(np.sqrt(losses), 1.0 / self.largest)

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return the weighted sum of Huber's function of the residuals, scaled to slope 2."""
        sizes, transition = np.sqrt(losses), 1.0 / self.largest
        values = np.where(sizes > transition, 2.0 * sizes, self.largest * losses + transition)
        return float(sample_weight @ values)
