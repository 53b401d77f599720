r"""Newton's method for a weighted loss with a ridge penalty.

.. math:: \min_{g, b} \; \sum_i w_i \ell(y_i, f(x_i)) + \alpha \|g\|^2, \qquad f = g + b

Every iteration minimises the second-order expansion of the objective up to an inner tolerance, and
a line search halves the step until the objective falls (Armijo's rule). This is an inexact Newton
method: the inner tolerance of a step is the relative decrease that the last step brought, or more
where less is enough for the accuracy of the solution.

Functions have dual coefficients (:mod:`.newton_step`) or primal ones (:mod:`.feature_newton`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Generic, NamedTuple, TypeVar, final

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian, Loss
from .base import Fit

MAX_STEPS = 100
# Tolerances from here on are of single precision.
SINGLE = 1e-6
# Loosest and tightest inner tolerance of a step.
LOOSE_STEP, TIGHT_STEP = 0.1, 1e-4
# Part of the accuracy of a solution that the inexactness of a step in the kernel's space may take.
PART = 0.1
# Fraction of the linearly predicted decrease that a step must reach, and the shortest step tried.
ARMIJO, SHORTEST = 1e-4, 1e-6
# Decrease per unit of weight below which the second-order expansion is accurate without a search.
SURE = 1e-4
# Smallest alpha per unit of weight: without a penalty separable classes have no minimiser.
MIN_ALPHA = 1e-10


@final
@dataclass(frozen=True)
class WeightedObjective:
    """The weighted loss plus the ridge penalty, and its derivatives in the predictions."""

    loss: Loss
    y: FloatArray
    weights: FloatArray
    alpha: float

    def value(self, fit: Fit) -> float:
        """Return the objective of a fit."""
        y, values, weights = self.y, fit.predictions, self.weights
        inside = weights > 0
        if not inside.all():
            y, values, weights = y[inside], values[inside], weights[inside]
        return float(weights @ self.loss.value(y, values)) + self.alpha * fit.squared_norm

    def gradient(self, values: FloatArray) -> FloatArray:
        """Return the weighted gradients of the loss, zero for a row of weight zero."""
        gradient = self.loss.gradient(self.y, values)
        with np.errstate(invalid="ignore"):
            gradient *= self.weights[:, None]
        if not np.isfinite(gradient).all():
            gradient[self.weights == 0] = 0.0
        return gradient

    def hessian(self, values: FloatArray) -> Hessian:
        """Return the weighted second derivatives of the loss, or positive ones in their place."""
        return self.loss.hessian(self.y, values).weighted(self.weights)

    def exact_hessian(self, values: FloatArray) -> Hessian:
        """Return the weighted second derivatives of the loss, which may be indefinite."""
        return self.loss.exact_hessian(self.y, values).weighted(self.weights)


class Step(NamedTuple):
    """The predicted decrease of a full Newton step, and the fit at a fraction of it."""

    decrease: float
    at: Callable[[float], Fit]


class NewtonSpace(ABC):
    """The representation of functions in which Newton steps are solved.

    ``in_passes`` means that a product reads all rows, so that steps must be few: then a quadratic
    loss takes one step, and a step of small decrease is taken without a line search.
    """

    in_passes: ClassVar[bool]

    @abstractmethod
    def start(self, objective: WeightedObjective, around: FloatArray | None) -> Fit:
        """Return the first iterate: a constant, or a fit near some predictions."""

    @abstractmethod
    def step(
        self, objective: WeightedObjective, fit: Fit, tol: float, value: float | None = None
    ) -> Step:
        """Minimise the second-order expansion around a fit.

        The square of ``tol`` is the part of the decrease that may be missing, or that of the
        objective, where its value at the fit is given.
        """

    def normalised(self, fit: Fit) -> Fit:
        """Return the fit with directions that the loss does not see set to zero."""
        return fit


Space = TypeVar("Space", bound=NewtonSpace)


@final
@dataclass(frozen=True, eq=False)
class Newton(Generic[Space]):
    """Newton's method for one loss and targets (n, k), with weights and alphas that change."""

    space: Space
    loss: Loss
    y: FloatArray

    def solve(
        self,
        weights: FloatArray,
        alpha: float,
        start: Fit | None = None,
        tol: float = 1e-8,
        around: FloatArray | None = None,
    ) -> Fit:
        """Return the minimiser for weights (n,), from a first iterate if there is one.

        The relative accuracy of the objective is ``tol ** 1.5``, in the kernel's space ``tol **
        2.25`` below single precision; that of predictions is the root of it. ``around`` are
        predictions (n, k) of a function close to the minimiser whose coefficients are unknown:
        without a start, the first step in the kernel's space expands the loss there.
        """
        one_step = self.loss.quadratic and self.space.in_passes
        if not one_step:
            alpha = max(alpha, MIN_ALPHA * float(weights.sum()))
        objective = WeightedObjective(self.loss, self.y, weights, alpha)
        fit, gain = start if start is not None else self.space.start(objective, around), 1.0
        left = 1.0
        if one_step:
            return self.space.step(objective, fit, tol**0.75, objective.value(fit)).at(1.0)
        # A weight of k and k copies get here on different paths: double precision allows more
        # digits.
        accuracy = tol**1.5 if self.space.in_passes or tol >= SINGLE else tol**2.25
        enough = 0.0 if self.space.in_passes else PART * accuracy
        for _ in range(MAX_STEPS):
            inner = float(np.clip(max(gain, np.sqrt(enough / left)), TIGHT_STEP, LOOSE_STEP))
            step = self.space.step(objective, fit, inner)
            if not step.decrease > 0:
                break
            last, (fit, gain) = fit, self._advance(objective, fit, step)
            # What is left: the inexactness of the step, and terms beyond the second order.
            left = gain * (inner**2 + gain)
            if fit is last or left <= accuracy:
                break
        return self.space.normalised(fit)

    def _advance(self, objective: WeightedObjective, fit: Fit, step: Step) -> tuple[Fit, float]:
        """Return the next iterate, and the decrease relative to the weight or to the objective."""
        if not self.space.in_passes:
            fit, value = _line_search(objective, fit, step)
            return fit, step.decrease / max(abs(value), np.finfo(float).tiny)
        gain = step.decrease / float(objective.weights.sum())
        return step.at(1.0) if gain < SURE else _line_search(objective, fit, step)[0], gain


def _line_search(objective: WeightedObjective, fit: Fit, step: Step) -> tuple[Fit, float]:
    """Halve a step until the objective falls enough; return where it ends and the objective."""
    value, slope, length = objective.value(fit), -2.0 * step.decrease, 1.0
    while length > SHORTEST:
        moved = step.at(length)
        reached = objective.value(moved)
        if reached <= value + ARMIJO * length * slope + 1e-13 * abs(value):
            return moved, reached
        length *= 0.5
    return fit, value
