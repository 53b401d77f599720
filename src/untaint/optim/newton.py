r"""Newton's method for a weighted loss with a ridge.

.. math:: \min_{g, b} \; \sum_i w_i \ell(y_i, f(x_i)) + \alpha \|g\|^2, \qquad f = g + b

Each step minimises the second order of the loss (:mod:`~untaint.optim.newton_step`) and goes as
far towards that minimiser as the objective falls. How well a step is solved follows from how much
the last one brought. The preconditioner of one step serves the next ones too, for other weights and
other ridges, until they find it wanting.
"""

from __future__ import annotations

from typing import final

import numpy as np

from .._typing import FloatArray
from ..losses import Loss
from .base import Fit, Precondition, RidgeSystem
from .newton_step import newton_step

MAX_STEPS = 100
# Loosest and tightest part of the gradient that a step may leave.
LOOSE_STEP, TIGHT_STEP = 0.1, 1e-4
# Iterations of a step beyond which a fresh preconditioner pays.
PATIENCE = 6
# Part of the fall that the slope promises which is enough.
ARMIJO = 1e-4
SHORTEST = 1e-6
# Without a ridge separable classes have no best fit: so much of one, for each row, stands in.
MIN_ALPHA = 1e-10


@final
class Newton:
    """Minimises a loss, time and again, for weights and ridges that change.

    Parameters
    ----------
    system : RidgeSystem
    loss : Loss
    y : array of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses import LogisticLoss
    >>> from untaint.optim import PrimalRidge
    >>> y = np.array([[0.0], [1.0], [1.0]])
    >>> newton = Newton(PrimalRidge(np.zeros((3, 1))), LogisticLoss(), y)
    >>> newton.solve(np.ones(3), alpha=1.0).intercept.round(4)  # log 2
    array([0.6931])
    """

    def __init__(self, system: RidgeSystem, loss: Loss, y: FloatArray) -> None:
        self.system = system
        self.loss = loss
        self.y = y
        self._precondition: Precondition | None = None

    def solve(
        self,
        weights: FloatArray,
        alpha: float,
        start: Fit | None = None,
        tol: float = 1e-8,
        around: FloatArray | None = None,
    ) -> Fit:
        """Minimiser for these weights.

        Parameters
        ----------
        weights : array of shape (n,)
        alpha : float
            alpha.
        start : Fit, optional
        tol : float
            Relative accuracy of the objective is ``tol ** 1.5``, of predictions the root of that.
        around : array of shape (n, k), optional
            Predictions of a function close to the minimiser, whose coefficients nobody knows: if
            there is no start, the first step is made from there.
        """
        alpha = max(alpha, MIN_ALPHA * float(weights.sum()))
        fit, gain = self.system.zero(self.y) if start is None else start, 1.0
        if start is None and around is not None:
            fit = self._first_fit(fit, around, weights, alpha)
        for _ in range(MAX_STEPS):
            inner = float(np.clip(gain, TIGHT_STEP, LOOSE_STEP))
            goal = self._step(fit, weights, alpha, inner)
            slope = self._slope(fit, goal, weights, alpha)
            if not slope < 0:
                break
            fit, value = self._search(fit, goal, weights, alpha, slope)
            gain = -0.5 * slope / max(abs(value), np.finfo(float).tiny)
            # What a step leaves: its own inexactness, and what the second order did not foresee.
            if gain * (inner**2 + gain) <= tol**1.5:
                break
        return fit

    def _step(self, fit: Fit, weights: FloatArray, alpha: float, tol: float) -> Fit:
        """Minimiser of the second order around a fit."""
        gradient = weights[:, None] * self.loss.gradient(self.y, fit.predictions)
        hessian = self.loss.hessian(self.y, fit.predictions).weighted(weights)
        if self._precondition is None:
            self._precondition = self.system.newton_preconditioner(
                hessian, self.y.shape[1], 2 * alpha
            )
        step = newton_step(self.system, fit, gradient, hessian, 2 * alpha, self._precondition, tol)
        if step.iterations > PATIENCE:
            self._precondition = None
        return step.goal

    def _first_fit(self, zero: Fit, around: FloatArray, weights: FloatArray, alpha: float) -> Fit:
        """A step from the zero function with the second order of another one's predictions."""
        hessian = self.loss.hessian(self.y, around).weighted(weights)
        gradient = weights[:, None] * self.loss.gradient(self.y, around) - hessian.times(around)
        self._precondition = self.system.newton_preconditioner(hessian, self.y.shape[1], 2 * alpha)
        guess = newton_step(
            self.system, zero, gradient, hessian, 2 * alpha, self._precondition, LOOSE_STEP
        ).goal
        # Where these were all too sure of themselves there is no second order to speak of.
        if self._objective(guess, weights, alpha) < self._objective(zero, weights, alpha):
            return guess
        self._precondition = None
        return zero

    def _search(
        self, fit: Fit, goal: Fit, weights: FloatArray, alpha: float, slope: float
    ) -> tuple[Fit, float]:
        """Halve the step until the objective falls."""
        value, step = self._objective(fit, weights, alpha), 1.0
        while step > SHORTEST:
            moved = self.system.interpolate(fit, goal, step)
            reached = self._objective(moved, weights, alpha)
            if reached <= value + ARMIJO * step * slope + 1e-13 * abs(value):
                return moved, reached
            step *= 0.5
        return fit, value

    def _objective(self, fit: Fit, weights: FloatArray, alpha: float) -> float:
        kept = weights > 0
        losses = self.loss.value(self.y[kept], fit.predictions[kept])
        return float(weights[kept] @ losses) + alpha * fit.squared_norm

    def _slope(self, fit: Fit, goal: Fit, weights: FloatArray, alpha: float) -> float:
        """Derivative of the objective on the way from fit to goal."""
        gradient = weights[:, None] * self.loss.gradient(self.y, fit.predictions)
        by_loss = float(np.vdot(gradient, goal.predictions - fit.predictions))
        return by_loss + 2 * alpha * (self.system.inner(fit, goal) - fit.squared_norm)
