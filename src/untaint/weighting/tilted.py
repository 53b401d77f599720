r"""Tilting: the soft minimum of the losses.

.. math:: h(l) = \frac{N}{t} \log \frac{1}{N} \sum_i v_i e^{t l_i}, \qquad
          w_i = v_i \frac{N e^{t l_i}}{\sum_j v_j e^{t l_j}}, \qquad N = \sum_i v_i, \quad t < 0

Li, Beirami, Sanjabi and Smith, *Tilted empirical risk minimization* (2021), eq. (2) with Lemma 1,
times the number of rows. As t tends to 0 this is the sum of the losses and the weights are equal;
as t tends to minus infinity it is N times the smallest loss, which has all of the weight. For
t < 0, h is concave.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from .._typing import FloatArray
from .base import WeightingRule


@final
@dataclass(frozen=True)
class Tilted(WeightingRule):
    """Weigh rows by the exponential of minus their losses.

    Parameters
    ----------
    tilt : float
        t, at most 0, in units of one over the loss.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Tilted(tilt=-np.log(3.0))
    >>> rule.weights(np.array([0.0, 1.0]), np.ones(2))  # three to one
    array([1.5, 0.5])
    """

    tilt: float

    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """In proportion to exp(t l), as much in total as the rows weigh."""
        tilted = sample_weight * np.exp(self._exponents(losses))
        return tilted * (sample_weight.sum() / tilted.sum())

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """N times the soft minimum."""
        total = float(sample_weight.sum())
        if self.tilt == 0:
            return float(sample_weight @ losses)
        # Not the logarithm of a mean near one: little tilt would be lost in rounding.
        less = float(sample_weight @ np.expm1(self._exponents(losses))) / total
        return total * (float(losses.min()) + float(np.log1p(less)) / self.tilt)

    def _exponents(self, losses: FloatArray) -> FloatArray:
        """t (l - min l): zero for the smallest loss, whatever its size."""
        with np.errstate(over="ignore", invalid="ignore"):
            above = np.where(losses > losses.min(), losses - losses.min(), 0.0)
            return np.where(above > 0, self.tilt * above, 0.0)
