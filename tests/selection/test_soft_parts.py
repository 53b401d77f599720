"""Thresholds of soft edges and rooms of classes, by slower means."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from untaint.selection import (
    Balanced,
    Given,
    Smallest,
    SoftBalanced,
    Softplus,
    Tilted,
    Truncated,
    label_channel,
)
from untaint.selection.balanced import _ClassEnd, _meet
from untaint.selection.label_channel import TIGHT, _Channel, _end
from untaint.selection.smallest import around, keep_smallest, loss_reached, part_of_tied

# Written out: a test that borrows a number cannot notice that it has changed.
FALL = 1.92
HALVINGS = 7
LARGEST_RATE = 0.95
LEAST_SHARE = 0.1
TIE = 1e-09


@pytest.mark.parametrize("n", range(2, 30))
def test_a_class_takes_one_more_row_when_that_costs_no_more_than_it_is_worth(n):
    rise = n * np.log(n) - (n - 1) * np.log(n - 1) - 1.0
    end = _ClassEnd(np.zeros(40), np.ones(40), kept=1.0, unit=1.0)
    assert end.at(rise + 1e-3) == n
    assert end.at(rise - 1e-3) == n - 1


@pytest.mark.parametrize("unit", [1.0, 0.5, None])
@pytest.mark.parametrize("scale", [-3.0, 0.0, 1.0, 4.0])
def test_a_class_ends_where_reached_and_room_cross(unit, scale, rng):
    above, weights = np.sort(rng.exponential(size=30)), np.full(30, unit or 1.0)
    if unit is None:
        weights = rng.random(30)
    end = _ClassEnd(above, weights, kept=9.0, unit=unit)
    reached = np.cumsum(weights)
    found = end.at(scale)
    room = [end._room(i, scale) for i in range(30)]
    inside = [i for i in range(30) if reached[i] <= room[i]]
    best = reached[inside[-1]] if inside else 0.0
    following = len(inside)
    expected = max(best, room[following]) if following < 30 else best
    assert found == pytest.approx(expected)
    if unit is None:
        assert room == pytest.approx(list(9.0 * np.exp(scale - above)))


@pytest.mark.parametrize("equal", [True, False])
def test_the_order_of_a_class_is_by_loss(equal, rng):
    above = rng.exponential(size=20)
    weights = np.ones(20) if equal else rng.integers(1, 5, 20).astype(float)
    end = _ClassEnd(above, weights, 5.0, 1.0)
    order = np.argsort(above)
    np.testing.assert_allclose(end.above, above[order])
    np.testing.assert_allclose(end.reached, np.cumsum(weights[order]))
    assert end.furthest == above.max()
    assert _ClassEnd(np.array([0.0, 1e5]), np.ones(2), 5.0, 1.0).furthest == 600.0


def test_classes_that_jump_together_go_in_order():
    def at(scale):
        return np.array([3.0, 2.0]) if scale < 1.0 else np.array([5.0, 6.0])

    np.testing.assert_allclose(_meet(at, 6.0, 5.0, 1.0), [4.0, 2.0])
    np.testing.assert_allclose(_meet(at, 9.0, 5.0, 1.0), [5.0, 4.0])


def test_every_class_keeps_a_part_whatever_it_loses():
    groups = np.repeat([0, 1], [50, 50])
    losses = np.r_[np.zeros(50), np.full(50, 500.0)]
    totals = Balanced(0.4, groups, 2).totals(losses, np.ones(100))
    assert totals.tolist() == [50.0, 10.0]
    totals = Balanced(0.48, groups, 2).totals(losses, np.ones(100))
    assert totals.tolist() == [47.0, LEAST_SHARE * 50]
    assert Balanced(0.95, groups, 2).totals(losses, np.ones(100)).tolist() == [50.0, 50.0]


def test_without_a_share_classes_keep_exactly_what_they_have(rng):
    groups, weights = np.repeat([0, 1, 3], [20, 7, 3]), rng.random(30)
    rule = Balanced(0.0, groups, 4)
    totals = rule.totals(rng.exponential(size=30), weights)
    sizes = [weights[groups == k].sum() for k in range(4)]
    assert totals.tolist() == sizes
    assert rule.totals(rng.exponential(size=30), np.full(30, 0.1))[2] == 0.0


def brute(rule, losses, weights):
    """Threshold by halving the weight that is kept."""
    kept = rule.kept_total(weights)
    low, high = -1e3, 1e3
    for _ in range(200):
        middle = 0.5 * (low + high)
        more = weights @ expit(rule.smoothing * (middle - losses)) > kept
        low, high = (low, middle) if more else (middle, high)
    return 0.5 * (low + high)


@pytest.mark.parametrize("smoothing", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("kind", ["apart", "tied", "gapped"])
def test_a_soft_threshold_is_the_root_of_what_it_keeps(smoothing, share, kind, rng):
    losses = rng.exponential(size=20)
    if kind == "tied":
        losses = np.round(losses)
    if kind == "gapped":
        losses[10:] += 50.0
    weights = rng.integers(1, 3, 20).astype(float)
    rule = Softplus(share, smoothing)
    t = rule.threshold(losses, weights)
    kept = weights @ expit(smoothing * (t - losses))
    assert kept == pytest.approx(rule.kept_total(weights), rel=1e-9)
    wide = np.r_[losses, np.inf]
    again = rule.threshold(wide, np.r_[weights, 0.0])
    assert again == pytest.approx(t, rel=1e-6, abs=1e-6)
    if kind == "apart":
        assert t == pytest.approx(brute(rule, losses, weights), abs=1e-6)


def test_where_all_finite_losses_are_just_enough_the_threshold_is_a_margin_beyond():
    rule = Softplus(0.5, 2.0)
    assert rule.threshold(np.array([1.0, 3.0, np.inf, np.inf]), np.ones(4)) == pytest.approx(23.0)
    assert Softplus(0.0, 2.0).threshold(np.array([1.0, 3.0]), np.ones(2)) == np.inf
    assert Softplus(0.25, 2.0).threshold(np.array([1.0, 3.0, np.inf, np.inf]), np.ones(4)) == np.inf


@pytest.mark.parametrize("smoothing", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.6])
@pytest.mark.parametrize(("n_groups", "spread"), [(2, 1.0), (4, 300.0)])
def test_halving_finds_the_thresholds_of_newtons_method(smoothing, share, n_groups, spread, rng):
    groups, losses = rng.integers(0, 3, 40) % n_groups, spread * rng.exponential(size=40)
    weights = rng.integers(1, 4, 40).astype(float)
    rule = SoftBalanced(share, groups, n_groups, smoothing)
    present = np.bincount(groups, minlength=n_groups) > 0
    kept = rule.kept_total(weights)
    by_halving = rule._by_halving(losses, weights, kept, present)
    found = rule.class_thresholds(losses, weights)
    np.testing.assert_allclose(by_halving[present], found[present], atol=1e-7)
    n = np.array(
        [
            weights[groups == k] @ expit(smoothing * (found[k] - losses[groups == k]))
            for k in np.flatnonzero(present)
        ]
    )
    assert n.sum() == pytest.approx(kept)
    assert np.ptp(found[present] + np.log(n)) < 1e-9
    assert (by_halving[~present] == 0.0).all()


@pytest.mark.parametrize("unit", [0.1, 1.0, 3.0])
def test_nothing_given_up_is_nothing_at_all(unit):
    weights = np.full(7, unit)
    assert Smallest(0.0).kept_total(weights) == weights.sum()
    assert Smallest(0.999).kept_total(weights) == unit if unit != 3.0 else True
    assert Smallest(0.2).kept_total(np.full(10, 0.1)) == pytest.approx(0.8)


def test_losses_tie_with_a_threshold_up_to_their_last_digits():
    t = 5.0
    losses = np.array(
        [t * (1 - 2 * TIE), t * (1 - 0.5 * TIE), t, t * (1 + 0.5 * TIE), t * (1 + 2 * TIE)]
    )
    below, tied = around(losses, t)
    assert below.tolist() == [True, False, False, False, False]
    assert tied.tolist() == [False, True, True, True, False]
    below, tied = around(np.array([-np.inf, 1.0, np.inf]), np.inf)
    assert below.tolist() == [True, True, False]
    assert tied.tolist() == [False, False, True]


@pytest.mark.parametrize("kept", [0.0, 1.0, 2.5, 4.0, 5.0, 9.0])
def test_rows_that_tie_share_what_is_left(kept):
    weights = np.array([1.0, 1.0, 2.0, 1.0])
    losses = np.array([1.0, 2.0, 2.0, 3.0])
    found = keep_smallest(losses, weights, kept)
    assert found.sum() == pytest.approx(min(max(kept, 0.0), 5.0))
    assert found[2] == pytest.approx(2.0 * found[1])
    assert part_of_tied(weights, np.zeros(4, bool), np.zeros(4, bool), kept) == 0.0


@pytest.mark.parametrize("weights", [np.ones(6), np.full(6, 0.1), np.arange(1.0, 7.0)])
def test_a_loss_is_reached_where_the_weights_up_to_it_suffice(weights, rng):
    losses = rng.exponential(size=6)
    order = np.argsort(losses)
    reached = np.cumsum(weights[order])
    for i in range(6):
        assert loss_reached(losses, weights, reached[i]) == losses[order[i]]
        if i < 5:
            assert loss_reached(losses, weights, reached[i] + 1e-6) == losses[order[i + 1]]
    assert loss_reached(losses, weights, 0.0) == losses.min()
    assert loss_reached(losses, weights, 99.0) == losses.max()


@pytest.mark.parametrize("inside", [0.0, 0.1, 0.3])
def test_the_end_of_an_interval_is_where_the_likelihood_has_fallen_enough(inside):
    def fall(share):
        return 400.0 * (share - inside) ** 2

    edge = inside + np.sqrt(FALL / 400.0)
    assert _end(fall, inside, 0.45) == pytest.approx(edge, abs=0.45 / 2**HALVINGS)
    assert _end(lambda share: 0.0, inside, 0.45) == 0.45
    assert _end(lambda share: FALL, inside, 0.45) == 0.45


class Known:
    """A channel whose likelihoods are known, without wrong labels and with the best share."""

    def __init__(self, evidence):
        self.evidence = evidence

    def start(self, rate, like=None):
        return np.array([rate])

    def fit(self, share, deviation, starts):
        if np.isinf(deviation):
            return 10.0 - 0.5 * self.evidence, 0.08, starts[0]
        if deviation == TIGHT:
            return 10.0 + 1e4 * share, share, starts[0]
        return 9.0, 0.08, starts[0]


@pytest.mark.parametrize(
    ("evidence", "second", "share"),
    [(1.9, 0.1, 0.0), (2.1, 0.1, 0.08), (1.9, 0.12, 0.08), (-3.0, 0.1, 0.0)],
)
def test_a_small_share_that_the_likelihood_can_do_without_is_none(
    evidence, second, share, monkeypatch
):
    monkeypatch.setattr(label_channel, "_Channel", lambda *parts: Known(evidence))
    found = label_channel.estimate_channel_share(None, None, None, second)
    assert found.share == share
    assert found.evidence == pytest.approx(max(evidence, 0.0))
    assert found.interval[0] <= share <= found.interval[1] < 0.45


RULES = {
    "smallest": Smallest(0.3),
    "given": Given(0.3, np.linspace(0.1, 1.0, 10).round()),
    "balanced": Balanced(0.3, np.arange(10) % 2, 2),
    "softplus": Softplus(0.3, 1.0),
    "soft balanced": SoftBalanced(0.3, np.arange(10) % 2, 2),
    "tilted": Tilted(-1.0),
    "truncated": Truncated(2.0),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_that_keeps_rows_in_part_says_so(rule, rng):
    weights = rule.weights(rng.exponential(size=10), np.ones(10))
    assert rule.soft is not bool(np.isin(weights, [0.0, 1.0]).all())


@pytest.mark.parametrize("classes", [2, 3])
def test_a_channel_starts_from_rates_and_lines(classes, rng):
    codes = rng.integers(0, classes, 30)
    channel = _Channel(rng.normal(size=(30, classes)) + 5.0, codes, rng.random(30))
    sizes = np.sum(channel.scores**2, axis=1)
    assert channel.weights @ sizes / channel.weights.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(channel.scores.sum(axis=1), 0.0, atol=1e-12)
    for rate in (0.05, 0.4):
        rates, slope = channel._rates(channel.start(rate))
        np.testing.assert_allclose(rates, rate)
        np.testing.assert_allclose(slope, rate * (1 - rate / LARGEST_RATE))
        assert channel._share(channel.start(rate)) == pytest.approx(rate)
    np.testing.assert_allclose(channel._rates(channel.start(0.0))[0], 1e-6)
    np.testing.assert_allclose(channel._rates(channel.start(1.0))[0], 0.9 * LARGEST_RATE)
    start = channel.start(0.2)
    assert start[: 1 + classes].tolist() == [1.0] + [0.0] * classes
    assert len(start) == 1 + classes + (2 if classes == 2 else 1)
    like = np.arange(float(len(start)))
    again = channel.start(0.2, like)
    assert again[: 1 + classes].tolist() == like[: 1 + classes].tolist()
    assert again[1 + classes :].tolist() == start[1 + classes :].tolist()


@pytest.mark.parametrize("classes", [2, 3])
def test_a_likelihood_is_that_of_labels_turned_at_random(classes, rng):
    n, scores = 25, rng.normal(size=(25, classes))
    codes, weights = rng.integers(0, classes, 25), rng.random(25)
    channel = _Channel(scores, codes, weights)
    x = channel.start(0.2) + 0.3 * rng.normal(size=len(channel.start(0.2)))
    rates, _ = channel._rates(x)
    f = np.exp(x[0]) * channel.scores + x[1 : 1 + classes]
    p = np.exp(f) / np.exp(f).sum(axis=1, keepdims=True)
    T = np.diag(1 - rates) + (1 - np.eye(classes)) * (rates / (classes - 1))[:, None]
    q = np.array([p[i] @ T[:, codes[i]] for i in range(n)])
    share = float(weights @ (p @ rates) / weights.sum())
    expected = -weights @ np.log(q) + 0.5 * ((share - 0.1) / 0.05) ** 2
    expected += (x[0] - 1) ** 2 / 18 + np.sum(x[1 : 1 + classes] ** 2) / 50
    assert channel._share(x) == pytest.approx(share)
    assert channel._value(x, 0.1, 0.05)[0] == pytest.approx(expected)
