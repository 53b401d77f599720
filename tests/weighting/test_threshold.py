"""Weights by known thresholds are those of the rule that found them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.softplus import Softplus
from untaint.weighting.threshold import SampleLosses, ThresholdWeights
from untaint.weighting.trimmed import Trimmed

N = 60


def losses_of(losses, weights=None, groups=None, excluded=None):
    n = len(losses)
    return SampleLosses(
        losses,
        np.zeros((n, 1)),
        losses[:, None],
        np.ones(n) if weights is None else weights,
        np.zeros(n, dtype=int) if groups is None else groups,
        np.zeros(n, dtype=bool) if excluded is None else excluded,
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_a_hard_edge_keeps_what_trimming_keeps(share, rng):
    losses, rule = rng.exponential(size=N), Trimmed(share)
    threshold_weights = ThresholdWeights(rule.class_thresholds(losses, np.ones(N)))
    np.testing.assert_array_equal(
        threshold_weights.weights(losses_of(losses)), rule.weights(losses, np.ones(N))
    )


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_every_class_has_its_own_edge(share, rng):
    losses, groups = rng.exponential(size=N), rng.integers(0, 3, N)
    rule = ClassBalanced(share, groups, 3)
    threshold_weights = ThresholdWeights(rule.class_thresholds(losses, np.ones(N)))
    found = threshold_weights.weights(losses_of(losses, groups=groups))
    np.testing.assert_array_equal(found, rule.weights(losses, np.ones(N)))


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("smoothing", [0.5, 20.0])
def test_a_soft_edge_weighs_as_the_soft_rule(n_groups, smoothing, rng):
    losses, groups = rng.exponential(size=N), rng.integers(0, n_groups, N)
    weights = rng.integers(1, 4, N).astype(float)
    rule = Softplus(0.3, smoothing)
    if n_groups > 1:
        rule = SoftClassBalanced(0.3, groups, n_groups, smoothing)
    threshold_weights = ThresholdWeights(rule.class_thresholds(losses, weights), smoothing)
    found = threshold_weights.weights(losses_of(losses, weights, groups))
    np.testing.assert_allclose(found, rule.weights(losses, weights), rtol=1e-10)


@pytest.mark.parametrize("smoothing", [None, 2.0])
def test_each_row_is_weighed_by_itself(smoothing, rng):
    losses, weights = rng.exponential(size=N), rng.random(N)
    groups, excluded = rng.integers(0, 2, N), rng.random(N) < 0.2
    threshold_weights = ThresholdWeights(np.array([0.5, 1.5]), smoothing)
    whole = threshold_weights.weights(losses_of(losses, weights, groups, excluded))
    for own in (np.arange(7), rng.permutation(N), np.array([], dtype=int)):
        part = threshold_weights.weights(
            losses_of(losses[own], weights[own], groups[own], excluded[own])
        )
        np.testing.assert_array_equal(part, whole[own])
    assert (whole >= 0).all() and (whole <= weights).all()


@pytest.mark.parametrize("smoothing", [None, 2.0])
def test_excluded_rows_weigh_nothing_even_where_nothing_is_trimmed(smoothing):
    rows = losses_of(np.array([1.0, np.inf, 2.0]), excluded=np.array([False, True, False]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ThresholdWeights(np.array([np.inf]), smoothing).weights(rows)
    np.testing.assert_array_equal(found, [1.0, 0.0, 1.0])


@pytest.mark.parametrize("smoothing", [None, 1e6])
def test_losses_beyond_all_bounds_weigh_nothing_below_a_threshold(smoothing):
    losses = np.array([0.0, 1e300, np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = ThresholdWeights(np.array([1.0]), smoothing).weights(losses_of(losses))
    np.testing.assert_array_equal(found, [1.0, 0.0, 0.0])


def test_weights_are_the_callers_own(rng):
    losses, own = rng.exponential(size=N), np.ones(N)
    ThresholdWeights(np.array([1.0])).weights(losses_of(losses, own))[:] = 7.0
    np.testing.assert_array_equal(own, np.ones(N))


@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("digits", [0, 1, 9], ids=["many ties", "some ties", "none"])
@pytest.mark.parametrize("share", [0.0, 0.15, 0.4])
def test_weights_of_a_histogram_are_those_of_the_rule_down_to_ties(n_groups, digits, share, rng):
    losses, groups = np.round(rng.exponential(size=N), digits), rng.integers(0, n_groups, N)
    weights = rng.integers(1, 4, N).astype(float)
    rule = Trimmed(share) if n_groups == 1 else ClassBalanced(share, groups, n_groups)
    ends = np.tile([-1.0, 100.0], (n_groups, 1))
    histogram = HistogramGrid(ends, ends).histogram(losses, weights, groups)
    found = histogram.threshold_weights(rule).weights(losses_of(losses, weights, groups))
    np.testing.assert_allclose(found, rule.weights(losses, weights), rtol=1e-12)
