"""Thresholds that somebody else has found weigh rows as the selection itself would."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from untaint.selection import Balanced, Cut, Heard, Lens, Smallest, SoftBalanced, Softplus

N = 60


def heard(losses, weights=None, groups=None, shunned=None):
    n = len(losses)
    return Heard(
        losses,
        losses[:, None],
        np.ones(n) if weights is None else weights,
        np.zeros(n, dtype=int) if groups is None else groups,
        np.zeros(n, dtype=bool) if shunned is None else shunned,
    )


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_a_hard_edge_keeps_what_trimming_keeps(share, rng):
    losses, rule = rng.exponential(size=N), Smallest(share)
    cut = Cut(rule.class_thresholds(losses, np.ones(N)))
    np.testing.assert_array_equal(cut.weights(heard(losses)), rule.weights(losses, np.ones(N)))


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_every_class_has_its_own_edge(share, rng):
    losses, groups = rng.exponential(size=N), rng.integers(0, 3, N)
    rule = Balanced(share, groups, 3)
    cut = Cut(rule.class_thresholds(losses, np.ones(N)))
    found = cut.weights(heard(losses, groups=groups))
    np.testing.assert_array_equal(found, rule.weights(losses, np.ones(N)))


@pytest.mark.parametrize("n_groups", [1, 2])
@pytest.mark.parametrize("smoothing", [0.5, 20.0])
def test_a_soft_edge_weighs_as_the_soft_rule(n_groups, smoothing, rng):
    losses, groups = rng.exponential(size=N), rng.integers(0, n_groups, N)
    weights = rng.integers(1, 4, N).astype(float)
    rule = Softplus(0.3, smoothing)
    if n_groups > 1:
        rule = SoftBalanced(0.3, groups, n_groups, smoothing)
    cut = Cut(rule.class_thresholds(losses, weights), smoothing)
    found = cut.weights(heard(losses, weights, groups))
    np.testing.assert_allclose(found, rule.weights(losses, weights), rtol=1e-10)


@pytest.mark.parametrize("smoothing", [None, 2.0])
def test_each_row_is_weighed_by_itself(smoothing, rng):
    losses, weights = rng.exponential(size=N), rng.random(N)
    groups, shunned = rng.integers(0, 2, N), rng.random(N) < 0.2
    cut = Cut(np.array([0.5, 1.5]), smoothing)
    whole = cut.weights(heard(losses, weights, groups, shunned))
    for own in (np.arange(7), rng.permutation(N), np.array([], dtype=int)):
        part = cut.weights(heard(losses[own], weights[own], groups[own], shunned[own]))
        np.testing.assert_array_equal(part, whole[own])
    assert (whole >= 0).all() and (whole <= weights).all()


@pytest.mark.parametrize("smoothing", [None, 2.0])
def test_rows_that_are_not_heard_weigh_nothing_even_where_nothing_is_given_up(smoothing):
    rows = heard(np.array([1.0, np.inf, 2.0]), shunned=np.array([False, True, False]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Cut(np.array([np.inf]), smoothing).weights(rows)
    np.testing.assert_array_equal(found, [1.0, 0.0, 1.0])


@pytest.mark.parametrize("smoothing", [None, 1e6])
def test_losses_beyond_all_bounds_weigh_nothing_below_a_threshold(smoothing):
    losses = np.array([0.0, 1e300, np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = Cut(np.array([1.0]), smoothing).weights(heard(losses))
    np.testing.assert_array_equal(found, [1.0, 0.0, 0.0])


def test_weights_are_the_callers_own(rng):
    losses, own = rng.exponential(size=N), np.ones(N)
    Cut(np.array([1.0])).weights(heard(losses, own))[:] = 7.0
    np.testing.assert_array_equal(own, np.ones(N))


@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("digits", [0, 1, 9], ids=["many ties", "some ties", "none"])
@pytest.mark.parametrize("share", [0.0, 0.15, 0.4])
def test_the_cut_of_a_profile_is_the_selection_down_to_those_that_tie(n_groups, digits, share, rng):
    losses, groups = np.round(rng.exponential(size=N), digits), rng.integers(0, n_groups, N)
    weights = rng.integers(1, 4, N).astype(float)
    rule = Smallest(share) if n_groups == 1 else Balanced(share, groups, n_groups)
    ends = np.tile([-1.0, 100.0], (n_groups, 1))
    profile = Lens(ends, ends).look(losses, weights, groups)
    found = profile.cut(rule).weights(heard(losses, weights, groups))
    np.testing.assert_allclose(found, rule.weights(losses, weights), rtol=1e-12)
