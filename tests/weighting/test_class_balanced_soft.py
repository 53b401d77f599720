"""The soft rule: sigmoids around thresholds that meet, and the hard rule in the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import selection as naive
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced


def frame(seed, n_groups=3, n=40):
    rng = np.random.default_rng(seed)
    groups = np.r_[np.arange(n_groups), rng.integers(0, n_groups, size=n - n_groups)]
    return rng, groups, rng.exponential(size=n) * rng.choice([0.3, 1.0, 4.0])


cases = {
    "seed": st.integers(0, 999),
    "fraction": st.floats(0.05, 0.45),
    "smoothing": st.floats(0.2, 5.0),
    "whole": st.booleans(),
}


def weighted(rng, whole, n=40):
    return rng.integers(1, 4, size=n).astype(float) if whole else rng.random(n) + 0.1


@given(**cases)
@settings(max_examples=25)
def test_weights_are_sigmoids_around_thresholds_that_meet(seed, fraction, smoothing, whole):
    rng, groups, losses = frame(seed)
    sample_weight = weighted(rng, whole)
    rule = SoftClassBalanced(fraction, groups, 3, smoothing)
    s = rule.class_thresholds(losses, sample_weight)
    weights = rule.weights(losses, sample_weight)
    expected = sample_weight / (1 + np.exp(-smoothing * (s[groups] - losses)))
    np.testing.assert_allclose(weights, expected, rtol=1e-9)
    level = s + np.log(np.bincount(groups, weights))
    np.testing.assert_allclose(level, level[0], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(weights.sum(), rule.kept_total(sample_weight), rtol=1e-9)


def cost(rule, losses, sample_weight, weights):
    part = weights / sample_weight
    with np.errstate(divide="ignore", invalid="ignore"):
        coins = -np.nan_to_num(part * np.log(part) + (1 - part) * np.log(1 - part))
    entropy_cost = naive.negative_entropy(rule.groups, rule.n_groups, weights)
    return weights @ losses + entropy_cost - sample_weight @ coins / rule.smoothing


@given(**cases)
@settings(max_examples=25)
def test_no_other_weights_do_better(seed, fraction, smoothing, whole):
    rng, groups, losses = frame(seed)
    sample_weight = weighted(rng, whole)
    rule = SoftClassBalanced(fraction, groups, 3, smoothing)
    weights = rule.weights(losses, sample_weight)
    value = rule.value(losses, sample_weight)
    np.testing.assert_allclose(value, cost(rule, losses, sample_weight, weights), rtol=1e-9)
    for _ in range(10):
        move = rng.normal(size=40)
        move -= move.mean()
        slack = np.where(move > 0, sample_weight - weights, weights) / np.maximum(
            np.abs(move), 1e-12
        )
        other = weights + rng.random() * slack.min() * move
        assert value <= cost(rule, losses, sample_weight, other) + 1e-9 * (1 + abs(value))


@pytest.mark.parametrize("fraction", [0.2, 0.35])
def test_tends_to_the_hard_rule_as_smoothing_grows(fraction, rng):
    # Losses well apart, in both classes: rows are cut nowhere near another one.
    groups = np.arange(20) % 2
    losses, sample_weight = rng.permutation(np.arange(20.0)) / 2, rng.random(20) + 0.5
    hard = ClassBalanced(fraction, groups, 2)
    gaps = [
        np.abs(
            SoftClassBalanced(fraction, groups, 2, smoothing).weights(losses, sample_weight)
            - hard.weights(losses, sample_weight)
        ).max()
        for smoothing in (0.5, 1.0, 2.0, 4.0, 8.0)
    ]
    assert (np.diff(gaps) < 0).all()
    assert gaps[-1] < 0.15


@given(seed=cases["seed"], fraction=cases["fraction"], smoothing=cases["smoothing"])
@settings(max_examples=25)
def test_value_lies_below_the_hard_one_by_at_most_the_entropy(seed, fraction, smoothing):
    # Fractions, where the hard rule cuts rows; but it keeps a part of each class, come what may.
    rng, groups, losses = frame(seed)
    sample_weight = weighted(rng, whole=False)
    hard = ClassBalanced(fraction, groups, 3).value(losses, sample_weight)
    soft = SoftClassBalanced(fraction, groups, 3, smoothing).value(losses, sample_weight)
    most = sample_weight.sum() * np.log(2) / smoothing
    assert soft <= hard + 1e-9 * (1 + abs(hard))
    assert (
        soft >= hard - most - 1e-9
        or ClassBalanced(fraction, groups, 3).totals(losses, sample_weight).min()
        <= 0.2 * np.bincount(groups, sample_weight).max()
    )


@pytest.mark.parametrize("smoothing", [20.0, 100.0, 1e4])
def test_however_sharp_the_edge_the_kept_total_is_the_one_asked_for(smoothing):
    for seed in range(30):
        _, groups, losses = frame(seed)
        rule = SoftClassBalanced(0.3, groups, 3, smoothing)
        weights = rule.weights(losses, np.ones(40))
        np.testing.assert_allclose(weights.sum(), 28.0, rtol=1e-8)


def test_rows_are_held_to_the_thresholds_of_their_classes(rng):
    groups, losses = np.arange(30) % 3, rng.random(30)
    rule = SoftClassBalanced(0.3, groups, 3, 1.0)
    weights = rule.weights(losses, np.ones(30))
    np.testing.assert_array_equal(
        weights >= 0.5, losses <= rule.class_thresholds(losses, np.ones(30))[groups]
    )


def test_the_weight_is_the_chance_that_a_label_is_right():
    # A third of the labels is drawn at random with the labels' own frequencies; features that
    # say nothing leave that third, features that say all leave none of the wrong.
    groups = np.repeat([0, 1], 50)
    unsure = SoftClassBalanced(1 / 3, groups, 2, 1.0).weights(np.full(100, np.log(2)), np.ones(100))
    np.testing.assert_allclose(unsure, 0.66)


def test_the_smoothing_stays_among_some_rows(rng):
    rule = SoftClassBalanced(0.3, np.arange(30) % 3, 3, 0.7)
    assert rule.among(np.arange(10)).smoothing == 0.7
