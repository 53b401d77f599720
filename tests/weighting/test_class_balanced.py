"""Balanced trimming equals trying every choice of rows; ties, floors and thresholds by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import selection as naive
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.trimmed import Trimmed

# A step from n to n + 1 rows costs log(n + 1/2) but for Stirling's remainder, of a class in all:
STIRLING = 0.04


@st.composite
def labelled(draw):
    n_groups = draw(st.integers(1, 3))
    sizes = draw(st.lists(st.integers(2, 4), min_size=n_groups, max_size=n_groups))
    groups = np.repeat(np.arange(n_groups), sizes)
    losses = draw(
        st.lists(st.floats(0.0, 4.0), min_size=len(groups), max_size=len(groups)).map(np.array)
    )
    least = max(n_groups + 1, len(groups) // 2 + 1)
    return groups, n_groups, losses, draw(st.integers(least, len(groups)))


@given(frame=labelled())
@settings(max_examples=50)
def test_equals_the_best_of_all_subsets(frame):
    groups, n_groups, losses, count = frame
    n = len(losses)
    rule = ClassBalanced(1 - count / n, groups, n_groups)
    choices = naive.balanced_choices(losses, groups, n_groups, count)
    best = choices[0][0]
    value = rule.value(losses, np.ones(n))
    # Rows that tie are kept in part, which the convex second sum makes no dearer.
    assert best - 1e-9 <= value + n_groups * STIRLING
    assert value <= best + n_groups * STIRLING
    if len(choices) == 1 or choices[1][0] > best + n_groups * STIRLING:
        np.testing.assert_array_equal(rule.weights(losses, np.ones(n)), choices[0][1])


@given(frame=labelled(), seed=st.integers(0, 999))
@settings(max_examples=25)
def test_no_other_weights_do_better_where_rows_may_be_cut(frame, seed):
    groups, n_groups, losses, _ = frame
    rng = np.random.default_rng(seed)
    sample_weight = rng.random(len(losses)) + 0.5
    rule = ClassBalanced(0.3, groups, n_groups)
    value = rule.value(losses, sample_weight)
    best = rule.weights(losses, sample_weight)
    least = 0.99 * np.bincount(groups, best)
    for _ in range(20):
        other = rng.random(len(losses)) * sample_weight
        other = best + rng.random() * (other * best.sum() / other.sum() - best)
        inside = (other <= sample_weight).all() and (np.bincount(groups, other) >= least).all()
        if inside:
            cost = other @ losses + naive.negative_entropy(groups, n_groups, other)
            assert value <= cost + 1e-9 * (1 + abs(cost))


@given(frame=labelled())
@settings(max_examples=25)
def test_value_is_that_of_the_weights(frame):
    groups, n_groups, losses, _ = frame
    ones = np.ones(len(losses))
    rule = ClassBalanced(0.25, groups, n_groups)
    weights = rule.weights(losses, ones)
    expected = weights @ losses + naive.negative_entropy(groups, n_groups, weights)
    np.testing.assert_allclose(rule.value(losses, ones), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.45])
def test_classes_meet_at_one_level_where_rows_may_be_cut(fraction, rng):
    # Where a class is cut inside a row, that row's loss and the class's size make t.
    groups, losses = np.repeat([0, 1, 2], 20), rng.exponential(size=60)
    sample_weight = rng.random(60) + 0.5
    rule = ClassBalanced(fraction, groups, 3)
    weights = rule.weights(losses, sample_weight)
    totals = rule.totals(losses, sample_weight)
    np.testing.assert_allclose(np.bincount(groups, weights), totals, rtol=1e-9)
    worth = losses + np.log(totals)[groups]
    whole, trimmed = weights >= sample_weight * (1 - 1e-9), weights <= 1e-9
    cut = ~whole & ~trimmed
    level = worth[cut]
    assert len(level) > 0
    np.testing.assert_allclose(level, level[0], rtol=1e-9)
    assert worth[whole].max() <= level[0] + 1e-9
    assert worth[trimmed].min() >= level[0] - 1e-9


def test_errors_that_all_went_one_way_are_trimmed_where_they_went():
    # Class 1 received fifteen rows that do not look like it; class 0 only lost them.
    groups = np.r_[np.zeros(25, dtype=int), np.ones(55, dtype=int)]
    losses = np.full(80, 0.1)
    losses[65:] = 3.0
    weights = ClassBalanced(15 / 80, groups, 2).weights(losses, np.ones(80))
    np.testing.assert_array_equal(weights, losses < 1.0)


def test_a_rare_class_is_not_trimmed_though_it_fits_worst():
    groups = np.r_[np.zeros(95, dtype=int), np.ones(5, dtype=int)]
    losses = np.r_[np.linspace(0.0, 0.5, 95), np.linspace(1.5, 2.0, 5)]
    ones = np.ones(100)
    plain = Trimmed(0.1).weights(losses, ones)
    balanced = ClassBalanced(0.1, groups, 2).weights(losses, ones)
    assert plain[95:].sum() == 0
    assert balanced[95:].sum() == 5


@pytest.mark.parametrize("huge", [50.0, 1e4, np.inf])
def test_part_of_a_class_with_huge_losses_stays(huge, rng):
    groups = np.r_[np.zeros(100, dtype=int), np.ones(40, dtype=int)]
    losses = np.where(groups == 1, huge, rng.random(140))
    weights = ClassBalanced(0.4, groups, 2).weights(losses, np.ones(140))
    assert 0 < weights[100:].sum() < 40
    np.testing.assert_allclose(weights.sum(), 84.0)


def test_one_row_of_each_class_may_be_all_that_is_kept():
    rule = ClassBalanced(0.45, np.array([0, 0, 1, 1]), 2)
    weights = rule.weights(np.array([0.1, 3.0, 4.0, 0.2]), np.ones(4))
    np.testing.assert_array_equal(weights, [1.0, 0.0, 0.0, 1.0])


def test_large_losses_are_compared_with_the_least_of_them(rng):
    groups, losses = np.arange(20) % 2, 10 * rng.random(20)
    rule = ClassBalanced(0.3, groups, 2)
    near = rule.weights(losses, np.ones(20))
    np.testing.assert_array_equal(rule.weights(1000.0 + losses, np.ones(20)), near)


def test_rows_of_a_class_that_tie_share_what_is_left():
    groups, losses = np.array([0, 0, 0, 0, 1, 1]), np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    weights = ClassBalanced(0.34, groups, 2).weights(losses, np.ones(6))  # 3 of 6
    np.testing.assert_allclose(weights[:4], weights[0])
    np.testing.assert_allclose(weights.sum(), 3.0)


def test_thresholds_are_the_largest_kept_losses(rng):
    groups, losses, ones = np.arange(60) % 3, rng.random(60), np.ones(60)
    rule = ClassBalanced(0.3, groups, 3)
    kept = rule.weights(losses, ones) > 0
    expected = [losses[kept & (groups == k)].max() for k in range(3)]
    np.testing.assert_array_equal(rule.class_thresholds(losses, ones), expected)
    assert rule.threshold(losses, ones) == Trimmed(0.3).threshold(losses, ones)


def test_one_threshold_serves_all_rows_of_a_rule_without_classes(rng):
    losses, ones = rng.random(10), np.ones(10)
    rule = Trimmed(0.3)
    thresholds = rule.class_thresholds(losses, ones)
    np.testing.assert_array_equal(thresholds, [rule.threshold(losses, ones)])
    assert rule.among(np.arange(3)) is rule
