"""From function to function: when to go on, when to leap, when to go back."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.optim.base import Fit
from untaint.optim.subsampled_c_steps import Iterate, StepController, _secant_point
from untaint.optim.subsampled_newton import NewtonStep

# Written out: a test that borrows a number cannot notice that it has changed.
PATIENCE = 6


class Line:
    """Functions of one coefficient, which is also their value at the only row."""

    def coef(self, fit):
        return fit.coef

    def fit(self, coef):
        return at(float(coef[0, 0]))


def at(x):
    return Fit(np.array([[x]]), np.zeros(1), np.array([[x]]), x * x)


def iterate(x, target, value=1.0, predicted_decrease=1.0, gradient=-1.0, reliable=True):
    return Iterate(
        at(x), NewtonStep(at(target), predicted_decrease, np.array([[gradient]])), value, reliable
    )


def where(controller):
    return float(controller.point.coef[0, 0])


def visited(*visits, **options):
    """A course that chose after each of these."""
    controller = StepController(at(0.0), 1, **options)
    for each in visits:
        controller.accept(each)
        controller.advance(Line(), None)
    return controller


def test_the_first_step_is_taken_as_it_is():
    assert where(visited(iterate(0.0, 2.0))) == 2.0


def test_later_steps_lead_where_the_sequence_is_heading():
    # From 0 to 4 and from 4 to 6: halving ends at 8.
    controller = visited(iterate(0.0, 4.0), iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5))
    assert where(controller) == pytest.approx(8.0)


def test_a_leap_stays_within_the_ball():
    controller = StepController(at(0.0), 1)
    for each in (iterate(0.0, 4.0), iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5)):
        controller.accept(each)
        controller.advance(Line(), 7.0)
    assert where(controller) == pytest.approx(7.0)


def test_after_a_leap_too_far_the_plain_step_is_taken():
    controller = visited(
        iterate(0.0, 4.0),
        iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5),
        iterate(8.0, 7.0, value=2.0, predicted_decrease=2.0),
    )
    assert where(controller) == 6.0


def test_after_a_step_too_far_it_goes_back_to_where_the_slope_vanishes():
    # The slope is -1 at 0 and 3 at 4: it vanishes at 1.
    controller = visited(
        iterate(0.0, 4.0), iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    )
    assert where(controller) == pytest.approx(1.0)


def test_after_a_failure_the_sequence_begins_anew():
    failure = iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    controller = visited(
        iterate(0.0, 4.0), failure, iterate(1.0, 1.5, value=0.5, predicted_decrease=0.5)
    )
    assert where(controller) == 1.5


@pytest.mark.parametrize(("hard", "reliable", "end"), [(True, False, 6.0), (False, False, 8.0)])
def test_a_threshold_that_was_not_foreseen_misleads_a_hard_edge(hard, reliable, end):
    second = iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5, reliable=reliable)
    assert where(visited(iterate(0.0, 4.0), second, hard=hard)) == pytest.approx(end)


@pytest.mark.parametrize(
    ("here", "there", "part"),
    [
        (-1.0, 3.0, 0.25),
        (-1.0, 1.0, 0.5),
        (-1.0, 0.1, 0.7),
        (-0.01, 3.0, 0.02),
        (-1.0, -1.0, 0.5),
        (-1.0, -2.0, 0.5),
    ],
)
def test_the_way_back_is_by_the_secant_within_bounds(here, there, part):
    best, far = iterate(2.0, 5.0, gradient=here), iterate(6.0, 7.0, gradient=there)
    assert float(_secant_point(best, far, Line()).coef[0, 0]) == pytest.approx(2.0 + 4.0 * part)


@pytest.mark.parametrize(
    ("value", "predicted_decrease", "comparable", "worse"),
    [
        (1.1, 2.0, True, True),
        (1.1, 1.0, True, False),  # as much is left to be gained: not worse than it was
        (1.0, 2.0, True, False),
        (1.0 + 0.9e-8, 2.0, True, False),
        (1.0 + 1.1e-8, 2.0, True, True),
        (np.nan, 2.0, True, True),
        (0.5, 3.9, False, False),
        (0.5, 4.1, False, True),
        (9.0, 1.0, False, False),
        (0.5, np.nan, False, True),
    ],
)
def test_a_step_fails_when_objective_and_promise_say_so(
    value, predicted_decrease, comparable, worse
):
    controller = visited(iterate(0.0, 4.0), comparable=comparable)
    controller.accept(iterate(4.0, 6.0, value=value, predicted_decrease=predicted_decrease))
    assert (controller.better() is not None) is worse
    if worse:
        assert controller.better().value == 1.0


def test_what_was_not_foreseen_is_no_better():
    controller = visited(iterate(0.0, 4.0, reliable=False))
    controller.accept(iterate(4.0, 6.0, value=9.0, predicted_decrease=9.0))
    assert controller.better() is None


def test_before_a_second_function_none_is_better():
    controller = StepController(at(0.0), 1)
    assert controller.better() is None
    controller.accept(iterate(0.0, 4.0))
    assert controller.better() is None


def test_stuck_after_so_many_functions_without_progress():
    same = iterate(1.0, 1.0)
    for count in range(1, PATIENCE + 3):
        assert visited(*[same] * count).stuck is (count > PATIENCE)


def test_failures_count_as_no_progress():
    failure = iterate(4.0, 9.0, value=2.0, predicted_decrease=2.0, gradient=3.0)
    for count in range(PATIENCE + 2):
        assert visited(iterate(0.0, 4.0), *[failure] * count).stuck is (count >= PATIENCE)


def test_progress_is_a_promise_that_shrinks_by_a_tenth():
    def falls(factor):
        return [iterate(0.0, 1.0, predicted_decrease=factor**i) for i in range(PATIENCE + 2)]

    assert not visited(*falls(0.89)).stuck
    assert visited(*falls(0.91)).stuck


def test_the_path_is_of_all_values():
    controller = visited(iterate(0.0, 1.0, value=3.0), iterate(1.0, 2.0, value=2.0))
    assert controller.path == [3.0, 2.0]
    assert controller.iteration == 2


def test_exchanged_rows_are_counted_from_the_sample():
    controller = StepController(at(0.0), 1)
    assert controller.n_changed(np.array([1.0, 1.0, 0.0, 0.0]), 0.1) == 0
    assert controller.n_changed(np.array([1.0, 0.0, 0.5, 0.0]), 0.1) == 20
    assert controller.n_changed(np.array([1.0, 0.0, 0.5, 0.0]), 0.1) == 0


@pytest.mark.parametrize("count", range(4))
def test_goes_on_from_what_it_remembered(count):
    visits = [
        iterate(0.0, 4.0),
        iterate(4.0, 6.0, value=0.5, predicted_decrease=0.5),
        iterate(8.0, 7.0, value=2.0, predicted_decrease=2.0),
        iterate(6.0, 6.5, value=0.4, predicted_decrease=0.2),
        iterate(6.7, 6.6, value=0.9, predicted_decrease=0.9, gradient=2.0),
    ]
    controller, other = visited(*visits[:count]), StepController(at(-3.0), 1)
    other.load_state_dict(controller.state_dict())
    for each in visits[count:]:
        assert where(other) == where(controller)
        assert (other.path, other.iteration, other.stuck) == (
            controller.path,
            controller.iteration,
            controller.stuck,
        )
        for one in (controller, other):
            one.accept(each)
            one.advance(Line(), None)
    assert where(other) == where(controller)
