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
from ..selection import Heard
from .ball import solve_in_ball
from .base import Fit
from .feature_newton import LEAST_RIDGE, FeatureNewton
from .followed_gram import factorised
from .poll import Answer, hear

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
class Step:
    """Where to go, how far the objective falls by it as the second order has it, and why."""

    target: Fit
    fall: float
    gradient: FloatArray


@final
class Scout:
    """A sample of the rows, which knows the second order.

    Parameters
    ----------
    newton : FeatureNewton
        On the sample's features.
    groups : array of shape (m,), int
    shunned : bool array of shape (m,)
    part : float
        Weight of the sample over that of all rows.
    """

    def __init__(
        self, newton: FeatureNewton, groups: IntArray, shunned: BoolArray, part: float
    ) -> None:
        self.newton = newton
        self.features = newton.features
        self.groups = groups
        self.shunned = shunned
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

    def _lacking(self, point: Fit, weights: FloatArray, answer: Answer) -> FloatArray | None:
        """Second order of columns that the sample has too little of, as if they stood alone."""
        if answer.squares is None:
            return None
        hessian = self.loss.hessian(self.newton.y, point.predictions).weighted(weights)
        k = self.newton.y.shape[1]
        own = self.features.squares(np.column_stack([hessian.entry(j, j) for j in range(k)]))
        wanted = self.part * answer.squares
        return np.where(own < ENOUGH_OF_A_COLUMN * wanted, wanted - own, 0.0)

    def fit(self, coef: FloatArray) -> Fit:
        """The function of these coefficients, with its values at the sample."""
        values = self.features.sweep(coef, lambda rows, values: np.zeros_like(values))[0]
        inner, intercept = coef, np.zeros(coef.shape[1])
        if self.features.fit_intercept:
            inner, intercept = coef[:-1], coef[-1]
        return Fit(inner, intercept, values, float(np.vdot(inner, inner)))

    def coef(self, fit: Fit) -> FloatArray:
        """Coefficients of all columns."""
        return np.vstack([fit.coef, fit.intercept]) if self.features.fit_intercept else fit.coef

    def hear(self, fit: Fit) -> Heard:
        """What the sample says to a function."""
        y = self.newton.y
        return hear(self.loss, y, fit.predictions, self._ones, self.groups, self.shunned)

    def step(
        self, point: Fit, weights: FloatArray, answer: Answer, ridge: float, bound: float | None
    ) -> Step:
        """Where the second order leads.

        Parameters
        ----------
        point : Fit
        weights : array of shape (m,)
            Of the sample's rows.
        answer : Answer
            Of all rows.
        ridge : float
        bound : float or None
            Radius of a ball to stay in.
        """
        coef, penalised = self.coef(point), self.features.penalised[:, None]
        if not self.loss.quadratic:
            ridge = max(ridge, LEAST_RIDGE * float(weights.sum()) / self.part)
        extra = self._lacking(point, weights, answer)

        def at(ridge: float, start: Fit | None, tol: float) -> Fit:
            gradient = answer.slopes + 2.0 * ridge * penalised * coef
            if answer.curvature is not None:
                diagonal = 2.0 * ridge * self.features.penalised
                return self.fit(coef - factorised(answer.curvature, diagonal)(gradient))
            parts = (self.part * gradient, point.predictions, weights, self.part * ridge)
            return self.fit(coef + self.newton.towards(*parts, tol=STEP_TOL, extra=extra))

        target = solve_in_ball(at, ridge, bound)
        if not self.loss.quadratic:
            target = self._near(point, target)
        gradient = answer.slopes + 2.0 * ridge * penalised * coef
        step = self.coef(target) - coef
        bend = self._bend(point, target, weights, answer.curvature)
        bend += 2.0 * ridge * float(np.sum(penalised * step**2))
        if extra is not None:
            bend += float(np.sum(extra * step**2)) / self.part
        return Step(target, -float(np.vdot(gradient, step)) - 0.5 * bend, gradient)

    def _near(self, point: Fit, target: Fit) -> Fit:
        """As far towards a target as the second order may be believed.

        Where classes lie apart it vanishes, and with it all that keeps a step from infinity.
        """
        coef, end = self.coef(point), self.coef(target)
        if not np.isfinite(end).all():
            return point
        moves = (target.predictions - point.predictions)[~self.shunned]
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
