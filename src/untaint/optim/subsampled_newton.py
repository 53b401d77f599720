r"""A sample that goes ahead of all rows.

.. math:: d = -(\Phi_S^T H_S \Phi_S + 2 \alpha P)^{-1} \nabla

is the step that the sample's second order makes of a gradient of all rows. With few features all
rows are asked for their second order too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..weighting.threshold import SampleLosses
from .base import Fit
from .feature_newton import FeatureSpace
from .gram import factorised
from .newton import MIN_ALPHA, Newton, WeightedObjective
from .norm_ball import solve_in_ball
from .oracle import OracleResult, evaluate_losses

# Features up to which rows are asked for the second order.
FEW_FEATURES = 64
# Part of a column's squares that the sample should have of its share.
ENOUGH_OF_A_COLUMN = 0.5
# Relative accuracy of steps: what they miss is small beside what the sample misses.
STEP_TOL = 1e-3

# Values that a step may move by: beyond, a logistic function is no parabola.
FARTHEST = 30.0


@final
@dataclass(frozen=True)
class NewtonStep:
    """Where to go, how far the objective falls by it as the second order has it, and why."""

    target: Fit
    predicted_decrease: float
    gradient: FloatArray


@final
class SubsampledNewton:
    """A sample of the rows, which knows the second order.

    Parameters
    ----------
    newton : Newton
        On the sample's features.
    groups : array of shape (m,), int
    excluded : bool array of shape (m,)
    part : float
        Weight of the sample over that of all rows.
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
        """Of a row."""
        return self.newton.loss

    @property
    def curved(self) -> bool:
        """Whether all rows can be asked for the second order, and the sample's is not needed."""
        alike = self.loss.quadratic or self.newton.y.shape[1] == 1
        return alike and self.features.width <= FEW_FEATURES

    @property
    def squared(self) -> bool:
        """Whether rows are asked for the squares of columns, of which the sample may lack some."""
        return not self.curved and self.features.of_columns

    def _lacking(self, point: Fit, weights: FloatArray, result: OracleResult) -> FloatArray | None:
        """Second order of columns that the sample has too little of, as if they stood alone."""
        if result.squares is None:
            return None
        hessian = self.loss.hessian(self.newton.y, point.predictions).weighted(weights)
        k = self.newton.y.shape[1]
        own = self.features.squares(np.column_stack([hessian.entry(j, j) for j in range(k)]))
        wanted = self.part * result.squares
        return np.where(own < ENOUGH_OF_A_COLUMN * wanted, wanted - own, 0.0)

    def fit(self, coef: FloatArray) -> Fit:
        """The function of these coefficients, with its values at the sample."""
        values = self.features.matvec_rmatvec(coef, lambda rows, values: np.zeros_like(values))[0]
        inner, intercept = coef, np.zeros(coef.shape[1])
        if self.features.fit_intercept:
            inner, intercept = coef[:-1], coef[-1]
        return Fit(inner, intercept, values, float(np.vdot(inner, inner)))

    def coef(self, fit: Fit) -> FloatArray:
        """Coefficients of all columns."""
        return np.vstack([fit.coef, fit.intercept]) if self.features.fit_intercept else fit.coef

    def evaluate_losses(self, fit: Fit) -> SampleLosses:
        """What the sample says to a function."""
        y = self.newton.y
        return evaluate_losses(
            self.loss, y, fit.predictions, self._ones, self.groups, self.excluded
        )

    def step(
        self,
        point: Fit,
        weights: FloatArray,
        result: OracleResult,
        alpha: float,
        bound: float | None,
    ) -> NewtonStep:
        """Where the second order leads.

        Parameters
        ----------
        point : Fit
        weights : array of shape (m,)
            Of the sample's rows.
        result : Answer
            Of all rows.
        alpha : float
        bound : float or None
            Radius of a ball to stay in.
        """
        coef, penalised = self.coef(point), self.features.penalised[:, None]
        if not self.loss.quadratic:
            alpha = max(alpha, MIN_ALPHA * float(weights.sum()) / self.part)
        extra = self._lacking(point, weights, result)

        def at(alpha: float, start: Fit | None, tol: float) -> Fit:
            gradient = result.slopes + 2.0 * alpha * penalised * coef
            if result.curvature is not None:
                diagonal = 2.0 * alpha * self.features.penalised
                return self.fit(coef - factorised(result.curvature, diagonal)(gradient))
            y, space = self.newton.y, self.newton.space
            objective = WeightedObjective(self.loss, y, weights, self.part * alpha)
            parts = (objective, self.part * gradient, point.predictions)
            return self.fit(coef + space.solve_step(*parts, tol=STEP_TOL, extra=extra))

        target = solve_in_ball(at, alpha, bound)
        if not self.loss.quadratic:
            target = self._trust_region(point, target)
        gradient = result.slopes + 2.0 * alpha * penalised * coef
        step = self.coef(target) - coef
        bend = self._bend(point, target, weights, result.curvature)
        bend += 2.0 * alpha * float(np.sum(penalised * step**2))
        if extra is not None:
            bend += float(np.sum(extra * step**2)) / self.part
        return NewtonStep(target, -float(np.vdot(gradient, step)) - 0.5 * bend, gradient)

    def _trust_region(self, point: Fit, target: Fit) -> Fit:
        """As far towards a target as the second order may be believed.

        Where classes lie apart it vanishes, and with it all that keeps a step from infinity.
        """
        coef, end = self.coef(point), self.coef(target)
        if not np.isfinite(end).all():
            return point
        moves = (target.predictions - point.predictions)[~self.excluded]
        moved = float(np.abs(moves).max(initial=0.0))
        if moved <= FARTHEST:
            return target
        return self.fit(coef + (FARTHEST / moved) * (end - coef))

    def _bend(
        self, point: Fit, target: Fit, weights: FloatArray, curvature: FloatArray | None
    ) -> float:
        """Second derivative of the loss along a step."""
        if curvature is not None:
            step = self.coef(target) - self.coef(point)
            return float(np.vdot(step, curvature @ step))
        moved = target.predictions - point.predictions
        hessian = self.loss.hessian(self.newton.y, point.predictions).weighted(weights)
        return float(np.vdot(moved, hessian.times(moved))) / self.part
