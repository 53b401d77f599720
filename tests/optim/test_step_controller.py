"""Safeguarded steps: when a step is taken, extrapolated or taken back."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from untaint.optim.base import Fit
from untaint.optim.subsampled_c_steps import PATIENCE, SubsampledSteps
from untaint.optim.subsampled_newton import Iterate


class Memoryless:
    """A strategy or a system without a state."""

    def __init__(self, **options):
        self.__dict__.update(options)

    def state_dict(self):
        return {}

    def load_state_dict(self, state):
        assert state == {}


class Line(Memoryless):
    """Functions of one coefficient, which is also their value at the only row."""

    def coef(self, fit):
        return fit.coef

    def fit(self, coef):
        return at(float(coef[0, 0]))


def at(x):
    return Fit(np.array([[x]]), np.zeros(1), np.array([[x]]), x * x)


def steps(x=0.0, comparable=True, hard=False, norm_bound=None, min_decrease=0.0):
    strategy = Memoryless(comparable=comparable, hard=hard)
    return SubsampledSteps(
        SimpleNamespace(), Line(), strategy, at(x), 1.0, min_decrease=min_decrease,
        norm_bound=norm_bound,
    )  # fmt: skip


def iterate(x, target, value=1.0, predicted_decrease=1.0, gradient=-1.0, reliable=True):
    gradient = np.array([[gradient]])
    return Iterate(at(x), at(target), gradient, predicted_decrease, value, reliable)


def where(process):
    return float(process.point.coef[0, 0])


def visited(*visits, **options):
    """A process that has accepted each of these, and advanced."""
    process = steps(**options)
    for each in visits:
        process.accept(each)
        process.advance()
    return process


def test_the_first_step_is_taken_as_it_is():
    assert where(visited(iterate(0.0, 2.0))) == 2.0


def test_later_steps_are_extrapolated_to_where_the_sequence_is_heading():
    # From 0 to 4 and from 4 to 6: halving ends at 8.
    process = visited(iterate(0.0, 4.0), iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5))
    assert where(process) == pytest.approx(8.0)


def test_an_extrapolation_stays_within_the_ball():
    second = iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5)
    assert where(visited(iterate(0.0, 4.0), second, norm_bound=7.0)) == pytest.approx(7.0)


def test_after_an_extrapolation_too_far_the_plain_step_is_taken():
    process = visited(
        iterate(0.0, 4.0),
        iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5),
        iterate(8.0, 7.0, value=2.0, predicted_decrease=2.0),
    )
    assert where(process) == 6.0


def test_after_a_step_too_far_it_goes_back_to_where_the_slope_vanishes():
    # The slope is -1 at 0 and 3 at 4: it vanishes at 1.
    process = visited(
        iterate(0.0, 4.0), iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    )
    assert where(process) == pytest.approx(1.0)


def test_after_a_failure_the_sequence_begins_anew():
    failure = iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    process = visited(
        iterate(0.0, 4.0), failure, iterate(1.0, 1.5, value=0.5, predicted_decrease=0.5)
    )
    assert where(process) == 1.5


@pytest.mark.parametrize(("hard", "reliable", "end"), [(True, False, 6.0), (False, False, 8.0)])
def test_unreliable_hard_weights_are_not_extrapolated_from(hard, reliable, end):
    second = iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5, reliable=reliable)
    assert where(visited(iterate(0.0, 4.0), second, hard=hard)) == pytest.approx(end)


@pytest.mark.parametrize(
    ("here", "there", "part"),
    [(-1.0, 3.0, 0.25), (-1.0, 1.0, 0.5), (-1.0, -1.0, 0.5), (-1.0, -2.0, 0.5)],
)
def test_the_way_back_is_by_the_secant(here, there, part):
    worse = iterate(6.0, 7.0, value=2.0, predicted_decrease=2.0, gradient=there)
    process = visited(iterate(2.0, 6.0, gradient=here), worse, x=2.0)
    assert where(process) == pytest.approx(2.0 + 4.0 * part)


@pytest.mark.parametrize(("here", "there"), [(-1.0, 1e-3), (-1e-6, 3.0)])
def test_the_way_back_is_neither_all_of_the_step_nor_nothing(here, there):
    worse = iterate(6.0, 7.0, value=2.0, predicted_decrease=2.0, gradient=there)
    assert 2.0 < where(visited(iterate(2.0, 6.0, gradient=here), worse, x=2.0)) < 5.0


@pytest.mark.parametrize(
    ("value", "predicted_decrease", "comparable", "worse"),
    [
        (1.1, 2.0, True, True),
        (1.1, 1.0, True, False),  # as much is left to be gained: not worse than it was
        (1.0, 2.0, True, False),
        (1.0 + 1e-12, 2.0, True, False),
        (1.0 + 1e-4, 2.0, True, True),
        (np.nan, 2.0, True, True),
        (0.5, 1.5, False, False),
        (0.5, 50.0, False, True),
        (9.0, 1.0, False, False),
        (0.5, np.nan, False, True),
    ],
)
def test_a_step_fails_when_objective_and_predicted_decrease_say_so(
    value, predicted_decrease, comparable, worse
):
    # Back by the secant if it fails, on by Anderson's extrapolation if not.
    second = iterate(4.0, 6.0, value=value, predicted_decrease=predicted_decrease, gradient=3.0)
    process = visited(iterate(0.0, 4.0), second, comparable=comparable)
    assert where(process) == pytest.approx(1.0 if worse else 8.0)


def test_an_unreliable_function_is_not_gone_back_to():
    second = iterate(4.0, 6.0, value=9.0, predicted_decrease=9.0, gradient=3.0)
    assert where(visited(iterate(0.0, 4.0, reliable=False), second)) == pytest.approx(8.0)


def test_stops_after_so_many_functions_without_progress():
    same = iterate(1.0, 1.0)
    for count in range(1, PATIENCE + 3):
        assert visited(*[same] * count).stopped is (count > PATIENCE)


def test_failures_count_as_no_progress():
    failure = iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    for count in range(PATIENCE + 2):
        assert visited(iterate(0.0, 4.0), *[failure] * count).stopped is (count >= PATIENCE)


def test_progress_is_a_predicted_decrease_that_shrinks():
    def falls(factor):
        return [iterate(0.0, 1.0, predicted_decrease=factor**i) for i in range(PATIENCE + 2)]

    assert not visited(*falls(0.5)).stopped
    assert visited(*falls(0.99)).stopped


def test_the_path_is_of_all_values():
    process = visited(iterate(0.0, 1.0, value=3.0), iterate(1.0, 2.0, value=2.0))
    assert process.path == [3.0, 2.0]


@pytest.mark.parametrize(
    ("predicted_decrease", "reliable", "stopped"),
    [(1e-6, True, True), (1e-6, False, False), (1e-4, True, False)],
)
def test_stops_where_a_reliable_step_brings_too_little(predicted_decrease, reliable, stopped):
    process = steps(min_decrease=1e-5)
    process.accept(iterate(0.0, 1.0, predicted_decrease=predicted_decrease, reliable=reliable))
    assert process.stopped is stopped


@pytest.mark.parametrize("count", range(1, 4))
def test_resumes_from_its_state(count):
    visits = [
        iterate(0.0, 4.0),
        iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5),
        iterate(8.0, 7.0, value=2.0, predicted_decrease=2.0),
        iterate(6.0, 6.5, value=0.4, predicted_decrease=0.2),
        iterate(6.7, 6.6, value=0.9, predicted_decrease=0.9, gradient=2.0),
    ]
    process, other = visited(*visits[:count]), steps(-3.0)
    other.load_state_dict(process.state_dict())
    for each in visits[count:]:
        assert where(other) == where(process)
        assert other.path == process.path
        for one in (process, other):
            one.accept(each)
            one.advance()
        assert other.stopped == process.stopped
    assert where(other) == where(process)
