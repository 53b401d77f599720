"""Histograms add up, and thresholds that are read off them are those of all losses."""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

seeds = st.integers(0, 10_000)
shares = st.sampled_from([0.05, 0.2, 0.3, 0.45])
# Weights of rows, and the weight of one row.
WEIGHTS = {
    "ones": lambda rng, n: (np.ones(n), 1.0),
    "counts": lambda rng, n: (rng.integers(1, 4, n).astype(float), 1.0),
    "halves": lambda rng, n: (np.full(n, 0.5), 0.5),
}
kinds = st.sampled_from(sorted(WEIGHTS))
LOSSES = {
    "continuous": lambda rng, n: rng.exponential(size=n),
    "tied": lambda rng, n: np.floor(4.0 * rng.exponential(size=n)) / 4.0,
    "equal": lambda rng, n: np.full(n, 0.75),
    "infinite": lambda rng, n: np.where(np.arange(n) < n // 25, np.inf, rng.exponential(size=n)),
}
spreads = st.sampled_from(sorted(LOSSES))


def coarse(n_groups=1, near=(1.0, 1.5)):
    """Quarters up to three, some of them listed."""
    edges = np.tile(np.arange(0.25, 3.25, 0.25), (n_groups, 1))
    return HistogramGrid(edges, np.tile(near, (n_groups, 1)))


def close(n_groups=1):
    return HistogramGrid(
        np.tile([-1.0, 100.0], (n_groups, 1)), np.tile([-1.0, 100.0], (n_groups, 1))
    )


def looked(grid, losses, weights=None, groups=None):
    n = len(losses)
    weights = np.ones(n) if weights is None else weights
    return grid.histogram(losses, weights, np.zeros(n, dtype=int) if groups is None else groups)


def assert_same(one, other):
    np.testing.assert_allclose(one.weights, other.weights, rtol=1e-12)
    np.testing.assert_allclose(one.sums, other.sums, rtol=1e-12)
    np.testing.assert_array_equal(one.max_loss, other.max_loss)
    assert one.exact == other.exact
    assert exact_values(one) == pytest.approx(exact_values(other))


def exact_values(histogram):
    total = {}
    for loss, mass, group in zip(histogram.losses, histogram.masses, histogram.groups, strict=True):
        total[group, loss] = total.get((group, loss), 0.0) + mass
    return total


@given(seed=seeds, kind=kinds, spread=spreads, n_groups=st.integers(1, 3))
@settings(max_examples=60)
def test_parts_add_up_to_the_whole_in_any_split_and_order(seed, kind, spread, n_groups):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    losses, (weights, _) = LOSSES[spread](rng, n), WEIGHTS[kind](rng, n)
    groups, grid = rng.integers(0, n_groups, n), coarse(n_groups)
    whole = looked(grid, losses, weights, groups)
    owner = rng.integers(0, 4, n)
    parts = [
        looked(grid, losses[own], weights[own], groups[own])
        for own in (np.flatnonzero(owner == j) for j in rng.permutation(4))
    ]
    assert_same(parts[0] + parts[1] + parts[2] + parts[3], whole)
    assert_same((parts[3] + parts[1]) + (parts[0] + parts[2]), whole)


@given(seed=seeds, spread=spreads, n_parts=st.integers(2, 6))
@settings(max_examples=40)
def test_the_order_of_parts_changes_no_bit(seed, spread, n_parts):
    rng = np.random.default_rng(seed)
    losses, weights = LOSSES[spread](rng, 80), rng.random(80)
    parts = [
        looked(coarse(), losses[own], weights[own])
        for own in np.array_split(rng.permutation(80), n_parts)
    ]
    one = reduce(add, parts)
    other = reduce(add, [parts[j] for j in rng.permutation(n_parts)])
    for name in ("weights", "sums", "max_loss"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    totals = np.array([0.4 * weights.sum()])
    np.testing.assert_array_equal(one.losses_at(totals), other.losses_at(totals))


@given(seed=seeds, kind=kinds, spread=spreads, share=shares)
@settings(max_examples=60)
def test_a_listed_threshold_is_that_of_trimming_all_rows(seed, kind, spread, share):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(25, 120))
    losses, (weights, unit) = LOSSES[spread](rng, n), WEIGHTS[kind](rng, n)
    rule = Trimmed(share)
    for grid in (close(), coarse(near=(0.5, 3.0))):
        histogram = looked(grid, losses[:20], weights[:20]) + looked(
            grid, losses[20:], weights[20:]
        )
        found = histogram.thresholds(rule, unit)
        expected = rule.class_thresholds(losses, weights)
        low, high = grid.near[0]
        if low < expected[0] <= high:
            np.testing.assert_array_equal(found, expected)
            assert histogram.is_exact_at(found)


@given(seed=seeds, kind=kinds, spread=spreads, share=shares, n_groups=st.integers(2, 4))
@settings(max_examples=60)
def test_listed_thresholds_of_classes_are_those_of_all_rows(seed, kind, spread, share, n_groups):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 200))
    losses, (weights, unit) = LOSSES[spread](rng, n), WEIGHTS[kind](rng, n)
    groups = rng.integers(0, n_groups, n)
    rule = ClassBalanced(share, groups, n_groups)
    expected = rule.class_thresholds(losses, weights)
    histogram = looked(close(n_groups), losses, weights, groups)
    if np.isfinite(expected).all():
        np.testing.assert_array_equal(histogram.thresholds(rule, unit), expected)
        assert histogram.is_exact_at(expected)


@pytest.mark.parametrize("unit", [0.1, 0.3, 0.7])
def test_rows_of_any_common_weight_are_kept_whole(unit, rng):
    rule = Trimmed(0.25)
    for n in range(30, 60):
        losses, weights = rng.exponential(size=n), np.full(n, unit)
        histogram = looked(coarse(near=(0.5, 3.0)), losses, weights)
        expected = rule.class_thresholds(losses, weights)
        if 0.5 < expected[0] <= 3.0:
            np.testing.assert_array_equal(histogram.thresholds(rule, unit), expected)


@given(seed=seeds, share=shares)
@settings(max_examples=30)
def test_elsewhere_a_threshold_is_as_good_as_its_bin(seed, share):
    rng = np.random.default_rng(seed)
    losses = rng.exponential(size=200)
    rule, grid = Trimmed(share), coarse(near=(0.0, 0.0))
    histogram = looked(grid, losses)
    (found,), expected = histogram.thresholds(rule), rule.threshold(losses, np.ones(200))
    ends = np.concatenate([[0.0], grid.edges[0], [losses.max()]])
    place = np.searchsorted(ends, expected)
    assert ends[place - 1] <= found <= ends[place]
    assert not histogram.is_exact_at(np.array([found]))
    assert histogram.thresholds(Trimmed(0.0)) == [np.inf]


@pytest.mark.parametrize("n_groups", [1, 2])
def test_soft_thresholds_are_nearly_those_of_all_rows(n_groups, rng):
    losses, groups = rng.exponential(size=400), np.arange(400) % n_groups
    rule = Softplus(0.3, 2.0) if n_groups == 1 else SoftClassBalanced(0.3, groups, 2, 2.0)
    expected = rule.class_thresholds(losses, np.ones(400))
    exact = looked(close(n_groups), losses, None, groups).thresholds(rule)
    np.testing.assert_allclose(exact, expected, rtol=1e-9)
    binned = looked(coarse(n_groups), losses, None, groups).thresholds(rule)
    np.testing.assert_allclose(binned, expected, atol=0.02)


def test_too_long_a_list_becomes_bins_and_says_so(set_sizes, rng):
    set_sizes(exact_losses=50)
    losses, grid, rule = rng.uniform(1.0, 1.5, 120), coarse(), Trimmed(0.3)
    short, long = looked(grid, losses[:40]), looked(grid, losses[40:])
    assert short.exact and len(short.losses) == 40
    for histogram in (long, short + looked(grid, losses[40:80]), looked(grid, losses)):
        assert not histogram.exact and not len(histogram.losses)
    whole = short + long
    found = whole.thresholds(rule)
    assert not whole.is_exact_at(found)
    np.testing.assert_allclose(found, rule.class_thresholds(losses, np.ones(120)), atol=0.25)


def test_too_long_a_list_is_the_same_bins_in_any_split(set_sizes, rng):
    set_sizes(exact_losses=50)
    losses, grid = rng.uniform(1.0, 1.5, 120), coarse()
    whole = looked(grid, losses)
    for threshold_weights in (20, 60, 100):
        assert_same(
            looked(grid, losses[:threshold_weights]) + looked(grid, losses[threshold_weights:]),
            whole,
        )


def test_ties_take_one_place_of_a_list_however_many(set_sizes):
    set_sizes(exact_losses=5)
    losses = np.repeat([1.1, 1.2, 1.3], 100)
    histogram = looked(coarse(), losses[:150]) + looked(coarse(), losses[150:])
    assert histogram.exact
    np.testing.assert_array_equal(histogram.thresholds(Trimmed(0.5)), [1.2])


def test_rows_of_no_weight_have_no_say_however_wrong():
    histogram = looked(coarse(), np.array([0.5, 1.25, np.inf, 1.3]), np.array([1.0, 1.0, 0.0, 1.0]))
    assert np.isfinite(histogram.sums).all()
    np.testing.assert_array_equal(histogram.losses_at(np.array([2.0])), [1.25])


@pytest.mark.parametrize("grid", [close(), coarse(near=(0.0, 0.0))])
def test_a_threshold_among_infinite_losses_is_infinite(grid):
    losses = np.concatenate([np.arange(0.0, 7.0), np.full(3, np.inf)])
    np.testing.assert_array_equal(looked(grid, losses).thresholds(Trimmed(0.2)), [np.inf])
    # As many as are given up: the threshold is the largest finite loss, or in its bin.
    assert 3.0 < looked(grid, losses).thresholds(Trimmed(0.3))[0] <= 6.0


def test_a_class_without_rows_is_no_hindrance(rng):
    histogram = looked(close(3), rng.exponential(size=20), None, np.repeat([0, 2], 10))
    found = histogram.losses_at(np.array([5.0, 0.0, 5.0]))
    assert found[1] == 0.0
    assert histogram.is_exact_at(np.array([found[0], -5.0, found[2]]))
