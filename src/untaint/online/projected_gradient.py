r"""Projected online gradient descent (Zinkevich): :math:`w \leftarrow P(w - \eta \tilde\nabla)`.

The projection on the ball of radius B is :math:`P(w) = \min\{1, B / \|w\|\} \, w`. Online-to-batch
conversion predicts with the average of the iterates; under the adaptive step size, whose early
iterates are poor, the iterate of round t has the weight t.

Learning from Noisy Data, eq. (2): for any vectors v and any u of the ball, :math:`\sum \langle w_t
- u, v_t \rangle \le B^2 / (2 \eta) + \frac{\eta}{2} \sum \|v_t\|^2`.
"""

from math import sqrt
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .step_size import DistanceOverGradients, StepSize

# Coefficients whose squares are numbers.
MAX_SIZE = 1e150


@final
class ProjectedGradientDescent:
    """Online gradient descent projects its iterates on a ball and keeps track of their average."""

    def __init__(self, size: int, step_size: StepSize, radius: float | None) -> None:
        self.step_size, self.radius = step_size, radius
        self._weight_by_round = isinstance(step_size, DistanceOverGradients)
        self._weight_sum = 0.0
        self.rounds = 0
        self.w = np.zeros(size)
        self._weighted_sum = np.zeros(size)

    def update(self, gradient: FloatArray) -> None:
        """Take one step against a gradient and project the result."""
        self.rounds += 1
        w = self.w - self.step_size(self.rounds, gradient, self.w) * gradient
        if self.radius is not None:
            norm = sqrt(float(w @ w))
            if norm > self.radius:
                w *= self.radius / norm
        self.w = w
        weight = float(self.rounds) if self._weight_by_round else 1.0
        self._weight_sum += weight
        self._weighted_sum = self._weighted_sum + weight * w

    def iterate(self, average: bool) -> FloatArray:
        """Return the current iterate, or the average of the iterates after each round."""
        return self._weighted_sum / self._weight_sum if average and self.rounds else self.w

    def expand(self, size: int) -> None:
        """Add coordinates for new features, which are zero in the earlier iterates."""
        more = (0, size - len(self.w))
        self.w, self._weighted_sum = np.pad(self.w, more), np.pad(self._weighted_sum, more)


class DivergenceError(ValueError):
    """The steps of a batch have ended at an infinite norm."""


def refuse_divergence(model: Any, before: dict[str, Any], size: float) -> None:
    """Restore a model and raise if the steps of a batch have ended where squares overflow."""
    if not size < MAX_SIZE:
        vars(model).update(before)
        raise DivergenceError(
            "learning_rate must be smaller for rows of this size, got steps that diverge: lower "
            "it, or set norm_bound."
        )
