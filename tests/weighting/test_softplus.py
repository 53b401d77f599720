"""Softplus is trimming with a soft edge: sigmoid weights, and trimming itself in the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

cases = {
    "losses": st.lists(st.floats(0.0, 10.0), min_size=2, max_size=9).map(np.array),
    "fraction": st.floats(0.05, 0.9),
    "smoothing": st.floats(0.1, 20.0),
}


@given(**cases)
@settings(max_examples=25)
def test_weights_are_sigmoids_around_the_threshold(losses, fraction, smoothing):
    rule, ones = Softplus(fraction, smoothing), np.ones(len(losses))
    t = rule.threshold(losses, ones)
    expected = 1 / (1 + np.exp(-smoothing * (t - losses)))
    np.testing.assert_allclose(rule.weights(losses, ones), expected, rtol=1e-9)


@given(**cases)
@settings(max_examples=25)
def test_value_is_the_largest_over_thresholds(losses, fraction, smoothing):
    rule, ones = Softplus(fraction, smoothing), np.ones(len(losses))

    def dual(t):
        soft = np.logaddexp(0.0, smoothing * (t - losses)) / smoothing
        return rule.kept_total(ones) * t - soft.sum()

    margin = 50 / smoothing
    best = minimize_scalar(
        lambda t: -dual(t), bounds=(losses.min() - margin, losses.max() + margin), method="bounded"
    )
    value = rule.value(losses, ones)
    assert value >= -best.fun - 1e-8
    np.testing.assert_allclose(dual(rule.threshold(losses, ones)), value, rtol=1e-8, atol=1e-8)


@given(**cases)
@settings(max_examples=25)
def test_value_lies_below_trimming_by_at_most_the_entropy(losses, fraction, smoothing):
    # Each row's share p costs an entropy of at most log 2, in units of 1 / smoothing.
    ones = np.ones(len(losses))
    gap = Trimmed(fraction).value(losses, ones) - Softplus(fraction, smoothing).value(losses, ones)
    assert -1e-9 <= gap <= len(losses) * np.log(2) / smoothing + 1e-9


@pytest.mark.parametrize("fraction", [0.2, 0.35, 0.5])
def test_tends_to_trimming_as_smoothing_grows(fraction, rng):
    losses, sample_weight = rng.permutation(np.arange(10.0)), rng.random(10) + 0.5
    target = Trimmed(fraction)
    gaps = [
        np.abs(
            Softplus(fraction, smoothing).weights(losses, sample_weight)
            - target.weights(losses, sample_weight)
        ).max()
        for smoothing in (1.0, 10.0, 100.0, 1e4)
    ]
    assert (np.diff(gaps) <= 1e-9).all()
    assert gaps[-1] < 1e-6
    value = Softplus(fraction, 1e6).value(losses, sample_weight)
    np.testing.assert_allclose(value, target.value(losses, sample_weight), atol=1e-4)


def test_tends_to_equal_weights_as_smoothing_vanishes(rng):
    weights = Softplus(0.3, 1e-6).weights(rng.random(20), np.ones(20))
    np.testing.assert_allclose(weights, 0.7, atol=1e-5)


def test_rows_that_tie_are_kept_alike_whatever_the_smoothing():
    losses = np.array([1.0, 2.0, 2.0, 2.0])
    for smoothing in (0.1, 10.0, 1e4):
        weights = Softplus(0.5, smoothing).weights(losses, np.ones(4))
        np.testing.assert_allclose(weights[1:], weights[1])


def test_threshold_is_infinite_without_trimming(rng):
    assert Softplus(0.0, 1.0).threshold(rng.random(5), np.ones(5)) == np.inf
