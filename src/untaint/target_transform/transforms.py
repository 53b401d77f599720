r"""Increasing transformations T of a target, their inverses and derivatives.

.. math:: T(y) = \log y, \qquad T(y) = \psi_\lambda\bigl((y - m) / s\bigr)

The power transformation is that of Yeo and Johnson, with m the median and s the median distance of
the targets from it, so that neither the unit nor the origin of the targets matters:

.. math:: \psi_\lambda(z) = \begin{cases}
          ((1 + z)^\lambda - 1) / \lambda & z \ge 0 \\
          -((1 - z)^{2 - \lambda} - 1) / (2 - \lambda) & z < 0 \end{cases}

and the logarithm where an exponent is zero. For :math:`0 \le \lambda \le 2` every number has an
inverse. Inverses are formulas of :mod:`untaint.portable`, for any array library or a graph.

References
----------
Yeo and Johnson (2000), A new family of power transformations to improve normality or symmetry.
"""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from .._typing import FloatArray
from ..portable import ArrayArithmetic, Value

# Largest part of the exponent range that an inverse uses: predictions stay finite.
MAX_EXPONENT = 0.95


@final
@dataclass(frozen=True)
class LogTransform:
    """The logarithm.

    Targets below ``least``, such as a negative one among many rows of which the selection saw a
    sample, count as ``least``.

    Examples
    --------
    >>> import numpy as np
    >>> LogTransform(1e-3).forward(np.array([1.0, 10.0, -1.0])).round(1)
    array([ 0. ,  2.3, -6.9])
    """

    least: float
    name: ClassVar[str] = "log"
    n_parameters: ClassVar[int] = 0

    def forward(self, y: FloatArray) -> FloatArray:
        """Return log y."""
        return np.log(np.maximum(y, self.least))

    def inverse(self, t: Value) -> Value:
        """Return exp t."""
        return t.clip(_largest_exponent(t)).exp()

    def log_derivative(self, y: FloatArray) -> FloatArray:
        """Return -log y."""
        return -self.forward(y)


@final
@dataclass(frozen=True)
class PowerTransform:
    """The transformation of Yeo and Johnson, with exponent lambda between 0 and 2."""

    exponent: float
    centre: float
    scale: float
    name: ClassVar[str] = "power"
    n_parameters: ClassVar[int] = 1

    def forward(self, y: FloatArray) -> FloatArray:
        """Return the transformed targets."""
        z = (y - self.centre) / self.scale
        right, left = np.maximum(z, 0.0), np.maximum(-z, 0.0)
        return _power(right, self.exponent) - _power(left, 2.0 - self.exponent)

    def inverse(self, t: Value) -> Value:
        """Return the targets of transformed ones."""
        size = t.abs()
        right, left = 0.5 * (size + t), 0.5 * (size - t)
        z = _inverse_power(right, self.exponent) - _inverse_power(left, 2.0 - self.exponent)
        return z * self.scale + self.centre

    def log_derivative(self, y: FloatArray) -> FloatArray:
        """Return (lambda - 1) sign(z) log(1 + abs(z)) - log s."""
        z = (y - self.centre) / self.scale
        slope = (self.exponent - 1.0) * np.sign(z) * np.log1p(np.abs(z))
        return np.asarray(slope - np.log(self.scale))


# An increasing function of the target.
TargetTransform = LogTransform | PowerTransform


def inverse_of(transform: TargetTransform, t: FloatArray) -> FloatArray:
    """Return the targets of transformed ones, as a NumPy array.

    Examples
    --------
    >>> import numpy as np
    >>> inverse_of(LogTransform(1e-3), np.log([1.0, 10.0])).round(9)
    array([ 1., 10.])
    """
    return np.asarray(transform.inverse(ArrayArithmetic(np, np.float64).value(t)).data)


def _power(z: FloatArray, exponent: float) -> FloatArray:
    """Return ((1 + z)^p - 1) / p, or log(1 + z) for p = 0."""
    logs = np.log1p(z)
    return logs if exponent == 0 else np.expm1(exponent * logs) / exponent


def _inverse_power(t: Value, exponent: float) -> Value:
    """Return the z of :func:`_power`."""
    logs = t if exponent == 0 else (1.0 + exponent * t).log() / exponent
    return logs.clip(_largest_exponent(t)).exp() - 1.0


def _largest_exponent(t: Value) -> float:
    return MAX_EXPONENT * float(np.log(t.limits.max))
