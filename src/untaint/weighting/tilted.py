r"""Exponential tilting: the soft minimum of the losses.

.. math:: h(l) = \frac{N}{t} \log \frac{1}{N} \sum_i v_i e^{t l_i}, \qquad
          w_i = v_i \frac{N e^{t l_i}}{\sum_j v_j e^{t l_j}}, \qquad N = \sum_i v_i, \quad t < 0

for sample weights v: Li, Beirami, Sanjabi and Smith, *Tilted empirical risk minimization* (2021),
eq. (2) with Lemma 1, times N. For t < 0, h is concave. As t tends to 0 it tends to the sum of the
losses, with equal weights; as t tends to minus infinity, to N times the smallest loss, with all of
the weight on the smallest.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from .._typing import FloatArray
from .base import WeightingRule


@final
@dataclass(frozen=True)
class Tilted(WeightingRule):
    """Weight samples in proportion to ``exp(tilt * loss)``.

    Parameters
    ----------
    tilt : float
        The parameter t <= 0, in units of 1 / loss.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Tilted(tilt=-np.log(3.0))
    >>> rule.weights(np.array([0.0, 1.0]), np.ones(2))
    array([1.5, 0.5])
    """

    tilt: float
    soft: ClassVar[bool] = True

    def weights(self, losses: FloatArray, sample_weight: FloatArray) -> FloatArray:
        """Return weights proportional to exp(t l) whose sum is that of ``sample_weight``."""
        tilted = sample_weight * np.exp(self._exponents(losses))
        return tilted * (sample_weight.sum() / tilted.sum())

    def value_at(self, weights: FloatArray, losses: FloatArray, sample_weight: FloatArray) -> float:
        """Return N times the soft minimum of the losses."""
        total = float(sample_weight.sum())
        if self.tilt == 0:
            return float(sample_weight @ losses)
        # log1p and expm1, since for small t the mean exponential is 1 up to rounding.
        less = float(sample_weight @ np.expm1(self._exponents(losses))) / total
        return total * (float(losses.min()) + float(np.log1p(less)) / self.tilt)

    def _exponents(self, losses: FloatArray) -> FloatArray:
        """Return t (l - min l), which is zero for the smallest loss, even an infinite one."""
        with np.errstate(over="ignore", invalid="ignore"):
            above = np.where(losses > losses.min(), losses - losses.min(), 0.0)
            return np.where(above > 0, self.tilt * above, 0.0)
