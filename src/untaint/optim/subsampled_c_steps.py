r"""Concentration by questions to all rows, one for each step.

.. math:: c \leftarrow c - (\Phi_S^T H_S \Phi_S + 2 \alpha P)^{-1} \Bigl(\sum_i w_i(c)\,
          \ell_i'(c)\, \phi_i + 2 \alpha P c\Bigr)

The gradient is that of all rows, with the weights that they deserve under c itself; the second
order is that of a sample. With m rows a feature the sample's sums are those of all to about
:math:`1 \pm 2 / \sqrt m`, so that a step removes all but a part of the error, and Anderson's
extrapolation most of that part. Selecting, refitting and improving the refit are one and the same
step: nothing is solved more accurately than the rows to be kept are known.

It ends where the second order promises less than chance leaves open: a fit of p features to n rows
follows p / n of the noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import FloatArray
from .anderson import AndersonAcceleration
from .base import Callback, Fit, Progress, no_callback
from .checkpoint import CheckpointSlot, pack, unpack
from .norm_ball import project
from .oracle import Aggregates, Oracle, OracleQuery
from .subsampled_newton import NewtonStep, SubsampledNewton
from .threshold_prediction import WeightingStrategy

# A step that raises the objective by no more than rounding does no harm.
ROUNDING = 1e-8
# Without an objective to compare, a step is a failure if it leaves so much more to be gained.
WORSE = 4.0
# Questions without progress after which there will be none.
PATIENCE = 6
# Questions that find exact thresholds at the end.
LAST_LOOKS = 6


@final
@dataclass(frozen=True)
class Outcome:
    """A function, what all rows say to it, and how it was reached."""

    fit: Fit
    aggregates: Aggregates
    path: list[float]
    n_iter: int
    converged: bool


@final
@dataclass(frozen=True)
class Iterate:
    """A function that rows were asked about, and where it leads to.

    Unless the weights were ``reliable`` that is a guess, and so is the gradient.
    """

    point: Fit
    step: NewtonStep
    value: float
    reliable: bool = True

    @property
    def predicted_decrease(self) -> float:
        """What the objective falls by."""
        return self.step.predicted_decrease


def concentrate(
    oracle: Oracle,
    subsampled_newton: SubsampledNewton,
    strategy: WeightingStrategy,
    start: Fit,
    alpha: float,
    *,
    norm_bound: float | None = None,
    enough: float,
    max_iter: int,
    exact: bool = False,
    report: Callback = no_callback,
    slot: CheckpointSlot | None = None,
) -> Outcome:
    """Ask all rows about functions, each better than the last.

    Parameters
    ----------
    oracle : Poll
        Who asks all rows.
    subsampled_newton : SubsampledNewton
        A sample of them.
    strategy : WeightingStrategy
        How rows are weighed.
    start : Fit
        Found on the sample.
    alpha : float
    norm_bound : float, optional
    enough : float
        Part of the objective that a step may promise and still not be worth it.
    max_iter : int
    exact : bool
        Go on asking about the last function until its thresholds are exact.
    report : callable
    slot : Slot, optional
        Of a checkpoint: where to go on, and where to write how far it is.
    """
    controller = StepController(
        start, len(subsampled_newton.groups), strategy.comparable, strategy.hard
    )
    systems = (controller, strategy, subsampled_newton.newton.space)
    if slot is not None:
        slot.resume(systems)
    while True:
        point = controller.point
        sample = subsampled_newton.evaluate_losses(point)
        weight_function = strategy.update(sample)
        query = OracleQuery(
            subsampled_newton.coef(point),
            weight_function,
            strategy.grid,
            subsampled_newton.curved,
            subsampled_newton.squared,
        )
        result = oracle.evaluate(query)
        aggregates = result.aggregates
        strategy.observe(aggregates, sample)
        subsample_weights = weight_function.weights(sample)
        step = subsampled_newton.step(point, subsample_weights, result, alpha, norm_bound)
        value = strategy.value(aggregates) + alpha * point.squared_norm
        reliable = strategy.settled(aggregates)
        controller.accept(Iterate(point, step, value, reliable))
        report(
            Progress(
                controller.iteration,
                max_iter,
                value,
                controller.n_changed(subsample_weights, subsampled_newton.part),
            )
        )
        settled = reliable and step.predicted_decrease <= enough * abs(value)
        if settled or controller.stuck or controller.iteration >= max_iter:
            break
        controller.advance(subsampled_newton, norm_bound)
        if slot is not None:
            slot.save_systems(systems)
    best = controller.better()
    if best is not None and not settled:
        # The last function was a step too far: the one before it is asked about again.
        point, value, step = best.point, best.value, best.step
        sample = subsampled_newton.evaluate_losses(point)
        weight_function = strategy.update(sample)
        aggregates = oracle.evaluate(
            OracleQuery(subsampled_newton.coef(point), weight_function, strategy.grid)
        ).aggregates
        strategy.observe(aggregates, sample)
    converged = settled or (
        controller.stuck and step.predicted_decrease <= 100.0 * enough * abs(value)
    )
    outcome = Outcome(point, aggregates, controller.path, controller.iteration, converged)
    return (
        replace(outcome, aggregates=refine_threshold(oracle, subsampled_newton, strategy, outcome))
        if exact
        else outcome
    )


def refine_threshold(
    oracle: Oracle,
    subsampled_newton: SubsampledNewton,
    strategy: WeightingStrategy,
    outcome: Outcome,
) -> Aggregates:
    """What all rows say to the last function, seen so closely that thresholds are exact."""
    aggregates, sample = outcome.aggregates, subsampled_newton.evaluate_losses(outcome.fit)
    strategy.observe(aggregates, sample)
    for _ in range(LAST_LOOKS):
        if strategy.exact(aggregates):
            break
        weight_function = strategy.refined()
        aggregates = oracle.evaluate(
            OracleQuery(subsampled_newton.coef(outcome.fit), weight_function, strategy.grid)
        ).aggregates
        strategy.observe(aggregates, sample)
    return aggregates


@final
class StepController:
    """From function to function: forwards, farther than a step, or back.

    Parameters
    ----------
    start : Fit
    n_sample : int
    comparable : bool
        Whether objectives can be compared.
    hard : bool
        Whether rows are kept or not, so that a threshold that was not foreseen misleads.
    """

    def __init__(
        self, start: Fit, n_sample: int, comparable: bool = True, hard: bool = False
    ) -> None:
        self.point = start
        self.comparable = comparable
        self.hard = hard
        self.path: list[float] = []
        self.iteration = 0
        self._subsample_weights: FloatArray | None = None
        self._anderson = AndersonAcceleration(n_sample)
        self._best: Iterate | None = None
        self._last: Iterate | None = None
        self._extrapolated = False
        self._n_stalled = 0

    @property
    def stuck(self) -> bool:
        """Whether no function was better than an earlier one for long."""
        return self._n_stalled >= PATIENCE

    def accept(self, iterate: Iterate) -> None:
        """Rows have been asked."""
        self.iteration += 1
        self.path.append(iterate.value)
        self._last = iterate

    def n_changed(self, subsample_weights: FloatArray, part: float) -> int:
        """Rows that weigh otherwise than under the last function, by what the sample says."""
        before, self._subsample_weights = self._subsample_weights, subsample_weights
        return 0 if before is None else round(np.count_nonzero(subsample_weights != before) / part)

    def better(self) -> Iterate | None:
        """An earlier function that was better than the last, if there is one."""
        last, best = self._last, self._best
        worse = last is not None and best is not None and self._worse(last, best)
        return best if worse else None

    def advance(self, subsampled_newton: SubsampledNewton, norm_bound: float | None) -> None:
        """Where to go next."""
        iterate, best = self._last, self._best
        assert iterate is not None
        if best is not None and self._worse(iterate, best):
            self._n_stalled += 1
            self._anderson.reset()
            self.point = (
                best.step.target
                if self._extrapolated
                else _secant_point(best, iterate, subsampled_newton)
            )
            self._extrapolated = False
            return
        better = best is None or iterate.predicted_decrease < 0.9 * best.predicted_decrease
        self._n_stalled = 0 if better else self._n_stalled + 1
        self._best = iterate
        if not iterate.reliable and self.hard:
            self._anderson.reset()
        proposal = self._anderson.propose(iterate.point, iterate.step.target)
        self._extrapolated = proposal is not None
        self.point = iterate.step.target
        if proposal is not None:
            self.point = project(
                subsampled_newton.fit(subsampled_newton.coef(proposal)), norm_bound
            )

    def state_dict(self) -> dict[str, FloatArray]:
        """All that the next step depends on, by name."""
        state = pack("point", self.point) | {
            "path": np.array(self.path),
            "counts": np.array([self.iteration, self._n_stalled, int(self._extrapolated)]),
        }
        if self._best is not None:
            best = self._best
            state |= pack("best", best.point) | pack("next", best.step.target)
            state["best_numbers"] = np.array(
                [best.value, best.predicted_decrease, float(best.reliable)]
            )
            state["best_gradient"] = best.step.gradient
        return state | self._anderson.state_dict()

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on from there."""
        self.point = unpack("point", state)
        self.path = state["path"].tolist()
        self.iteration, self._n_stalled, extrapolated = (int(x) for x in state["counts"])
        self._extrapolated = bool(extrapolated)
        if "best_gradient" in state:
            value, predicted_decrease, reliable = (float(x) for x in state["best_numbers"])
            step = NewtonStep(unpack("next", state), predicted_decrease, state["best_gradient"])
            self._best = Iterate(unpack("best", state), step, value, bool(reliable))
        self._anderson.load_state_dict(state)

    def _worse(self, iterate: Iterate, best: Iterate) -> bool:
        if not best.reliable:
            return False
        if not self.comparable:
            return not iterate.predicted_decrease <= WORSE * best.predicted_decrease
        rose = not iterate.value <= best.value + ROUNDING * abs(best.value)
        return rose and not iterate.predicted_decrease <= best.predicted_decrease


def _secant_point(best: Iterate, iterate: Iterate, subsampled_newton: SubsampledNewton) -> Fit:
    """Where the slope from one to the other would vanish if it were linear."""
    coef = subsampled_newton.coef(best.point)
    direction = subsampled_newton.coef(iterate.point) - coef
    here, there = (
        float(np.vdot(best.step.gradient, direction)),
        float(np.vdot(iterate.step.gradient, direction)),
    )
    part = -here / (there - here) if there > here else 0.5
    return subsampled_newton.fit(coef + min(max(part, 0.02), 0.7) * direction)
