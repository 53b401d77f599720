r"""Truncated reweighting: one over the size of the residual, but not more than M.

.. math:: w_i = v_i \min\Bigl(\frac{1}{\sqrt{l_i}}, M\Bigr), \qquad
          h(l) = \sum_i v_i \begin{cases} 2 \sqrt{l_i} & \sqrt{l_i} > 1 / M \\
                                          M l_i + 1 / M & \text{else} \end{cases}

Mukhoty, Gopakumar, Jain and Kar, *Globally-convergent iteratively reweighted least squares for
robust regression problems* (2019), for squared losses. h is Huber's function of the residuals, with
its bend at 1 / M, and falls with M: it tends to twice the sum of the absolute residuals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from .._typing import FloatArray
from .base import WeightingRule


@final
@dataclass(frozen=True)
class Truncated(WeightingRule):
    """Weigh rows by one over their residuals.

    Parameters
    ----------
    largest : float
        M, positive.

    Examples
    --------
    >>> import numpy as np
    >>> Truncated(largest=2.0).weights(np.array([0.0, 16.0]), np.ones(2))
    array([2.  , 0.25])
    """

    largest: float

    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """min(1 / size, M) times the row's own weight."""
        return sample_weight / np.maximum(np.sqrt(losses), 1.0 / self.largest)

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Twice Huber's function of the residuals, in units of its slope."""
        sizes, bend = np.sqrt(losses), 1.0 / self.largest
        values = np.where(sizes > bend, 2.0 * sizes, self.largest * losses + bend)
        return float(sample_weight @ values)
