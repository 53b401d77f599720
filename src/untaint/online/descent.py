r"""Projected online gradient descent (Zinkevich): :math:`w \leftarrow P(w - \eta \tilde\nabla)`.

The projection on the ball of radius B scales down: :math:`P(w) = \min\{1, B / \|w\|\} \, w`.
The average of the iterates is what online-to-batch conversion predicts with; where early iterates
are poor because the step had to be found first, round t counts t times.

Learning from Noisy Data, eq. (2): for any vectors v and any u of the ball,
:math:`\sum \langle w_t - u, v_t \rangle \le B^2 / (2 \eta) + \frac{\eta}{2} \sum \|v_t\|^2`.
"""

from __future__ import annotations

from math import sqrt
from typing import final

import numpy as np

from .._typing import FloatArray
from .steps import DistanceOverGradients, Step


@final
class Descent:
    """A point that moves against gradients within a ball, and the mean of where it has been."""

    def __init__(self, size: int, step: Step, radius: float | None) -> None:
        self.step, self.radius = step, radius
        self._favour_late = isinstance(step, DistanceOverGradients)
        self._weight = 0.0
        self.rounds = 0
        self.w = np.zeros(size)
        self._sum = np.zeros(size)

    def move(self, gradient: FloatArray) -> None:
        """One round."""
        self.rounds += 1
        w = self.w - self.step(self.rounds, gradient, self.w) * gradient
        if self.radius is not None:
            length = sqrt(float(w @ w))
            if length > self.radius:
                w *= self.radius / length
        self.w = w
        weight = float(self.rounds) if self._favour_late else 1.0
        self._weight += weight
        self._sum += weight * w

    def point(self, average: bool) -> FloatArray:
        """Where it is, or the mean of where it has been after each round."""
        return self._sum / self._weight if average and self.rounds else self.w

    def widen(self, size: int) -> None:
        """Make room for features that have been zero so far."""
        self.w = np.concatenate([self.w, np.zeros(size - len(self.w))])
        self._sum = np.concatenate([self._sum, np.zeros(size - len(self._sum))])
