"""Thresholds are predicted from a subsample, and found exactly by finer bins."""

from __future__ import annotations

import numpy as np
import pytest

from untaint._sums import Sum
from untaint.optim.oracle import PassResult
from untaint.optim.threshold_prediction import TrimmedWeighting
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced
from untaint.weighting.softplus import Softplus
from untaint.weighting.threshold import SampleLosses, ThresholdWeights
from untaint.weighting.trimmed import Trimmed

N, M, LOOKS = 20_000, 2000, 6


def chi(rng):
    return rng.chisquare(1, N)


def split(good, bad, contamination=0.2):
    """Some bad rows, a fifth mostly."""
    return np.where(np.arange(N) < contamination * N, bad, good)


LOSSES = {
    "continuous": chi,
    "heavy": lambda rng: rng.lognormal(0.0, 8.0, N),
    "tiny": lambda rng: 1e-30 * chi(rng),
    "tied": lambda rng: np.round(chi(rng), 2),
    "counts": lambda rng: np.floor(4.0 * rng.exponential(size=N)),
    "two values": lambda rng: 1.0 + np.arange(N) % 2,
    "gapped": lambda rng: split(chi(rng), 1e6 + chi(rng)),
    "widely gapped": lambda rng: split(chi(rng), 1e12 * chi(rng)),
    "zeros": lambda rng: split(chi(rng), 0.0, 0.9),
    "equal": lambda rng: np.full(N, 3.0),
    "some infinite": lambda rng: split(chi(rng), np.inf, 0.1),
}
HARD = {
    "as many infinite": lambda rng: split(chi(rng), np.inf),
    "more infinite": lambda rng: split(chi(rng), np.inf, 0.25),
}


def losses_of(losses, groups=None):
    n = len(losses)
    groups = np.zeros(n, dtype=int) if groups is None else groups
    excluded, values = np.zeros(n, dtype=bool), np.zeros((n, 1))
    return SampleLosses(losses, values, losses[:, None], np.ones(n), groups, excluded)


def sampled(rows, chosen):
    return losses_of(rows.losses[chosen], rows.groups[chosen])


def asked(update, grid, rows):
    """What all rows say."""
    weights = update.weights(rows)
    kept = np.bincount(rows.groups, weights, len(grid.edges)).astype(float)
    loss = float(weights[weights > 0] @ rows.losses[weights > 0])
    histogram = grid.histogram(rows.losses, rows.sample_weight, rows.groups)
    return PassResult(Sum(np.array([loss, 0.0, *kept])), histogram, Sum(np.zeros((1, 1))))


def trimming(rule, n_groups=1):
    return TrimmedWeighting(rule, float(N), 1.0, n_groups)


def pass_over(strategy, rows, sample):
    """One pass, and the thresholds that it finds."""
    update = strategy.predict(sample)
    result = asked(update, strategy.grid, rows)
    strategy.observe(result, sample)
    return result


def look_closer(strategy, rows, sample, result):
    """Until thresholds are exact: the last answers, and how many looks it took."""
    looks = 0
    while not strategy.is_exact(result) and looks < LOOKS:
        update = strategy.refine()
        result = asked(update, strategy.grid, rows)
        strategy.observe(result, sample)
        looks += 1
    return result, looks


def becomes_exact(rows, rule, n_groups=1):
    """After a few looks, thresholds are those of all rows."""
    chosen = np.sort(np.random.default_rng(5).choice(N, M, replace=False))
    sample, strategy = sampled(rows, chosen), trimming(rule, n_groups)
    result, _ = look_closer(strategy, rows, sample, pass_over(strategy, rows, sample))
    assert strategy.is_exact(result)
    expected = rule.over(rows.groups).class_thresholds(rows.losses, rows.sample_weight)
    np.testing.assert_array_equal(strategy.thresholds, expected)


@pytest.mark.parametrize("kind", [*LOSSES, *HARD])
@pytest.mark.parametrize("most", [20_000, 100], ids=["long lists", "short lists"])
def test_a_few_closer_looks_make_a_threshold_exact(kind, most, set_sizes, rng):
    set_sizes(exact_losses=most)
    becomes_exact(losses_of((LOSSES | HARD)[kind](rng)), Trimmed(0.2))


@pytest.mark.parametrize("contamination", [0.0002, 0.03, 0.6, 0.97])
def test_any_share_has_an_exact_threshold(contamination, rng):
    becomes_exact(losses_of(chi(rng)), Trimmed(contamination))


@pytest.mark.parametrize("kind", ["continuous", "tied", "gapped"])
@pytest.mark.parametrize("rare", [0.3, 0.0004])
def test_so_have_all_classes_be_they_in_the_sample_or_not(kind, rare, rng):
    groups = (rng.random(N) < rare).astype(int)
    rows = losses_of(LOSSES[kind](rng) + 0.5 * groups, groups)
    becomes_exact(rows, ClassBalanced(0.2, groups, 2), 2)


@pytest.mark.parametrize("kind", ["continuous", "tied", "gapped"])
def test_where_nothing_moves_the_threshold_is_predicted_exactly(kind, rng):
    rows, rule = losses_of(LOSSES[kind](rng)), Trimmed(0.2)
    sample, strategy = sampled(rows, np.arange(0, N, 10)), trimming(rule)
    look_closer(strategy, rows, sample, pass_over(strategy, rows, sample))
    expected = rule.threshold(rows.losses, np.ones(N))
    for _ in range(2):
        result = pass_over(strategy, rows, sample)
        assert strategy.predicted[0] == pytest.approx(expected, rel=1e-12)
        assert strategy.is_exact(result)


def test_thresholds_follow_losses_that_move(rng):
    losses, rule = chi(rng), Trimmed(0.2)
    chosen, strategy, error = np.arange(0, N, 10), trimming(rule), []
    for move in (1.0, 0.1, 0.01, 0.0, 0.0):
        rows = losses_of(losses * (1.0 + move * np.sin(np.arange(N))))
        result = pass_over(strategy, rows, sampled(rows, chosen))
        expected = rule.threshold(rows.losses, np.ones(N))
        error.append(abs(float(strategy.predicted[0]) - expected))
    assert error[2] < 0.2 * error[0]
    assert error[-1] < 1e-12
    assert strategy.is_reliable(result) and strategy.is_exact(result)


def test_reliable_are_weights_that_keep_about_as_much_as_the_rule(rng):
    rows, rule = losses_of(chi(rng)), Trimmed(0.2)
    sample, strategy = sampled(rows, np.arange(0, N, 10)), trimming(rule)
    pass_over(strategy, rows, sample)
    right = rule.class_thresholds(rows.losses, np.ones(N))
    for factor, expected in ((1.0, True), (1.0001, True), (0.9, False), (1.1, False)):
        strategy.predicted = factor * right
        assert (
            strategy.is_reliable(asked(ThresholdWeights(factor * right), strategy.grid, rows))
            == expected
        )


@pytest.mark.parametrize("kind", ["counts", "two values"])
def test_ties_at_an_exact_threshold_are_reliable(kind, rng):
    rows = losses_of(LOSSES[kind](rng))
    sample, strategy = sampled(rows, np.arange(0, N, 10)), trimming(Trimmed(0.2))
    look_closer(strategy, rows, sample, pass_over(strategy, rows, sample))
    assert strategy.is_reliable(asked(strategy.refine(), strategy.grid, rows))


def test_where_nothing_is_given_up_there_is_nothing_to_find(rng):
    rows, strategy = losses_of(chi(rng)), trimming(Trimmed(0.0))
    result = pass_over(strategy, rows, sampled(rows, np.arange(M)))
    assert strategy.is_reliable(result) and strategy.is_exact(result)
    assert strategy.objective(result) == pytest.approx(rows.losses.sum())
    assert strategy.state_dict() == {}


@pytest.mark.parametrize("n_groups", [1, 3])
@pytest.mark.parametrize("smoothing", [None, 3.0], ids=["hard", "soft"])
def test_the_objective_is_that_of_the_selection(n_groups, smoothing, rng):
    groups = rng.integers(0, n_groups, N)
    rule = Trimmed(0.2) if n_groups == 1 else ClassBalanced(0.2, groups, n_groups)
    if smoothing is not None:
        soft = SoftClassBalanced(0.2, groups, n_groups, smoothing)
        rule = Softplus(0.2, smoothing) if n_groups == 1 else soft
    rows, strategy = losses_of(chi(rng), groups), trimming(rule, n_groups)
    for _ in range(3):
        result = pass_over(strategy, rows, sampled(rows, np.arange(0, N, 10)))
    assert strategy.is_reliable(result) and strategy.is_exact(result)
    tol = 1e-6 if smoothing is None else 2e-3
    assert strategy.objective(result) == pytest.approx(rule.value(rows.losses, np.ones(N)), rel=tol)


def test_goes_on_bitwise_from_what_it_remembered(rng):
    rows, later = losses_of(chi(rng)), losses_of(chi(rng))
    chosen, strategy, again = np.arange(0, N, 10), trimming(Trimmed(0.2)), trimming(Trimmed(0.2))
    pass_over(strategy, rows, sampled(rows, chosen))
    again.load_state_dict({name: value.copy() for name, value in strategy.state_dict().items()})
    cuts = [each.predict(sampled(later, chosen)) for each in (strategy, again)]
    np.testing.assert_array_equal(cuts[0].thresholds, cuts[1].thresholds)
    np.testing.assert_array_equal(strategy.grid.edges, again.grid.edges)
    np.testing.assert_array_equal(strategy.grid.near, again.grid.near)
