r"""Newton steps on all samples, with the Hessian of a subsample.

.. math:: d = -(\Phi_S^T H_S \Phi_S + 2 \alpha P)^{-1} \nabla

for the gradient of all samples. With few features the Hessian of all samples is summed in the same
pass and used instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..weighting.threshold import SampleLosses
from .base import Fit
from .checkpoint import nested, pack, part_of, unpack
from .feature_newton import FeatureSpace
from .gram import factorised
from .newton import MIN_ALPHA, Newton, WeightedObjective
from .norm_ball import solve_in_ball
from .oracle import Curvature, PassResult, evaluate_losses

# Features up to which a pass sums the Hessian of all samples.
FEW_FEATURES = 64
# Part of its share of a column's squares below which the subsample lacks the column.
MIN_SQUARES = 0.5
# Relative accuracy of steps: their error is small beside that of the subsample's Hessian.
STEP_TOL = 1e-3
# Largest change of a value by a step: beyond, the logistic loss is far from quadratic.
MAX_CHANGE = 30.0


@final
@dataclass(frozen=True)
class Iterate:
    """A function, the Newton step from there, and the objective.

    Attributes
    ----------
    point, target : Fit
        Where the step begins and ends.
    gradient : array of shape (p, k)
    predicted_decrease : float
        Decrease of the objective by the step, to second order.
    value : float
        Objective at the point.
    reliable : bool
        Whether the weights, and with them gradient and objective, were those of the point.
    """

    point: Fit
    target: Fit
    gradient: FloatArray
    predicted_decrease: float
    value: float = np.nan
    reliable: bool = True

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the iterate as named arrays."""
        numbers = [self.predicted_decrease, self.value, float(self.reliable)]
        state = {"gradient": self.gradient, "numbers": np.array(numbers)}
        return state | nested("point", pack(self.point)) | nested("target", pack(self.target))

    @classmethod
    def from_state_dict(cls, state: dict[str, FloatArray]) -> Iterate:
        """Return the iterate of named arrays."""
        predicted_decrease, value, reliable = (float(x) for x in state["numbers"])
        point, target = (unpack(part_of(name, state)) for name in ("point", "target"))
        return cls(point, target, state["gradient"], predicted_decrease, value, bool(reliable))


@final
class SubsampledNewton:
    """Newton steps with the Hessian of a subsample.

    Parameters
    ----------
    newton : Newton
        Solver on the subsample's features.
    groups : array of shape (m,), int
    excluded : bool array of shape (m,)
    part : float
        Weight of the subsample over that of all samples.
    """

    def __init__(
        self, newton: Newton[FeatureSpace], groups: IntArray, excluded: BoolArray, part: float
    ) -> None:
        self.newton = newton
        self.features = newton.space.features
        self.groups = groups
        self.excluded = excluded
        self.part = part
        self._ones = np.ones(len(groups))

    @property
    def loss(self) -> Loss:
        """The loss of a sample."""
        return self.newton.loss

    @property
    def curvature(self) -> Curvature:
        """Second-order sums that a pass over all samples should return.

        These are the whole Hessian where it is small and common to all outputs, and else the
        squares of columns that the subsample may lack.
        """
        shared = self.loss.quadratic or self.newton.y.shape[1] == 1
        if shared and self.features.width <= FEW_FEATURES:
            return "gram"
        return "squares" if self.features.of_columns else None

    def fit(self, coef: FloatArray) -> Fit:
        """Return the function of these coefficients, with its values at the subsample."""
        values = self.features.matvec_rmatvec(coef, lambda rows, values: np.zeros_like(values))[0]
        inner, intercept = coef, np.zeros(coef.shape[1])
        if self.features.fit_intercept:
            inner, intercept = coef[:-1], coef[-1]
        return Fit(inner, intercept, values, float(np.vdot(inner, inner)))

    def coef(self, fit: Fit) -> FloatArray:
        """Return the coefficients of all columns, that of ones last."""
        return np.vstack([fit.coef, fit.intercept]) if self.features.fit_intercept else fit.coef

    def evaluate_losses(self, fit: Fit) -> SampleLosses:
        """Return the losses of the subsample under a function."""
        y = self.newton.y
        return evaluate_losses(
            self.loss, y, fit.predictions, self._ones, self.groups, self.excluded
        )

    def step(
        self,
        point: Fit,
        weights: FloatArray,
        result: PassResult,
        alpha: float,
        bound: float | None,
    ) -> Iterate:
        """Return the Newton step from a function.

        Parameters
        ----------
        point : Fit
        weights : array of shape (m,)
            Weights of the subsample under the function.
        result : PassResult
            Sums over all samples under the function.
        alpha : float
        bound : float or None
            Radius of the ball that the step stays in.
        """
        coef, penalised = self.coef(point), self.features.penalised[:, None]
        if not self.loss.quadratic:
            alpha = max(alpha, MIN_ALPHA * float(weights.sum()) / self.part)
        lacking = self._lacking_squares(point, weights, result)

        def solve(alpha: float, start: Fit | None, tol: float) -> Fit:
            gradient = result.gradient + 2.0 * alpha * penalised * coef
            if result.gram is not None:
                diagonal = 2.0 * alpha * self.features.penalised
                return self.fit(coef - factorised(result.gram, diagonal)(gradient))
            y, space = self.newton.y, self.newton.space
            objective = WeightedObjective(self.loss, y, weights, self.part * alpha)
            parts = (objective, self.part * gradient, point.predictions)
            return self.fit(coef + space.solve_step(*parts, tol=STEP_TOL, extra=lacking))

        target = solve_in_ball(solve, alpha, bound)
        if not self.loss.quadratic:
            target = self._trust_region(point, target)
        gradient, step = result.gradient + 2.0 * alpha * penalised * coef, self.coef(target) - coef
        bend = self._second_derivative(point, target, weights, result.gram)
        bend += 2.0 * alpha * float(np.sum(penalised * step**2))
        bend += 0.0 if lacking is None else float(np.sum(lacking * step**2)) / self.part
        return Iterate(point, target, gradient, -float(np.vdot(gradient, step)) - 0.5 * bend)

    def _lacking_squares(
        self, point: Fit, weights: FloatArray, result: PassResult
    ) -> FloatArray | None:
        """Diagonal of the Hessian that the subsample lacks, for columns it has too little of."""
        if result.squares is None:
            return None
        hessian = self.loss.hessian(self.newton.y, point.predictions).weighted(weights)
        k = self.newton.y.shape[1]
        own = self.features.squares(np.column_stack([hessian.entry(j, j) for j in range(k)]))
        wanted = self.part * result.squares
        return np.where(own < MIN_SQUARES * wanted, wanted - own, 0.0)

    def _trust_region(self, point: Fit, target: Fit) -> Fit:
        """Shorten a step to where the loss is about quadratic.

        Where classes are separable the Hessian vanishes, and with it what bounds a step.
        """
        coef, end = self.coef(point), self.coef(target)
        if not np.isfinite(end).all():
            return point
        changes = (target.predictions - point.predictions)[~self.excluded]
        largest = float(np.abs(changes).max(initial=0.0))
        if largest <= MAX_CHANGE:
            return target
        return self.fit(coef + (MAX_CHANGE / largest) * (end - coef))

    def _second_derivative(
        self, point: Fit, target: Fit, weights: FloatArray, gram: FloatArray | None
    ) -> float:
        """Second derivative of the weighted loss along a step."""
        if gram is not None:
            step = self.coef(target) - self.coef(point)
            return float(np.vdot(step, gram @ step))
        moved = target.predictions - point.predictions
        hessian = self.loss.hessian(self.newton.y, point.predictions).weighted(weights)
        return float(np.vdot(moved, hessian.times(moved))) / self.part
