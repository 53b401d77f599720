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
from .ball import project
from .base import Fit, Progress, Report, silent
from .checkpoint import Slot, pack, unpack
from .extrapolation import Extrapolation
from .poll import Poll, Question, Tally
from .scout import Scout, Step
from .steering import Steering

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
    tally: Tally
    path: list[float]
    n_iter: int
    converged: bool


@final
@dataclass(frozen=True)
class _Visit:
    """A function that rows were asked about, and where it leads to.

    Unless the weights were ``foreseen`` that is a guess, and so is the gradient.
    """

    point: Fit
    step: Step
    value: float
    foreseen: bool = True

    @property
    def fall(self) -> float:
        """What the objective falls by."""
        return self.step.fall


def concentrate(
    poll: Poll,
    scout: Scout,
    steering: Steering,
    start: Fit,
    ridge: float,
    *,
    norm_bound: float | None = None,
    enough: float,
    max_iter: int,
    exact: bool = False,
    report: Report = silent,
    slot: Slot | None = None,
) -> Outcome:
    """Ask all rows about functions, each better than the last.

    Parameters
    ----------
    poll : Poll
        Who asks all rows.
    scout : Scout
        A sample of them.
    steering : Steering
        How rows are weighed.
    start : Fit
        Found on the sample.
    ridge : float
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
    course = Course(start, len(scout.groups), steering.comparable, steering.hard)
    systems = (course, steering, scout.newton)
    if slot is not None:
        slot.resume(systems)
    while True:
        point = course.point
        sample = scout.hear(point)
        weigh = steering.weigh(sample)
        asked = Question(scout.coef(point), weigh, steering.lens, scout.curved, scout.squared)
        answer = poll.ask(asked)
        tally = answer.tally
        steering.learn(tally, sample)
        heard = weigh.weights(sample)
        step = scout.step(point, heard, answer, ridge, norm_bound)
        value = steering.value(tally) + ridge * point.squared_norm
        foreseen = steering.settled(tally)
        course.arrive(_Visit(point, step, value, foreseen))
        report(Progress(course.iteration, max_iter, value, course.exchanged(heard, scout.part)))
        settled = foreseen and step.fall <= enough * abs(value)
        if settled or course.stuck or course.iteration >= max_iter:
            break
        course.choose(scout, norm_bound)
        if slot is not None:
            slot.note(systems)
    best = course.better()
    if best is not None and not settled:
        # The last function was a step too far: the one before it is asked about again.
        point, value, step = best.point, best.value, best.step
        sample = scout.hear(point)
        weigh = steering.weigh(sample)
        tally = poll.ask(Question(scout.coef(point), weigh, steering.lens)).tally
        steering.learn(tally, sample)
    converged = settled or (course.stuck and step.fall <= 100.0 * enough * abs(value))
    outcome = Outcome(point, tally, course.path, course.iteration, converged)
    return (
        replace(outcome, tally=look_closely(poll, scout, steering, outcome)) if exact else outcome
    )


def look_closely(poll: Poll, scout: Scout, steering: Steering, outcome: Outcome) -> Tally:
    """What all rows say to the last function, seen so closely that thresholds are exact."""
    tally, sample = outcome.tally, scout.hear(outcome.fit)
    steering.learn(tally, sample)
    for _ in range(LAST_LOOKS):
        if steering.exact(tally):
            break
        weigh = steering.narrowed()
        tally = poll.ask(Question(scout.coef(outcome.fit), weigh, steering.lens)).tally
        steering.learn(tally, sample)
    return tally


@final
class Course:
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
        self._heard: FloatArray | None = None
        self._ahead = Extrapolation(n_sample)
        self._best: _Visit | None = None
        self._last: _Visit | None = None
        self._leapt = False
        self._idle = 0

    @property
    def stuck(self) -> bool:
        """Whether no function was better than an earlier one for long."""
        return self._idle >= PATIENCE

    def arrive(self, visit: _Visit) -> None:
        """Rows have been asked."""
        self.iteration += 1
        self.path.append(visit.value)
        self._last = visit

    def exchanged(self, heard: FloatArray, part: float) -> int:
        """Rows that weigh otherwise than under the last function, by what the sample says."""
        before, self._heard = self._heard, heard
        return 0 if before is None else round(np.count_nonzero(heard != before) / part)

    def better(self) -> _Visit | None:
        """An earlier function that was better than the last, if there is one."""
        last, best = self._last, self._best
        worse = last is not None and best is not None and self._worse(last, best)
        return best if worse else None

    def choose(self, scout: Scout, norm_bound: float | None) -> None:
        """Where to go next."""
        visit, best = self._last, self._best
        assert visit is not None
        if best is not None and self._worse(visit, best):
            self._idle += 1
            self._ahead.forget()
            self.point = best.step.target if self._leapt else _between(best, visit, scout)
            self._leapt = False
            return
        better = best is None or visit.fall < 0.9 * best.fall
        self._idle = 0 if better else self._idle + 1
        self._best = visit
        if not visit.foreseen and self.hard:
            self._ahead.forget()
        proposal = self._ahead.propose(visit.point, visit.step.target)
        self._leapt = proposal is not None
        self.point = visit.step.target
        if proposal is not None:
            self.point = project(scout.fit(scout.coef(proposal)), norm_bound)

    def remember(self) -> dict[str, FloatArray]:
        """All that the next step depends on, by name."""
        state = pack("point", self.point) | {
            "path": np.array(self.path),
            "counts": np.array([self.iteration, self._idle, int(self._leapt)]),
        }
        if self._best is not None:
            best = self._best
            state |= pack("best", best.point) | pack("next", best.step.target)
            state["best_numbers"] = np.array([best.value, best.fall, float(best.foreseen)])
            state["best_gradient"] = best.step.gradient
        return state | self._ahead.remember()

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Go on from there."""
        self.point = unpack("point", state)
        self.path = state["path"].tolist()
        self.iteration, self._idle, leapt = (int(x) for x in state["counts"])
        self._leapt = bool(leapt)
        if "best_gradient" in state:
            value, fall, foreseen = (float(x) for x in state["best_numbers"])
            step = Step(unpack("next", state), fall, state["best_gradient"])
            self._best = _Visit(unpack("best", state), step, value, bool(foreseen))
        self._ahead.restore(state)

    def _worse(self, visit: _Visit, best: _Visit) -> bool:
        if not best.foreseen:
            return False
        if not self.comparable:
            return not visit.fall <= WORSE * best.fall
        rose = not visit.value <= best.value + ROUNDING * abs(best.value)
        return rose and not visit.fall <= best.fall


def _between(best: _Visit, visit: _Visit, scout: Scout) -> Fit:
    """Where the slope from one to the other would vanish if it were linear."""
    coef = scout.coef(best.point)
    way = scout.coef(visit.point) - coef
    here, there = float(np.vdot(best.step.gradient, way)), float(np.vdot(visit.step.gradient, way))
    part = -here / (there - here) if there > here else 0.5
    return scout.fit(coef + min(max(part, 0.02), 0.7) * way)
