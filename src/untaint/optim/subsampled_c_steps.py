r"""Concentration steps by passes over all samples, one for each Newton step.

.. math:: c \leftarrow c - (\Phi_S^T H_S \Phi_S + 2 \alpha P)^{-1} \Bigl(\sum_i w_i(c)\,
          \ell_i'(c)\, \phi_i + 2 \alpha P c\Bigr)

The gradient is that of all samples, with their weights under c itself; the Hessian is that of a
subsample S. With m rows for each feature the sums of the subsample are those of all samples to
about :math:`1 \pm 2 / \sqrt m`, so that a step removes most of the error, and Anderson acceleration
most of the rest. Nothing is solved more accurately than the weights are known.

For the logistic loss, samples that cross a hard threshold are counted in (:mod:`.trimmed_hessian`).
The iteration stops where the predicted decrease of the objective is below what chance leaves open:
a fit of p features to n samples follows p / n of the noise.
"""

from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from .._typing import FloatArray
from .anderson import AndersonAcceleration
from .base import Fit, Solution
from .c_steps import REMEDY
from .checkpoint import Stateful, load_states, nested, pack, part_of, states, unpack
from .norm_ball import project
from .oracle import Oracle, PassResult
from .subsampled_newton import Iterate, SubsampledNewton
from .threshold_prediction import WeightingStrategy

# Relative increase of the objective that counts as rounding.
ROUNDING = 1e-8
# Where objectives are not comparable, a step fails if it multiplies the predicted decrease by more.
WORSE = 4.0
# Iterations without progress after which there will be none.
PATIENCE = 6
# Passes that find exact thresholds at the end.
MAX_REFINEMENTS = 6
# A predicted decrease that shrinks by less than this factor is no progress.
PROGRESS = 0.9
# Predicted decrease, as a multiple of the smallest one, at which a stalled iteration has converged.
STALLED_FACTOR = 100.0


@final
@dataclass(eq=False)
class SubsampledSteps:
    """Newton steps with the Hessian of a subsample, safeguarded and accelerated.

    ``oracle`` has all samples, and ``newton`` the subsample; ``point`` is the next function, at
    first that found on the subsample. A predicted decrease below ``min_decrease``, relative to the
    objective, is not worth another step. ``exact`` refines the thresholds of the solution until
    they are exact.
    """

    oracle: Oracle
    newton: SubsampledNewton
    strategy: WeightingStrategy
    point: Fit
    alpha: float
    min_decrease: float
    norm_bound: float | None = None
    exact: bool = False
    path: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._anderson = AndersonAcceleration(len(self.point.predictions))
        self._result: PassResult | None = None
        self._weights: FloatArray | None = None
        self._best: Iterate | None = None
        self._last: Iterate | None = None
        self._extrapolated, self._n_stalled = False, 0

    def evaluate(self) -> int:
        """Evaluate the current function on all samples, and find the Newton step from there."""
        before = self._weights
        result, self._weights = self._pass(self.point, with_curvature=True)
        parts = (self.point, self._weights, result, self.alpha, self.norm_bound)
        crossing = None
        if self.norm_bound is None:
            crossing = self.strategy.crossing(self.newton.evaluate_losses(self.point))
        step = self.newton.step(*parts, crossing)
        value = self.strategy.objective(result) + self.alpha * self.point.squared_norm
        reliable = crossing is not None or self.strategy.is_reliable(result)
        self.accept(replace(step, value=value, reliable=reliable))
        n_changed = 0 if before is None else int(np.count_nonzero(self._weights != before))
        return round(n_changed / self.newton.part)

    def accept(self, iterate: Iterate) -> None:
        """Record an evaluated function."""
        self.path.append(iterate.value)
        self._last = iterate

    @property
    def stopped(self) -> bool:
        """Whether a step is not worth its pass, or no step has brought progress for long."""
        return self._settled or self._n_stalled >= PATIENCE

    @property
    def _settled(self) -> bool:
        return self._last is not None and self._last.reliable and self._is_small(self._last)

    def _is_small(self, iterate: Iterate, factor: float = 1.0) -> bool:
        return iterate.predicted_decrease <= factor * self.min_decrease * abs(iterate.value)

    def advance(self) -> None:
        """Choose the next function: a step, an extrapolation, or back after a failure."""
        last, best = self._last, self._best
        assert last is not None
        if best is not None and self._is_worse(last, best):
            self._n_stalled += 1
            self._anderson.reset()
            self.point = best.target if self._extrapolated else self._secant_point(best, last)
            self._extrapolated = False
            return
        progress = best is None or last.predicted_decrease < PROGRESS * best.predicted_decrease
        self._n_stalled = 0 if progress else self._n_stalled + 1
        self._best = last
        if not last.reliable and self.strategy.hard:
            self._anderson.reset()  # a mispredicted hard threshold misleads the extrapolation
        self.point = last.target
        proposal = self._anderson.propose(last.point, last.target)
        self._extrapolated = proposal is not None
        if proposal is not None:
            self.point = project(self.newton.fit(self.newton.coef(proposal)), self.norm_bound)

    def solution(self) -> Solution:
        """Return the last function, or an earlier one that was better, and the pass over it."""
        last, best, settled = self._last, self._best, self._settled
        assert last is not None
        if best is not None and not settled and self._is_worse(last, best):
            last = best
            _, self._weights = self._pass(best.point)
        stalled = self._n_stalled >= PATIENCE
        converged = settled or (stalled and self._is_small(last, STALLED_FACTOR))
        result = self._result
        assert result is not None and self._weights is not None
        if self.exact:
            result = refine_thresholds(self.oracle, self.newton, self.strategy, last.point, result)
        path = (self.path, len(self.path), converged, "" if converged else REMEDY)
        return Solution(last.point, self._weights, *path, result=result)

    def _pass(self, point: Fit, with_curvature: bool = False) -> tuple[PassResult, FloatArray]:
        """Evaluate a function on all samples; return the sums and the subsample's weights."""
        self._result = None  # so that the predictions of two passes are never in memory at once
        sample, coef = self.newton.evaluate_losses(point), self.newton.coef(point)
        weight_function = self.strategy.predict(sample)
        weights = weight_function.weights(sample)
        curvature = self.newton.curvature(weights, point) if with_curvature else None
        result = self.oracle.evaluate(coef, weight_function, self.strategy.grid, curvature)
        self.strategy.observe(result, sample)
        self._result = result
        return result, weights

    def _is_worse(self, iterate: Iterate, best: Iterate) -> bool:
        if not best.reliable:
            return False
        if not self.strategy.comparable:
            return not iterate.predicted_decrease <= WORSE * best.predicted_decrease
        rose = not iterate.value <= best.value + ROUNDING * abs(best.value)
        return rose and not iterate.predicted_decrease <= best.predicted_decrease

    def _secant_point(self, best: Iterate, last: Iterate) -> Fit:
        """Return the point between two where the secant of the slope vanishes."""
        coef = self.newton.coef(best.point)
        direction = self.newton.coef(last.point) - coef
        here, there = (float(np.vdot(each.gradient, direction)) for each in (best, last))
        part = -here / (there - here) if there > here else 0.5
        return self.newton.fit(coef + min(max(part, 0.02), 0.7) * direction)

    def state_dict(self) -> dict[str, FloatArray]:
        """Return all that the next iterations depend on."""
        counts = np.array([self._n_stalled, int(self._extrapolated)])
        state = {"path": np.array(self.path), "counts": counts} | nested("point", pack(self.point))
        if self._best is not None:
            state |= nested("best", self._best.state_dict())
        return state | states(self._parts)

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        self.point = unpack(part_of("point", state))
        self.path = state["path"].tolist()
        self._n_stalled, self._extrapolated = int(state["counts"][0]), bool(state["counts"][1])
        best = part_of("best", state)
        self._best = Iterate.from_state_dict(best) if best else None
        load_states(self._parts, state)

    @property
    def _parts(self) -> dict[str, Stateful]:
        return {"anderson": self._anderson, "strategy": self.strategy, "newton": self.newton}


def refine_thresholds(
    oracle: Oracle,
    newton: SubsampledNewton,
    strategy: WeightingStrategy,
    fit: Fit,
    result: PassResult,
) -> PassResult:
    """Repeat passes under one function, with finer bins, until the thresholds are exact."""
    sample = newton.evaluate_losses(fit)
    strategy.observe(result, sample)
    for _ in range(MAX_REFINEMENTS):
        if strategy.is_exact(result):
            break
        weight_function = strategy.refine()
        result = oracle.evaluate(newton.coef(fit), weight_function, strategy.grid)
        strategy.observe(result, sample)
    return result
