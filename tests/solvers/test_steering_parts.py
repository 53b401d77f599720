"""Where thresholds are looked for, piece by piece, next to the words of each docstring."""

from __future__ import annotations

import numpy as np
import pytest

from untaint._sums import Sum
from untaint.selection import Cut, Heard, Lens, Smallest, Softplus
from untaint.solvers.poll import Tally
from untaint.solvers.steering import (
    ByThreshold,
    Foresight,
    _bins,
    _cautious,
    _loss_at,
    _place,
)

# Written out: a test that borrows a number cannot notice that it has changed.
CAUTION = 3.0
FINE = 256
FORESEEN = 0.3
LISTED = 1000.0
MARGIN = 5.0
SOFTLY_FORESEEN = 10.0
SURPRISE = 10.0


def heard(losses, groups=None):
    n = len(losses)
    groups = np.zeros(n, dtype=int) if groups is None else groups
    return Heard(losses, losses[:, None], np.ones(n), groups, np.zeros(n, dtype=bool))


@pytest.mark.parametrize("t", [0.2, 0.7, 1.0, 1.5, 4.9])
def test_a_place_counts_losses_and_the_way_to_the_next(t):
    losses = np.array([0.1, 0.5, 1.0, 1.0, 2.0, 5.0])
    below = int((losses <= t).sum())
    whole, part = _place(losses, t)
    assert whole == below - 1
    assert losses[below - 1] + part * (losses[below] - losses[below - 1]) == pytest.approx(t)
    assert _loss_at(losses, np.array([whole, part]), -7.0) == pytest.approx(t)


@pytest.mark.parametrize(("t", "place"), [(0.0, 0.0), (1.0, 0.0), (3.0, 2.0), (9.0, 2.0)])
def test_a_threshold_beyond_the_losses_is_at_their_end(t, place):
    assert _place(np.array([1.0, 2.0, 3.0]), t) == (place, 0.0)
    assert _place(np.zeros(0), t) == (0.0, 0.0)


def test_at_the_ends_of_a_sample_the_last_threshold_stands():
    losses = np.array([1.0, 2.0, 3.0])
    for place in ([0.0, 0.0], [2.0, 0.0], [5.0, 0.5]):
        assert _loss_at(losses, np.array(place), 7.0) == 7.0
    assert _loss_at(np.zeros(0), np.array([1.0, 0.5]), 7.0) == 7.0
    assert _loss_at(losses, np.array([0.0, 0.5]), 7.0) == 1.5
    assert _loss_at(losses, np.array([1.0, 0.0]), 7.0) == 2.0


def gapped(factor, m=100, gap=80):
    """Losses from 1 to 1.1, and so many times as much from the gap on."""
    losses = np.linspace(1.0, 1.1, m)
    losses[gap:] *= factor
    return losses


@pytest.mark.parametrize("place", range(40, 99))
def test_a_gap_within_the_reach_of_chance_is_where_the_first_threshold_goes(place):
    losses, m = gapped(3.0), 100
    reach = CAUTION * np.sqrt(max(place * (m - place) / m, 1.0))
    first, last = int(place - reach), min(int(place + reach) + 1, m - 1)
    found = _cautious(losses, losses[place])
    if first <= 79 and last >= 80:
        assert found == pytest.approx(np.sqrt(losses[79] * losses[80]))
    else:
        assert found == losses[place]


def test_only_a_wide_gap_is_no_chance():
    narrow, wide = gapped(np.exp(0.45)), gapped(np.exp(0.55))
    assert _cautious(narrow, narrow[78]) == narrow[78]
    assert _cautious(wide, wide[78]) == pytest.approx(np.sqrt(wide[79] * wide[80]))


def test_the_widest_of_several_gaps_is_taken():
    losses = gapped(3.0)
    losses[85:] *= 10.0
    assert _cautious(losses, losses[82]) == pytest.approx(np.sqrt(losses[84] * losses[85]))


def test_a_loss_of_zero_is_no_end_of_the_world():
    losses = np.r_[np.zeros(3), np.linspace(1.0, 1.1, 5)]
    assert 0.0 < _cautious(losses, 1.0) < 1.0


@pytest.mark.parametrize("losses", [np.zeros(0), np.ones(1)])
def test_too_few_losses_have_no_gap(losses):
    assert _cautious(losses, 3.0) == 3.0
    assert _cautious(np.arange(5.0), np.inf) == np.inf


M, ROWS = 1001, 1e6


@pytest.mark.parametrize("place", [100, 500, 900])
def test_bins_are_fine_where_chance_may_have_put_the_threshold(place):
    losses = np.linspace(0.0, 1.0, M)
    t = losses[place]
    reach = MARGIN * np.sqrt(place * (M - place) / M) / (M - 1)
    edges, near = _bins(losses, t, None, ROWS, 32)
    fine = edges[(edges >= t - reach - 1e-12) & (edges <= t + reach + 1e-12)]
    grid = np.linspace(t - reach, t + reach, FINE)
    assert np.abs(fine[:, None] - grid).min(axis=0).max() < 1e-12
    assert FINE <= len(fine) <= FINE + 1 + np.ceil(2 * reach * 31)
    assert near == pytest.approx([t, t])
    coarse = np.linspace(0.0, 1.0, 32)
    assert np.abs(edges[:, None] - coarse).min(axis=0).max() < 1e-12
    assert (np.diff(edges) > 0).all()


def spacing(place):
    """Loss from one of all rows to the next, as the sample has it."""
    deviation = np.sqrt(place * (M - place) / M)
    return 2 * MARGIN * deviation / (M - 1) / (2 * MARGIN * deviation / M * ROWS)


def test_about_as_many_losses_are_listed_as_should_be():
    losses = np.linspace(0.0, 1.0, M)
    _, near = _bins(losses, 0.5, 0.0, ROWS, 32)
    assert near == pytest.approx(
        [0.5 - 0.5 * LISTED * spacing(500), 0.5 + 0.5 * LISTED * spacing(500)]
    )


@pytest.mark.parametrize("missed", [0.0, 1e-5, 1e-3, 1.0])
def test_fine_bins_reach_farther_than_the_last_miss_but_not_beyond_chance(missed):
    losses = np.linspace(0.0, 1.0, M)
    edges, near = _bins(losses, 0.5, missed, ROWS, 2)
    chance = MARGIN * np.sqrt(500 * (M - 500) / M) / (M - 1)
    reach = min(max(SURPRISE * missed, 2 * LISTED * spacing(500)), chance)
    inner = edges[1:-1]
    assert [inner[0], inner[-1]] == pytest.approx([0.5 - reach, 0.5 + reach])
    assert near[0] in edges and near[1] in edges


def test_without_a_threshold_one_bin_holds_all():
    for losses, t in ((np.array([3.0]), 1.0), (np.array([1.0, 5.0]), np.inf)):
        edges, near = _bins(losses, t, None, 10.0, 32)
        assert edges.tolist() == [0.0, losses.max()]
        assert near == [0.0, 0.0]
    assert _bins(np.zeros(0), 1.0, None, 10.0, 32)[0].tolist() == [0.0, 1e-300]


@pytest.mark.parametrize(
    ("t", "low", "high"),
    [
        (4.5, 3.0, 6.0),
        (5.0, 3.0, 6.0),
        (1.5, 0.0, 3.0),
        (0.5, -1.0, 2.0),
        (0.0, -1.0, 1.0),
        (8.5, 7.0, 9.0),
        (20.0, 8.0, 20.0),
        (np.inf, 8.0, 9.0),
    ],
)
def test_a_closer_look_is_at_the_bin_of_the_threshold_and_its_neighbours(t, low, high):
    foresight = Foresight(1, 100.0)
    lens = Lens(np.arange(10.0)[None], np.zeros((1, 2)))
    foresight.learn(np.array([t]), lens, heard(np.arange(10.0)))
    foresight.narrow()
    assert foresight.lens.near.tolist() == [[low, high]]
    np.testing.assert_allclose(foresight.lens.edges[0], np.linspace(low, high, FINE))
    assert foresight.expected.tolist() == [t]


def test_classes_of_several_sizes_are_looked_at_by_their_own_number_of_rows():
    losses = np.r_[np.linspace(0.0, 1.0, 801), np.linspace(0.0, 2.0, 200)]
    groups = np.r_[np.zeros(801, dtype=int), np.ones(200, dtype=int)]
    foresight = Foresight(2, 1e6)
    foresight.learn(np.array([0.5, 1.0]), foresight.lens, heard(losses, groups))
    foresight.expect(heard(losses, groups), lambda: np.zeros(2))
    for k, n_rows in enumerate([1e6 * 801 / 1001, 1e6 * 200 / 1001]):
        own = losses[groups == k]
        missed = 0.0 if np.isinf(foresight.expected[k]) else foresight._missed[k]
        edges, near = _bins(own, foresight.expected[k], missed, n_rows, foresight.coarse)
        np.testing.assert_allclose(foresight.lens.near[k], near)
        np.testing.assert_allclose(np.unique(foresight.lens.edges[k]), edges)


def test_a_threshold_moves_with_the_losses_of_the_sample():
    sample = heard(np.linspace(0.0, 1.0, 101))
    foresight = Foresight(1, 1000.0)
    foresight.learn(np.array([0.305]), foresight.lens, sample)
    assert foresight.foreseen(heard(3.0 * sample.losses))[0] == pytest.approx(0.915)
    assert foresight.remember()["missed"].tolist() == [0.0]  # nothing had been expected
    foresight.expected = np.array([0.5])
    foresight.learn(np.array([0.305]), foresight.lens, sample)
    assert foresight.remember()["missed"] == pytest.approx([0.195])


N = 10_000


def asked(steering, t):
    """What rows of losses 1 to N say, weighed by a threshold."""
    losses, unit = np.arange(1.0, N + 1), steering.unit
    rows = Heard(losses, losses[:, None], np.full(N, unit), np.zeros(N, int), np.zeros(N, bool))
    weights = Cut(np.array([t]), steering.smoothing).weights(rows)
    lens = Lens(np.array([[0.0, 2.0 * N]]), np.array([[0.0, 2.0 * N]]))
    sums = np.array([weights @ losses, 0.0, weights.sum()])
    return Tally(Sum(sums), lens.look(losses, rows.row_weights, rows.groups))


@pytest.mark.parametrize("unit", [1.0, 0.5])
@pytest.mark.parametrize("smoothing", [None, 1.0])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_threshold_is_foreseen_when_it_misses_little_of_what_sampling_would(
    unit, smoothing, side
):
    rule = Smallest(0.2) if smoothing is None else Softplus(0.2, smoothing)
    steering = ByThreshold(rule, smoothing, 1, unit * N, unit)
    chance = np.sqrt(N * 0.2 * 0.8)
    allowed = int((FORESEEN if smoothing is None else SOFTLY_FORESEEN) * chance)
    edge = 0.8 * N + 0.5
    assert steering.settled(asked(steering, edge + side * (allowed - 1)))
    assert not steering.settled(asked(steering, edge + side * (allowed + 2)))


def test_of_few_rows_one_may_be_missed():
    losses = np.arange(1.0, 11.0)
    for unit, missed, fine in ((1.0, 1, True), (1.0, 2, False), (None, 1, False)):
        steering = ByThreshold(Smallest(0.2), None, 1, 10.0, unit)
        weights = (losses <= 8.5 - missed).astype(float)
        lens = Lens(np.array([[0.0, 20.0]]), np.array([[0.0, 20.0]]))
        profile = lens.look(losses, np.ones(10), np.zeros(10, int))
        tally = Tally(Sum(np.array([weights @ losses, 0.0, weights.sum()])), profile)
        assert bool(steering.settled(tally)) is fine


def test_a_soft_edge_is_exact_when_it_keeps_what_it_should():
    steering = ByThreshold(Softplus(0.2, 1.0), 1.0, 1, float(N), 1.0)
    exact = Softplus(0.2, 1.0).threshold(np.arange(1.0, N + 1), np.ones(N))
    assert steering.exact(asked(steering, exact))
    assert steering.exact(asked(steering, exact + 0.9e-4))
    assert not steering.exact(asked(steering, exact + 1.1e-4))


@pytest.mark.parametrize("miss", [-0.7, 0.4, -30.0, 55.0])
def test_a_soft_threshold_is_freed_from_what_bins_blur(miss):
    steering = ByThreshold(Softplus(0.2, 1.0), 1.0, 1, float(N), 1.0)
    exact = Softplus(0.2, 1.0).threshold(np.arange(1.0, N + 1), np.ones(N))
    steering.foresight.expected = np.array([exact + miss])
    tally = asked(steering, exact + miss)
    steering.learn(tally, heard(np.arange(1.0, N + 1, 10.0)))
    assert steering.foresight.thresholds == pytest.approx([exact], abs=1e-2 * abs(miss))


def test_the_slope_of_a_soft_edge_is_what_it_keeps_more():
    steering = ByThreshold(Softplus(0.2, 0.7), 0.7, 1, 5.0, 1.0)
    losses, weights = np.array([0.3, 1.0, 1.4, 4.0]), np.array([1.0, 2.0, 0.5, 1.5])

    def kept(t):
        return float(weights @ (1.0 / (1.0 + np.exp(-0.7 * (t - losses)))))

    expected = (kept(1.2 + 1e-6) - kept(1.2 - 1e-6)) / 2e-6
    assert steering._slope(1.2, losses, weights) == pytest.approx(expected, rel=1e-7)


def test_only_a_hard_edge_that_gives_up_rows_is_hard():
    assert ByThreshold(Smallest(0.2), None, 1, 10.0, 1.0).hard
    assert not ByThreshold(Smallest(0.0), None, 1, 10.0, 1.0).hard
    assert not ByThreshold(Softplus(0.2, 1.0), 1.0, 1, 10.0, 1.0).hard


@pytest.mark.parametrize("share", [0.2, 0.0])
def test_the_last_weights_are_those_of_the_rule(share):
    losses = np.arange(1.0, N + 1)
    rows = heard(losses)
    for smoothing in (None, 1.0):
        rule = Smallest(share) if smoothing is None else Softplus(share, smoothing)
        steering = ByThreshold(rule, smoothing, 1, float(N), 1.0)
        if share:
            steering.foresight.expected = np.array([rule.threshold(losses, np.ones(N))])
        cut = steering.cut(asked(steering, 0.8 * N))
        np.testing.assert_allclose(cut.weights(rows), rule.weights(losses, np.ones(N)), atol=1e-9)
        assert steering.value(asked(steering, np.inf)) == pytest.approx(
            rule.value(losses, np.ones(N)), rel=1e-6
        )
