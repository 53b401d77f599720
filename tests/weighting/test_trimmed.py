"""Trimming equals trying every choice of rows; ties and the boundary row by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import selection as naive
from untaint.weighting.trimmed import Trimmed


@given(
    losses=st.lists(st.floats(0.0, 10.0), min_size=2, max_size=9).map(np.array),
    data=st.data(),
)
@settings(max_examples=25)
def test_equals_the_best_of_all_subsets(losses, data):
    n = len(losses)
    count = data.draw(st.integers(1, n))
    rule = Trimmed(contamination=1 - count / n)
    np.testing.assert_allclose(
        rule.value(losses, np.ones(n)), naive.smallest_sum(losses, count), rtol=1e-12, atol=1e-12
    )
    weights = rule.weights(losses, np.ones(n))
    assert np.count_nonzero(weights) >= count
    np.testing.assert_allclose(weights @ losses, naive.smallest_sum(losses, count), atol=1e-12)


@given(
    losses=st.lists(st.floats(0.0, 10.0), min_size=2, max_size=7).map(np.array),
    fraction=st.floats(0.0, 0.9),
    data=st.data(),
)
@settings(max_examples=25)
def test_equals_the_best_of_all_subsets_with_a_fractional_row(losses, fraction, data):
    elements = st.one_of(st.integers(1, 3).map(float), st.floats(0.1, 3.0))
    sample_weight = np.array(
        data.draw(st.lists(elements, min_size=len(losses), max_size=len(losses)))
    )
    rule = Trimmed(fraction)
    kept = naive.kept_total(fraction, sample_weight)
    expected = naive.smallest_weighted_sum(losses, sample_weight, kept)
    np.testing.assert_allclose(rule.value(losses, sample_weight), expected, rtol=1e-9, atol=1e-9)


@given(
    losses=st.lists(st.integers(0, 3).map(float), min_size=2, max_size=8).map(np.array),
    fraction=st.floats(0.0, 0.9),
)
@settings(max_examples=25)
def test_value_is_the_largest_over_thresholds(losses, fraction):
    # The dual form, eq. (7): a concave function of t with its kinks at the losses.
    rule, ones = Trimmed(fraction), np.ones(len(losses))

    def dual(t):
        return rule.kept_total(ones) * t - np.maximum(t - losses, 0.0).sum()

    value = rule.value(losses, ones)
    np.testing.assert_allclose(value, max(dual(t) for t in losses), atol=1e-9)
    np.testing.assert_allclose(dual(rule.threshold(losses, ones)), value, atol=1e-9)


@pytest.mark.parametrize("n", [10, 100, 1000, 12345])
@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.2, 0.3, 0.45])
def test_keeps_exactly_the_asked_number_of_rows(n, fraction, rng):
    weights = Trimmed(fraction).weights(rng.random(n), np.ones(n))
    assert np.count_nonzero(weights) == weights.sum() == int((1 - fraction) * n + 1e-6)


def test_no_sliver_of_a_further_row_is_kept():
    weights = Trimmed(0.45).weights(np.arange(100.0), np.ones(100))
    np.testing.assert_array_equal(weights, np.arange(100) < 55)


def test_no_row_is_kept_in_part_where_rows_can_be_counted():
    weights = Trimmed(0.3).weights(np.array([5.0, 1.0, 3.0, 2.0]), np.ones(4))
    np.testing.assert_array_equal(weights, [0.0, 1.0, 0.0, 1.0])


def test_a_weighted_row_on_the_boundary_is_kept_in_part():
    losses = np.array([5.0, 1.0, 3.0, 2.0])
    whole = Trimmed(0.3).weights(losses, np.array([4.0, 1.0, 3.0, 1.0]))  # 6 of 9
    np.testing.assert_allclose(whole, [1.0, 1.0, 3.0, 1.0])
    parts = Trimmed(0.5).weights(losses, np.array([1.0, 0.5, 1.0, 0.5]))  # 1.5 of 3
    np.testing.assert_allclose(parts, [0.0, 0.5, 0.5, 0.5])


def test_rows_that_tie_at_the_boundary_share_what_is_left():
    losses = np.array([2.0, 2.0, 1.0, 9.0, 2.0])
    sample_weight = np.array([1.0, 2.0, 1.0, 1.0, 3.0])
    weights = Trimmed(0.5).weights(losses, sample_weight)  # 4 of 8: 1, then 3 of the 6 that tie
    np.testing.assert_allclose(weights, [0.5, 1.0, 1.0, 0.0, 1.5])


def test_ties_below_the_boundary_are_kept_in_full():
    weights = Trimmed(0.25).weights(np.array([1.0, 1.0, 1.0, 2.0]), np.ones(4))
    np.testing.assert_array_equal(weights, [1.0, 1.0, 1.0, 0.0])


def test_threshold_is_the_largest_kept_loss(rng):
    losses = rng.random(50)
    for sample_weight in (np.ones(50), rng.random(50) + 0.1):
        rule = Trimmed(0.2)
        kept = rule.weights(losses, sample_weight) > 0
        assert rule.threshold(losses, sample_weight) == losses[kept].max()


def test_equal_weights_take_the_same_rows_as_weights_that_differ_by_a_hair(rng):
    losses, nearly = rng.random(40), np.ones(40)
    nearly[3] += 1e-13
    np.testing.assert_allclose(
        Trimmed(0.15).weights(losses, np.ones(40)),
        Trimmed(0.15).weights(losses, nearly),
        atol=1e-9,
    )


def test_a_row_of_no_weight_changes_nothing():
    rule, losses = Trimmed(0.5), np.array([3.0, 1.0, 2.0, 0.5])
    sample_weight = np.array([1.0, 1.0, 1.0, 0.0])
    np.testing.assert_allclose(rule.weights(losses, sample_weight), [0.0, 1.0, 0.0, 0.0])
    assert rule.value(losses, sample_weight) == 1.0


def test_trimmed_losses_may_be_infinite():
    losses = np.array([np.inf, 1.0, 2.0, np.inf])
    rule = Trimmed(0.5)
    np.testing.assert_array_equal(rule.weights(losses, np.ones(4)), [0.0, 1.0, 1.0, 0.0])
    assert rule.value(losses, np.ones(4)) == 3.0
    assert rule.threshold(losses, np.ones(4)) == 2.0
