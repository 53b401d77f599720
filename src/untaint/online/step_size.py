r"""Step sizes of online gradient descent.

- A number, or a function of the round.
- The constant :math:`\eta = B_w / \sqrt{G T}` of the theorems for a horizon of T rounds, where G
  bounds the squared norm of the estimated gradients. With :math:`\|\tilde x\| \le B_x` and
  :math:`|y| \le B_y`, :math:`G = 4 ((B_w B_x + B_y) B_x + \|\Sigma\| B_w)^2` (Theorem 1 is printed
  without the cross term; the last term is that of a known covariance). Projected descent then has
  an expected regret of at most :math:`B_w^2 / (2 \eta) + \eta G T / 2 = B_w \sqrt{G T}`.
- Without any constant: distance over gradients (DoG), the largest distance from the initial point
  over the root of the summed squared gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Protocol, final

import numpy as np

from .._typing import FloatArray
from .._validation import check_real

NAMES = ("auto", "adaptive", "theory")
_INITIAL_FRACTION = 0.01  # of the norm of the shortest w that fits the first row


class StepSize(Protocol):
    """A StepSize returns the step size of each round."""

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return the step size of round t, counted from 1, at the iterate w with this gradient."""


@final
class ScheduledStepSize:
    """A step size that is constant or a function of the round."""

    def __init__(self, rate: float | Callable[[int], float]) -> None:
        self.rate = rate

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return the scheduled step size, which does not depend on gradient and iterate."""
        if not callable(self.rate):
            return self.rate
        rate = float(self.rate(t))
        if not 0.0 <= rate < np.inf:
            raise ValueError(
                f"learning_rate must give a finite number of at least 0, got {rate!r} in round {t}."
            )
        return rate


@final
class TheoreticalStepSize:
    """The constant step size of Theorems 1 and 2, with the regret bound that it guarantees."""

    def __init__(self, radius: float, horizon: int) -> None:
        self.radius, self.horizon = radius, horizon
        self.gradient_bound = 0.0  # sqrt(G)
        self._bound_changed = False

    def raise_gradient_bound(self, gradient_bound: float, t: int) -> None:
        """Raise the gradient bound sqrt(G) to at least this value from round t on."""
        if gradient_bound > self.gradient_bound:
            self._bound_changed = self._bound_changed or t > 1
            self.gradient_bound = gradient_bound

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return B / sqrt(G T), or zero while G is zero."""
        if self.gradient_bound == 0.0:
            return 0.0
        return self.radius / (self.gradient_bound * sqrt(self.horizon))

    def regret_bound(self, rounds: int) -> float:
        """Return an upper bound of the expected regret.

        If G was raised during the stream, the distance to the best predictor is only known to be at
        most 2 B_w when the step size changed, which costs a factor.
        """
        rounds = max(rounds, self.horizon)
        distance_factor = 4.0 if self._bound_changed else 1.0
        factor = 0.5 * (distance_factor + rounds / self.horizon)
        return factor * self.radius * self.gradient_bound * sqrt(self.horizon)


@final
class DistanceOverGradients:
    """The largest distance of w from zero, over the root of the summed squared gradients.

    The initial distance is a small fraction of the norm of the shortest w that fits the first row,
    the only scale that is available before anything has been learnt.
    """

    def __init__(self) -> None:
        self._max_distance = 0.0
        self._squared_gradients = 0.0

    @property
    def initialised(self) -> bool:
        """Whether the initial distance has been set."""
        return self._max_distance > 0.0

    def set_initial_distance(self, norm: float) -> None:
        """Set the initial distance from the norm of the shortest w that fits a row."""
        if self._max_distance == 0.0 and np.isfinite(norm):
            self._max_distance = _INITIAL_FRACTION * norm

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return distance over gradients, this gradient included."""
        self._squared_gradients += float(gradient @ gradient)
        self._max_distance = max(self._max_distance, sqrt(float(w @ w)))
        return (
            self._max_distance / sqrt(self._squared_gradients) if self._squared_gradients else 0.0
        )


def check_learning_rate(learning_rate: Any, horizon: Any, norm_bound: Any) -> None:
    """Validate ``learning_rate`` and the parameters that ``"theory"`` requires."""
    if isinstance(learning_rate, str):
        if learning_rate not in NAMES:
            raise ValueError(
                f"learning_rate must be one of {', '.join(map(repr, NAMES))}, a positive number or "
                f"a function of the round, got {learning_rate!r}."
            )
        missing = [
            name
            for name, value in (("horizon", horizon), ("norm_bound", norm_bound))
            if learning_rate == "theory" and value is None
        ]
        if missing:
            raise ValueError(
                f'{missing[0]} must be given for learning_rate="theory", got None: the step '
                "depends on the number of rounds and on the radius of the ball."
            )
    elif not callable(learning_rate):
        check_real("learning_rate", learning_rate, low=0, inclusive=False)


def make_step_size(learning_rate: Any, norm_bound: float | None, horizon: int | None) -> StepSize:
    """Construct the step size that ``learning_rate`` specifies."""
    if learning_rate == "theory":
        assert norm_bound is not None and horizon is not None
        return TheoreticalStepSize(norm_bound, horizon)
    if isinstance(learning_rate, str):
        return DistanceOverGradients()
    return ScheduledStepSize(learning_rate)
