"""Few rows that stand for all: one from each of as many equal parts, by weight."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.design.subsample import draw_rows


@given(n=st.integers(1, 500), count=st.integers(1, 500), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_rows_are_ascending_and_as_many_as_asked_for(n, count, seed):
    for weights in (np.ones(n), 0.01 + np.random.default_rng(seed).random(n)):
        rows = draw_rows(weights, count)
        assert len(rows) == min(n, count)
        assert (np.diff(rows) >= 0).all()
        assert rows[0] >= 0
        assert rows[-1] < n


def test_rows_of_equal_weight_come_once():
    rows = draw_rows(np.ones(20_001), 20_000)
    assert len(np.unique(rows)) == 20_000


def test_few_rows_are_all_taken_whatever_they_weigh():
    np.testing.assert_array_equal(draw_rows(np.array([5.0, 0.1, 1.0]), 3), [0, 1, 2])


def test_each_part_sends_one_row_where_weights_differ():
    weights = np.ones(1000)
    weights[-1] = 1.001
    rows = draw_rows(weights, 100)
    np.testing.assert_array_equal(rows // 10, np.arange(100))


@pytest.mark.parametrize("period", [2, 5, 10, 100])
def test_a_period_in_the_rows_is_not_met_in_step(period):
    rows = draw_rows(np.ones(100_000), 10_000)
    fractions = np.bincount(rows % period, minlength=period) / 10_000
    assert fractions.max() < 1.0 / period + 4 * np.sqrt(1.0 / period / 10_000)


def test_rows_come_in_proportion_to_their_weights():
    weights = np.r_[np.full(5000, 1.0), np.full(5000, 3.0)]
    rows = draw_rows(weights, 1000)
    assert np.mean(rows >= 5000) == pytest.approx(0.75, abs=0.002)


def test_a_row_that_stands_for_many_comes_several_times():
    weights = np.ones(100)
    weights[40] = 900.0
    assert np.count_nonzero(draw_rows(weights, 50) == 40) in (45, 46)


def test_a_row_without_weight_never_comes():
    weights = np.ones(1000)
    weights[::2] = 0.0
    assert (draw_rows(weights, 300) % 2 == 1).all()


def test_a_unit_of_weight_means_nothing():
    weights = np.random.default_rng(0).random(1000)
    np.testing.assert_array_equal(draw_rows(weights, 100), draw_rows(64.0 * weights, 100))


def test_the_draw_is_the_same_each_time_and_leaves_other_draws_alone():
    np.random.seed(3)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    np.testing.assert_array_equal(draw_rows(np.ones(999), 50), draw_rows(np.ones(999), 50))
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
