import numpy as np
import pytest

from untaint.report.histogram import score_histogram
from untaint.report.symlog_axis import bent_axis


@pytest.mark.parametrize("cut", [1.0, 3.3, 1e4, -5.0, np.inf, np.nan])
def test_every_row_is_counted_once(rng, cut):
    scores = np.append(rng.gamma(2.0, 1.0, 5000), [1e3, 1e6, np.inf, np.nan])
    drawn = score_histogram(scores, cut)
    assert sum(drawn["counts"]) == 5003
    assert np.all(np.diff(drawn["edges"]) > 0)


def test_the_cut_parts_two_bars(rng):
    scores = rng.gamma(2.0, 1.0, 5000)
    drawn = score_histogram(scores, 4.321)
    bar = drawn["edges"].index(4.321)
    assert sum(drawn["counts"][bar:]) == (scores >= 4.321).sum()


@pytest.mark.parametrize("value", [0.0, 7.5, -1e9, 1e-12])
def test_a_single_score_has_a_bar(value):
    drawn = score_histogram(np.full(9, value), value)
    assert sum(drawn["counts"]) == 9 and max(drawn["counts"]) == 9


def test_no_score_is_no_bar():
    assert sum(score_histogram(np.array([]), 1.0)["counts"]) == 0
    assert sum(score_histogram(np.array([np.nan]), np.nan)["counts"]) == 0


def test_enormous_scores_leave_room_for_the_others(rng):
    scores = np.append(rng.gamma(2.0, 1.0, 5000), [1e9])
    axis = bent_axis(scores, 6.0)
    assert axis.place(np.array(6.0)) > 0.02 * axis.place(np.array(1e9))


def test_values_and_places_are_inverse(rng):
    axis = bent_axis(np.append(rng.normal(size=100), 1e5), 2.0)
    values = np.array([axis.low, 0.0, axis.bend, 100.0, axis.high])
    np.testing.assert_allclose(axis.value(axis.place(values)), values, rtol=1e-9, atol=1e-9)
