r"""How far to go along a gradient.

- a number, or a function of the round;
- the theorem's constant :math:`\eta = B_w / \sqrt{G T}` for a horizon of T rounds, where G bounds
  the squared length of the estimated gradients. With :math:`\|\tilde x\| \le B_x` and
  :math:`|y| \le B_y`, :math:`G = 4 ((B_w B_x + B_y) B_x + \|\Sigma\| B_w)^2` (Theorem 1 prints it
  without the cross term; the last term is that of a known covariance). Projected descent then has
  an expected regret of at most :math:`B_w^2 / (2 \eta) + \eta G T / 2 = B_w \sqrt{G T}`;
- no constant at all: the distance travelled over the root of the summed squared gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Protocol, final

import numpy as np

from .._typing import FloatArray
from .._validation import check_real

NAMES = ("auto", "adaptive", "theory")
_FIRST_PART = 0.01


class Step(Protocol):
    """Step size of one round."""

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Step of round t, counted from 1, from w against the gradient."""


@final
class Scheduled:
    """A number, or a function of the round."""

    def __init__(self, rate: float | Callable[[int], float]) -> None:
        self.rate = rate

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """The same for any gradient."""
        if not callable(self.rate):
            return self.rate
        rate = float(self.rate(t))
        if not 0.0 <= rate < np.inf:
            raise ValueError(
                f"learning_rate must give a finite number of at least 0, got {rate!r} in round {t}."
            )
        return rate


@final
class Theory:
    """The theorems' step, and the regret that it promises."""

    def __init__(self, radius: float, horizon: int) -> None:
        self.radius, self.horizon = radius, horizon
        self.longest = 0.0  # largest length of a gradient, sqrt(G)
        self._changed = False

    def allow(self, longest: float, t: int) -> None:
        """Make sure that sqrt(G) is at least so much, from round t on."""
        if longest > self.longest:
            self._changed = self._changed or t > 1
            self.longest = longest

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """B / sqrt(G T)."""
        if self.longest == 0.0:
            return 0.0
        return self.radius / (self.longest * sqrt(self.horizon))

    def regret_bound(self, rounds: int) -> float:
        """Largest expected regret.

        If G had to be raised on the way the distance to the best predictor is only known to be at
        most 2 B_w when the step changed, which costs a factor.
        """
        rounds = max(rounds, self.horizon)
        travel = 4.0 if self._changed else 1.0
        share = rounds / self.horizon
        return 0.5 * (travel + share) * self.radius * self.longest * sqrt(self.horizon)


@final
class DistanceOverGradients:
    """The farthest that w has been from zero, over the root of the summed squared gradients.

    The first distance is a small part of the way to fitting the first row: that is the only scale
    that there is before anything has been learnt.
    """

    def __init__(self) -> None:
        self._farthest = 0.0
        self._squares = 0.0

    @property
    def begun(self) -> bool:
        """Whether it has been told, or has moved."""
        return self._farthest > 0.0

    def see(self, way: float) -> None:
        """Be told the length of the shortest w that fits a row."""
        if self._farthest == 0.0 and np.isfinite(way):
            self._farthest = _FIRST_PART * way

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Distance over gradients, this one included."""
        self._squares += float(gradient @ gradient)
        self._farthest = max(self._farthest, sqrt(float(w @ w)))
        return self._farthest / sqrt(self._squares) if self._squares else 0.0


def check_learning_rate(learning_rate: Any, horizon: Any, norm_bound: Any) -> None:
    """A step that can be taken, with what the theorems need to know."""
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


def make_step(learning_rate: Any, norm_bound: float | None, horizon: int | None) -> Step:
    """The step that was asked for."""
    if learning_rate == "theory":
        assert norm_bound is not None and horizon is not None
        return Theory(norm_bound, horizon)
    if isinstance(learning_rate, str):
        return DistanceOverGradients()
    return Scheduled(learning_rate)
