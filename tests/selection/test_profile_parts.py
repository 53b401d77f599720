"""Losses read off bins and lists, next to a list of all of them."""

from __future__ import annotations

import numpy as np
import pytest

import untaint.selection.profile as module
from untaint.selection import Balanced, Lens, Smallest

EDGES = np.array([[1.0, 2.0, 3.0]])
NOWHERE = np.array([[0.0, 0.0]])


def looked(losses, weights=None, near=NOWHERE, edges=EDGES, groups=None):
    n = len(losses)
    weights = np.ones(n) if weights is None else weights
    groups = np.zeros(n, dtype=int) if groups is None else groups
    return Lens(edges, near).look(np.asarray(losses, float), weights, groups)


def test_losses_are_counted_up_to_and_including_an_edge():
    profile = looked([0.5, 1.0, 1.1, 2.0, 3.0, 3.1, 9.0, np.inf], np.arange(1.0, 9.0))
    assert profile.weights.tolist() == [[3.0, 7.0, 5.0, 13.0, 8.0]]
    np.testing.assert_allclose(profile.sums[0, :4], [2.5, 3.3 + 8.0, 15.0, 18.6 + 63.0])
    assert np.isinf(profile.sums[0, 4])
    assert profile.furthest.tolist() == [9.0]
    assert profile.finite == 28.0


def test_losses_near_are_listed_beyond_the_first_end_up_to_the_second():
    profile = looked([1.0, 1.5, 2.0, 1.5, 2.5], near=np.array([[1.0, 2.0]]))
    assert profile.losses.tolist() == [1.5, 2.0]
    assert profile.masses.tolist() == [2.0, 1.0]
    assert profile.weights.tolist() == [[1.0, 0.0, 1.0, 0.0, 0.0]]
    assert profile.finite == 5.0


@pytest.mark.parametrize(
    ("total", "loss"),
    [(1.0, 0.5), (2.0, 1.0), (3.0, 1.25), (5.0, 1.75), (6.0, 2.0), (6.5, 5.5), (7.0, 9.0)],
)
def test_within_a_bin_a_loss_is_found_by_the_weight_on_the_way(total, loss):
    # Two rows up to 1, four up to 2, one beyond 3, which is at 9; the last bin begins where the
    # third edge is.
    profile = looked([0.1, 0.9, 1.2, 1.3, 1.4, 1.9, 9.0])
    expected = 3.0 + (9.0 - 3.0) * (total - 6.0) if total > 6.0 else loss
    assert profile.losses_at(np.array([total])) == pytest.approx([expected])


def test_infinite_losses_come_last():
    profile = looked([0.1, np.inf, np.inf, 5.0])
    assert profile.losses_at(np.array([2.0]))[0] == 5.0
    assert profile.losses_at(np.array([2.5]))[0] == np.inf
    assert profile.losses_at(np.array([9.0]))[0] == np.inf


def test_no_rows_have_no_losses():
    profile = looked([])
    assert profile.losses_at(np.array([1.0])).tolist() == [0.0]
    assert profile.finite == 0.0
    assert profile.knows(np.array([5.0]))


@pytest.mark.parametrize(
    ("t", "known"), [(1.0, False), (1.1, True), (2.0, True), (2.1, False), (np.inf, True)]
)
def test_a_threshold_is_known_where_losses_are_listed(t, known):
    profile = looked([0.5, 1.5, 2.5], near=np.array([[1.0, 2.0]]))
    assert profile.knows(np.array([t])) is known


def test_classes_without_rows_need_no_threshold():
    edges, near = np.tile(EDGES, (3, 1)), np.tile([[1.0, 2.0]], (3, 1))
    groups = np.array([0, 0, 2])
    profile = looked([1.5, 2.5, 1.5], near=near, edges=edges, groups=groups)
    assert profile.knows(np.array([1.5, 99.0, 1.5]))
    assert not profile.knows(np.array([1.5, 99.0, 99.0]))


@pytest.mark.parametrize("count", [3, 4])
def test_lists_that_are_too_long_become_bins(count, monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    losses = 1.0 + 0.2 * np.arange(1, count + 1)
    weights = np.arange(1.0, count + 1)
    profile = looked(losses, weights, near=np.array([[1.0, 2.0]]))
    assert profile.exact is (count == 3)
    assert len(profile.losses) == (3 if count == 3 else 0)
    assert profile.finite == weights.sum()
    if count == 4:
        assert profile.weights.tolist() == [[0.0, 10.0, 0.0, 0.0, 0.0]]
        assert profile.sums[0, 1] == pytest.approx(weights @ losses)
        more = profile + looked([1.9], near=np.array([[1.0, 2.0]]))
        assert not more.exact
        assert more.weights.tolist() == [[0.0, 11.0, 0.0, 0.0, 0.0]]
        assert more.sums[0, 1] == pytest.approx(weights @ losses + 1.9)
        assert not profile.knows(np.array([1.5]))


def test_equal_losses_are_listed_once_before_a_list_is_too_long(monkeypatch):
    monkeypatch.setattr(module, "MOST_LISTED", 3)
    near = np.array([[1.0, 2.0]])
    both = looked([1.2, 1.4, 1.6], near=near) + looked([1.2, 1.4], near=near)
    assert both.exact
    assert both.losses.tolist() == [1.2, 1.4, 1.6]
    assert both.masses.tolist() == [2.0, 2.0, 1.0]


def test_points_stand_for_the_rows_in_units_of_a_row():
    profile = looked([0.2, 0.4, 1.5, 7.0], np.full(4, 0.1), near=np.array([[1.0, 2.0]]))
    losses, counts, groups = profile.points(0.1)
    np.testing.assert_allclose(losses, [0.3, 7.0, 1.5])
    assert counts.tolist() == [2.0, 1.0, 1.0]
    assert groups.tolist() == [0, 0, 0]
    assert profile.points()[1] == pytest.approx([0.2, 0.1, 0.1])


@pytest.mark.parametrize("share", [0.0, 0.2, 0.4, 0.5])
@pytest.mark.parametrize("unit", [1.0, 0.5])
def test_a_cut_gives_rows_the_weights_of_the_rule(share, unit, rng):
    from untaint.selection import Heard

    losses, groups = np.round(rng.exponential(size=40), 1), rng.integers(0, 2, 40)
    weights = np.full(40, unit)
    wide = Lens(np.tile([-1.0, 100.0], (2, 1)), np.tile([-1.0, 100.0], (2, 1)))
    rows = Heard(losses, losses[:, None], weights, groups, np.zeros(40, bool))
    cut = wide.look(losses, weights, groups).cut(Balanced(share, groups, 2), unit)
    expected = Balanced(share, groups, 2).weights(losses, weights)
    np.testing.assert_allclose(cut.weights(rows), expected)
    one = Lens(np.array([[-1.0, 100.0]]), np.array([[-1.0, 100.0]]))
    alone = Heard(losses, losses[:, None], weights, np.zeros(40, int), np.zeros(40, bool))
    cut = one.look(losses, weights, alone.groups).cut(Smallest(share), unit)
    np.testing.assert_allclose(cut.weights(alone), Smallest(share).weights(losses, weights))


def test_nothing_is_given_up_without_a_share():
    profile = looked([0.5, 1.5, 2.5])
    assert profile.thresholds(Smallest(0.0)).tolist() == [np.inf]
