r"""Step sizes of online gradient descent.

- A number, or a function of the round.
- The constant :math:`\eta = B_w / \sqrt{G T}` of the theorems for a horizon of T rounds, where G
  bounds the squared norm of the estimated gradients. With :math:`\|\tilde x\| \le B_x` and
  :math:`|y| \le B_y`, :math:`G = 4 ((B_w B_x + B_y) B_x + \|\Sigma\| B_w)^2` (Theorem 1 is printed
  without the cross term; the last term is that of a known covariance). Projected descent then has
  an expected regret of at most :math:`B_w^2 / (2 \eta) + \eta G T / 2 = B_w \sqrt{G T}`.
- The same step for two copies, from second moments only: Theorem 1 requires :math:`E \|\tilde x\|^2
  \le B_x^2` and :math:`E y^2 \le B_y^2`, not that every row is so short. Moments that are not given
  are those of the rows so far, the first of which are observed without a step.
- Without any constant: distance over gradients (DoG), the largest distance from the initial point
  over the root of the summed squared gradients.
"""

import warnings
from collections.abc import Callable
from math import sqrt
from typing import Any, Protocol, final

import numpy as np

from .._typing import FloatArray
from .._validation import check_count, check_flag, check_real, is_word, scheduled_rate

NAMES = ("auto", "adaptive", "theory")
_MAX_WAIT = 8  # rounds without a step, in which second moments are estimated
_TOLERANCE = 1.1  # ratio by which estimated moments must exceed those in use to replace them
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
        return scheduled_rate(self.rate, t)


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
class SecondMomentStepSize:
    r"""The step size of Theorem 1 for two copies, from second moments that are given or estimated.

    With given moments that the stream does not exceed the bound of the expected regret is the
    theorem's. Otherwise it is the mean of what projected descent has in any case: for steps
    :math:`\eta_t` that do not increase, gradients :math:`v_t`, and m rounds without a step,

    .. math:: B \|\sum_{t \le m} v_t\| + \frac{B^2}{2 \eta_{m + 1}}
              + 2 B^2 \Big(\frac{1}{\eta_T} - \frac{1}{\eta_{m + 1}}\Big)
              + \sum_{t > m} \frac{\eta_t}{2} \|v_t\|^2,

    because the iterates are within 2 B of any predictor of the ball, and the first one within B.
    """

    def __init__(
        self, radius: float, horizon: int, feature_bound: float | None, target_bound: float | None
    ) -> None:
        self.radius, self.horizon = radius, horizon
        self._given = (feature_bound or 0.0) ** 2, (target_bound or 0.0) ** 2
        self._n_waiting = 0 if all(self._given) else max(1, min(_MAX_WAIT, horizon // 20))
        self._n_rows, self._squares = 0, [0.0, 0.0]
        self._gradient_bound = self._first_bound = 0.0  # sqrt(G), now and when steps began
        self._first_gradients: FloatArray | float = 0.0  # sum of those without a step
        self._weighted_squares = 0.0  # sum of eta_t / 2 times the squared gradient
        self._exceeded = not all(self._given)

    def observe(self, feature_square: float, target_square: float) -> None:
        """Update the second moments by the squared norms of a row and of its target."""
        self._n_rows += 1
        self._squares[0] += feature_square
        self._squares[1] += target_square

    def _update_gradient_bound(self) -> None:
        n = self._n_rows
        allowed = _TOLERANCE + 4.0 / sqrt(n)  # the mean of few rows is uncertain
        moments = [
            total / n if total > allowed * given * n else given
            for given, total in zip(self._given, self._squares, strict=True)
        ]
        B_x, B_y = sqrt(moments[0]), sqrt(moments[1])
        bound = 2.0 * (self.radius * B_x + B_y) * B_x
        if bound > _TOLERANCE * self._gradient_bound:
            self._exceeded = self._exceeded or self._gradient_bound > 0.0
            self._gradient_bound = bound
            self._first_bound = self._first_bound or bound

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return B / sqrt(G T), or zero while the moments are observed only."""
        if t <= self._n_waiting:
            self._first_gradients = self._first_gradients + gradient
            return 0.0
        self._update_gradient_bound()
        if self._gradient_bound == 0.0:
            self._first_gradients = self._first_gradients + gradient
            return 0.0
        step = self.radius / (self._gradient_bound * sqrt(self.horizon))
        self._weighted_squares += 0.5 * step * float(gradient @ gradient)
        return step

    def expand(self, size: int) -> None:
        """Add coordinates for new features, which were zero in the earlier gradients."""
        if isinstance(first := self._first_gradients, np.ndarray):
            self._first_gradients = np.pad(first, (0, size - len(first)))

    def regret_bound(self, rounds: int) -> float:
        """Return an upper bound of the expected regret."""
        radius, root = self.radius, sqrt(self.horizon)
        if not self._exceeded:
            factor = 0.5 * (1.0 + max(rounds, self.horizon) / self.horizon)
            return factor * radius * self._gradient_bound * root
        increase = self._gradient_bound - self._first_bound
        return (
            radius * float(np.linalg.norm(self._first_gradients))
            + radius * root * (0.5 * self._first_bound + 2.0 * increase)
            + self._weighted_squares
        )


@final
class DistanceOverGradients:
    """The largest distance of w from zero, over the root of the summed squared gradients.

    The initial distance is a small fraction of the norm of the shortest w that fits the first row,
    the only scale that is available before anything has been learnt.
    """

    def __init__(self) -> None:
        self._max_distance = 0.0
        self._squared_gradients = 0.0

    def start(self, norm: float, target: float) -> None:
        """Set the initial distance, if there is none, from the norm of a row and its target."""
        if self._max_distance == 0.0 and norm and np.isfinite(target / norm):
            self._max_distance = _INITIAL_FRACTION * abs(target / norm)

    def __call__(self, t: int, gradient: FloatArray, w: FloatArray) -> float:
        """Return distance over gradients, this gradient included."""
        self._squared_gradients += float(gradient @ gradient)
        self._max_distance = max(self._max_distance, sqrt(float(w @ w)))
        return (
            self._max_distance / sqrt(self._squared_gradients) if self._squared_gradients else 0.0
        )


def regret_bound(step_size: StepSize | None, rounds: int) -> float:
    """Return an upper bound of the expected regret after so many rounds."""
    if not isinstance(step_size, TheoreticalStepSize | SecondMomentStepSize):
        raise AttributeError('regret_bound_ is known for learning_rate="theory" only')
    return step_size.regret_bound(rounds)


def warn_beyond_horizon(step_size: StepSize, rounds: int, n_new: int, stacklevel: int) -> None:
    """Warn if new rounds are the first ones beyond the horizon."""
    if not isinstance(step_size, TheoreticalStepSize | SecondMomentStepSize):
        return
    if rounds <= step_size.horizon < rounds + n_new:
        warnings.warn(
            f"more rounds than horizon={step_size.horizon}: the step is too long for them, and "
            "regret_bound_ grows in proportion.",
            stacklevel=stacklevel,
        )


def check_descent_parameters(model: Any) -> None:
    """Validate the parameters of gradient descent, and that ``"theory"`` has what it requires."""
    rate = model.learning_rate
    if isinstance(rate, str):
        if rate not in NAMES:
            raise ValueError(
                f"learning_rate must be one of {', '.join(map(repr, NAMES))}, a positive number or "
                f"a function of the round, got {rate!r}."
            )
        for name in ("horizon", "norm_bound"):
            if rate == "theory" and getattr(model, name) is None:
                raise ValueError(
                    f'{name} must be given for learning_rate="theory", got None: the step '
                    "depends on the number of rounds and on the radius of the ball."
                )
    elif not callable(rate):
        check_real("learning_rate", rate, low=0, inclusive=False)
    check_real("norm_bound", model.norm_bound, low=0, inclusive=False, optional=True)
    check_count("horizon", model.horizon, optional=True)
    check_real("target_bound", model.target_bound, low=0, optional=True)
    if not is_word(model.average, "auto"):
        check_flag("average", model.average)


def make_step_size(learning_rate: Any, norm_bound: float | None, horizon: int | None) -> StepSize:
    """Construct the step size that ``learning_rate`` specifies."""
    if learning_rate == "theory":
        assert norm_bound is not None and horizon is not None
        return TheoreticalStepSize(norm_bound, horizon)
    if isinstance(learning_rate, str):
        return DistanceOverGradients()
    return ScheduledStepSize(learning_rate)
