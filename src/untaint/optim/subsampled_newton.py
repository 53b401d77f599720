r"""Newton steps on all samples, with the Hessian of a subsample.

.. math:: d = -(\Phi_S^T H_S \Phi_S + 2 \alpha P)^{-1} \nabla

for the gradient of all samples. With few features the same pass sums the Hessian of all samples, if
the loss is quadratic or steps are to be exact; it serves later passes too, as long as weights and
second derivatives hardly change. Under other losses it changes with every step, and its sum takes
twice as long as the rest of a pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Hessian
from ..weighting.threshold import SampleLosses
from .base import Fit
from .checkpoint import nested, pack, part_of, unpack
from .feature_newton import FeatureSpace
from .gram import factorised
from .newton import MIN_ALPHA, Newton, WeightedObjective
from .norm_ball import solve_in_ball
from .oracle import Curvature, PassResult, evaluate_losses
from .trimmed_hessian import Crossing, lanczos_weights

# Features up to which a pass sums the Hessian of all samples.
FEW_FEATURES = 64
# Part of its share of a column's squares below which the subsample lacks the column.
MIN_SQUARES = 0.5
# Part of the weights by which these may change before the Hessian of all samples is summed again,
# and of the weighted second derivatives of a loss that is not quadratic.
GRAM_CHANGE, BEND_CHANGE = 0.02, 0.1
# Relative accuracy of steps: their error is small beside that of the subsample's Hessian.
STEP_TOL = 1e-3
# The same of the part of a step that counts in crossing samples: these are few.
CROSSING_TOL = 0.1
# Largest change of a value by a step: beyond, the logistic loss is far from quadratic.
MAX_CHANGE = 30.0


@final
@dataclass(frozen=True)
class Iterate:
    """A function, the Newton step from there to a target, and the objective.

    The predicted decrease is that of the objective by the step, to second order. The iterate is
    reliable if the weights, and with them gradient (p, k) and value, were those of the point.
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

    ``newton`` solves on the subsample's features; groups and excluded rows are (m,), and ``part``
    is the weight of the subsample over that of all samples. ``exact`` steps have the Hessian of all
    samples, if features are few.
    """

    def __init__(
        self,
        newton: Newton[FeatureSpace],
        groups: IntArray,
        excluded: BoolArray,
        part: float,
        *,
        exact: bool = False,
    ) -> None:
        self.newton, self.loss = newton, newton.loss
        self.features, self.coef = newton.space.features, newton.space.coef
        self.groups, self.excluded, self.part = groups, excluded, part
        self._gram: FloatArray | None = None
        self._gram_weights: FloatArray = np.zeros(0)
        self._is_complete = False
        self._lacking: FloatArray | None = None
        few = self.features.width <= FEW_FEATURES
        self.sums_gram = few and (self.loss.quadratic or (exact and newton.y.shape[1] == 1))
        self._takes_gram = few and not self.sums_gram and newton.y.shape[1] == 1

    def curvature(self, weights: FloatArray, point: Fit | None = None) -> Curvature:
        """Return the second-order sums that a pass is to return, for weights of the subsample.

        They are a small Hessian, unless the last one will do for the function that is evaluated, or
        squares that the subsample may lack: a column that it has is not asked for again.
        """
        if self.sums_gram:
            return None if self._gram_will_do(weights, point) else "gram"
        return "squares" if self.features.of_columns and not self._is_complete else None

    def _gram_will_do(self, weights: FloatArray, point: Fit | None) -> bool:
        if self._gram is None or (point is None and not self.loss.quadratic):
            return False
        change = float(np.abs(self._bends(weights, point) - self._gram_weights).sum())
        most = GRAM_CHANGE if self.loss.quadratic else BEND_CHANGE
        return change <= most * float(self._gram_weights.sum())

    def _bends(self, weights: FloatArray, point: Fit | None) -> FloatArray:
        """Return the weighted second derivatives at the subsample, up to a constant factor."""
        if self.loss.quadratic or point is None:
            return weights
        hessian = self.loss.hessian(self.newton.y, point.predictions)
        return hessian.weighted(weights).entry(0, 0)

    def fit(self, coef: FloatArray) -> Fit:
        """Return the function of these coefficients, with its values at the subsample."""
        values = self.features.matvec_rmatvec(coef, lambda rows, values: np.zeros_like(values))[0]
        return self.newton.space.fit(coef, values)

    def evaluate_losses(self, fit: Fit) -> SampleLosses:
        """Return the losses of the subsample under a function."""
        y, ones = self.newton.y, np.ones(len(self.groups))
        return evaluate_losses(self.loss, y, fit.predictions, ones, self.groups, self.excluded)

    def step(
        self,
        point: Fit,
        weights: FloatArray,
        result: PassResult,
        alpha: float,
        bound: float | None,
        crossing: Crossing | None = None,
    ) -> Iterate:
        """Return the Newton step from a function, within a ball if there is a bound.

        The weights, (m,), are those of the subsample under the function, and the result is that of
        a pass over all samples. With ``crossing`` the gradient is that under the thresholds that
        the pass has found, and samples that cross them are counted in. (Those of a quadratic loss
        are not: its steps are few without.)
        """
        coef, penalised = self.coef(point), self.features.penalised[:, None]
        alpha = self._penalty(alpha, weights)
        objective = WeightedObjective(self.loss, self.newton.y, weights, self.part * alpha)
        hessian = objective.hessian(point.predictions)
        slope = self._without_excess(result, point, crossing)
        lacking = self._lacking_squares(hessian, result.squares)
        if result.gram is not None:
            self._gram, self._gram_weights = result.gram, self._bends(weights, point)
        elif self._takes_gram:
            self._gram = self.features.gram(hessian.entry(0, 0)) / self.part
            if lacking is not None:
                self._gram += np.diag(lacking[:, 0]) / self.part
        self._lacking, gram = lacking, self._gram

        def solve(alpha: float, start: Fit | None, tol: float) -> Fit:
            gradient = slope + 2.0 * alpha * penalised * coef
            own = replace(objective, alpha=self.part * alpha)
            return self.fit(coef + self._direction(gradient, own, point, alpha))

        target = solve_in_ball(solve, alpha, bound)
        if not self.loss.quadratic:
            target = self._trust_region(point, target)
        gradient, step = slope + 2.0 * alpha * penalised * coef, self.coef(target) - coef
        if target is point:  # no finite step, which is no minimum
            return Iterate(point, point, gradient, np.inf)
        moved = target.predictions - point.predictions
        if gram is not None:
            bend = float(np.vdot(step, gram @ step))
        else:
            bend = float(np.vdot(moved, hessian.times(moved))) / self.part
            bend += 0.0 if lacking is None else float(np.sum(lacking * step**2)) / self.part
        bend += 2.0 * alpha * float(np.sum(penalised * step**2))
        iterate = Iterate(point, target, gradient, -float(np.vdot(gradient, step)) - 0.5 * bend)
        if crossing is None or self.loss.quadratic:
            return iterate
        return self._with_crossing(iterate, crossing, weights, alpha)

    def _without_excess(
        self, result: PassResult, point: Fit, crossing: Crossing | None
    ) -> FloatArray:
        """Return the gradient of a pass without the samples that it kept in excess."""
        if crossing is None:
            return result.gradient
        slopes = crossing.excess_slopes(self.loss.gradient(self.newton.y, point.predictions))
        return result.gradient - self.features.rmatvec(slopes) / self.part

    def _penalty(self, alpha: float, weights: FloatArray) -> float:
        """Return alpha, or the least that a loss which is not quadratic needs."""
        least = 0.0 if self.loss.quadratic else MIN_ALPHA * float(weights.sum()) / self.part
        return max(alpha, least)

    def _direction(
        self,
        gradient: FloatArray,
        objective: WeightedObjective,
        point: Fit,
        alpha: float,
        tol: float = STEP_TOL,
    ) -> FloatArray:
        """Return -(H + 2 alpha P)^{-1} times a gradient of all samples, for the last Hessian."""
        if self._gram is not None:
            return -factorised(self._gram, 2.0 * alpha * self.features.penalised)(gradient)
        parts = (objective, self.part * gradient, point.predictions, tol, self._lacking)
        # Steps of a loss that is not convex must go downhill for all samples: no line search
        # follows, and the decrease is predicted by the same second derivatives.
        return self.newton.space.solve_step(*parts, positive=True)[0]

    def _with_crossing(
        self, iterate: Iterate, crossing: Crossing, weights: FloatArray, alpha: float
    ) -> Iterate:
        """Return the step with the samples that cross the threshold counted in."""
        point, alpha = iterate.point, self._penalty(alpha, weights)
        slopes = self.loss.gradient(self.newton.y, point.predictions)
        objective = WeightedObjective(self.loss, self.newton.y, weights, self.part * alpha)

        def crossed(values: FloatArray) -> FloatArray:
            return crossing.slopes_of(slopes, values) / self.part

        first = self.coef(iterate.target) - self.coef(point)
        moved = iterate.target.predictions - point.predictions
        bend = self.features.rmatvec(crossed(moved))
        second = -self._direction(bend, objective, point, alpha, CROSSING_TOL)
        values = (moved, self.fit(second).predictions)
        products = [[float(np.vdot(crossed(u), v)) for v in values] for u in values]
        size = -float(np.vdot(iterate.gradient, first))
        one, two = lanczos_weights(size, np.array(products))
        last = one * first + two * second
        target = self._trust_region(point, self.fit(self.coef(point) + last))
        decrease = -0.5 * float(np.vdot(iterate.gradient, last))
        return replace(iterate, target=target, predicted_decrease=decrease, reliable=True)

    def _lacking_squares(self, hessian: Hessian, squares: FloatArray | None) -> FloatArray | None:
        """Diagonal of the Hessian that the subsample lacks, for columns it has too little of."""
        if squares is None:
            return None
        entries = [hessian.entry(j, j) for j in range(squares.shape[1])]
        own, wanted = self.features.squares(np.column_stack(entries)), self.part * squares
        lacks = own < MIN_SQUARES * wanted
        self._is_complete = not lacks.any()
        return np.where(lacks, wanted - own, 0.0)

    def _trust_region(self, point: Fit, target: Fit) -> Fit:
        """Shorten a step to where the loss is about quadratic."""
        # Where classes are separable the Hessian vanishes, and with it what bounds a step.
        coef, end = self.coef(point), self.coef(target)
        if not np.isfinite(end).all():
            return point
        changes = (target.predictions - point.predictions)[~self.excluded]
        shrink = MAX_CHANGE / max(float(np.abs(changes).max(initial=0.0)), MAX_CHANGE)
        return target if shrink == 1 else self.fit(coef + shrink * (end - coef))

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the Gram matrices of the subsample and of all samples, with their weights."""
        state = self.newton.space.state_dict() | {"complete": np.array(self._is_complete)}
        if self._gram is not None:
            state |= {"gram": self._gram, "gram_weights": self._gram_weights}
        return state

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        self.newton.space.load_state_dict(state)
        self._is_complete = bool(state.get("complete", False))
        if "gram" in state:
            self._gram, self._gram_weights = state["gram"], state["gram_weights"]
