"""What holds for every selection rule, of the rules that know classes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from properties import selection as properties
from untaint.weighting.class_balanced import ClassBalanced
from untaint.weighting.class_balanced_soft import SoftClassBalanced
from untaint.weighting.softplus import Softplus

RULES = {
    "balanced": ClassBalanced,
    "wide": lambda *frame: SoftClassBalanced(*frame, smoothing=0.5),
    "narrow": lambda *frame: SoftClassBalanced(*frame, smoothing=20.0),
}
each = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
quick = settings(max_examples=15)

# At most half is trimmed, as everywhere: no class of two rows loses both.
contaminations = st.one_of(st.sampled_from([0.0, 0.25, 0.1, 0.4]), st.floats(0.001, 0.45))
single_losses = st.one_of(st.integers(0, 4).map(float), st.floats(0.0, 10.0))
single_weights = st.one_of(st.integers(1, 3).map(float), st.floats(0.05, 5.0))
# Whole rows cost n log n by Stirling's half row: so much a class may be missing at the best set.
STIRLING = 0.04


def vectors(elements, n):
    return st.lists(elements, min_size=n, max_size=n).map(np.array)


@st.composite
def classes(draw):
    """Class of each row, three rows of each class at least, and the number of classes."""
    n_groups = draw(st.integers(1, 3))
    sizes = draw(vectors(st.integers(3, 6), n_groups))
    return np.repeat(np.arange(n_groups), sizes), n_groups


@st.composite
def labelled(draw, count=1):
    """Classes and their number, then losses as many times as asked for and row weights."""
    groups, n_groups = draw(classes())
    n = len(groups)
    drawn = [draw(vectors(single_losses, n)) for _ in range(count)]
    return (
        groups,
        n_groups,
        *drawn,
        draw(st.one_of(st.just(np.ones(n)), vectors(single_weights, n))),
    )


def counted(sample_weight):
    return (sample_weight == np.floor(sample_weight)).all() or len(np.unique(sample_weight)) == 1


def slack(rule, sample_weight):
    """What the value may miss of the best set of whole rows."""
    whole = type(rule) is ClassBalanced and counted(sample_weight)
    return rule.n_groups * STIRLING * max(1.0, sample_weight.max()) if whole else 0.0


@each
@given(fraction=contaminations, frame=labelled())
@quick
def test_weights_lie_between_nothing_and_the_row(rule, fraction, frame):
    groups, n_groups, *rows = frame
    properties.weighs_between_nothing_and_the_row(rule(fraction, groups, n_groups), *rows)


@each
@given(fraction=contaminations, frame=labelled())
@quick
def test_weights_sum_to_the_kept_total(rule, fraction, frame):
    groups, n_groups, *rows = frame
    properties.keeps_the_asked_total(rule(fraction, groups, n_groups), *rows)


@each
@given(fraction=contaminations, frame=labelled(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial(rule, fraction, frame, seed):
    groups, n_groups, *rows = frame
    order = np.random.default_rng(seed).permutation(len(groups))
    properties.follows_a_permutation(rule(fraction, groups, n_groups), *rows, order)


@each
@given(fraction=contaminations, frame=labelled(), data=st.data())
@quick
def test_a_weight_is_that_many_copies(rule, fraction, frame, data):
    groups, n_groups, losses, _ = frame
    copies = data.draw(vectors(st.integers(1, 4), len(losses)))
    properties.counts_a_weight_as_copies(rule(fraction, groups, n_groups), losses, copies)


@each
@given(fraction=contaminations, frame=labelled())
@quick
def test_of_one_class_the_better_row_is_never_kept_less(rule, fraction, frame):
    groups, n_groups, losses, _ = frame
    weights = rule(fraction, groups, n_groups).weights(losses, np.ones(len(losses)))
    for k in range(n_groups):
        rows = np.flatnonzero(groups == k)
        ordered = rows[np.argsort(losses[rows], kind="stable")]
        assert (np.diff(weights[ordered]) <= 1e-9).all()


@each
@given(fraction=contaminations, frame=labelled(), seed=st.integers(0, 99))
@quick
def test_weights_are_the_gradient_of_the_value(rule, fraction, frame, seed):
    groups, n_groups, _, sample_weight = frame
    rng = np.random.default_rng(seed)
    losses = rng.permutation(np.arange(len(groups)) * 0.5) + 0.4 * rng.random(len(groups))
    rule = rule(fraction, groups, n_groups)
    if type(rule) is ClassBalanced:
        # Whole rows change places in a jump: stay away from where they do.
        weights = rule.weights(losses, sample_weight)
        for step in 1e-5 * np.vstack([np.eye(len(losses)), -np.eye(len(losses))]):
            assume(np.abs(rule.weights(losses + step, sample_weight) - weights).max() < 0.01)
    properties.has_the_gradient_of_its_value(rule, losses, sample_weight, atol=1e-5)


@each
@given(fraction=contaminations, frame=labelled(count=2))
@quick
def test_value_is_concave(rule, fraction, frame):
    groups, n_groups, *rows = frame
    rule = rule(fraction, groups, n_groups)
    properties.is_concave(rule, *rows, slack=slack(rule, rows[-1]))


@each
@given(fraction=contaminations, frame=labelled(count=2))
@quick
def test_weights_majorise_the_value(rule, fraction, frame):
    groups, n_groups, *rows = frame
    rule = rule(fraction, groups, n_groups)
    properties.lies_below_its_tangents(rule, *rows, slack=slack(rule, rows[-1]))


@each
@given(fraction=contaminations, frame=labelled(), row=st.integers(0, 17), rise=st.floats(0.0, 20.0))
@quick
def test_value_never_falls_when_a_loss_rises(rule, fraction, frame, row, rise):
    groups, n_groups, *rows = frame
    rule = rule(fraction, groups, n_groups)
    properties.never_falls_when_a_loss_rises(
        rule, *rows, row=row % len(groups), rise=rise, slack=slack(rule, rows[-1])
    )


@each
@given(fraction=contaminations, frame=labelled())
@quick
def test_rows_are_held_to_the_thresholds_of_their_classes(rule, fraction, frame):
    assume(fraction > 0)
    groups, n_groups, *rows = frame
    rule = rule(fraction, groups, n_groups)
    properties.follows_the_thresholds_of_its_rows(rule, *rows)
    assert rule.class_thresholds(*rows).shape == (n_groups,)


@each
def test_without_trimming_every_row_is_kept(rule, rng):
    groups, losses, sample_weight = np.arange(9) % 3, rng.random(9), rng.random(9)
    losses[4] = np.inf
    weights = rule(0.0, groups, 3).weights(losses, sample_weight)
    np.testing.assert_array_equal(weights, sample_weight)
    assert weights is not sample_weight


@each
def test_equal_losses_trim_the_same_fraction_of_every_class(rule):
    groups, ones = np.repeat([0, 1, 2], 10), np.ones(30)
    weights = rule(0.3, groups, 3).weights(np.full(30, 3.0), ones)
    np.testing.assert_allclose(weights, 0.7, rtol=1e-9)


@each
@pytest.mark.parametrize("huge", [30.0, 1e3, 1e12])
@pytest.mark.parametrize("size", [2, 5, 30])
def test_no_class_is_lost_whatever_it_loses(rule, huge, size, rng):
    groups = np.r_[np.zeros(50, dtype=int), np.ones(size, dtype=int)]
    losses = rng.random(50 + size)
    losses[groups == 1] += huge
    rule = rule(0.4, groups, 2)
    weights = rule.weights(losses, np.ones(len(groups)))
    assert np.isfinite(weights).all()
    if type(rule) is ClassBalanced:
        assert weights[groups == 1].sum() >= 1.0
        assert (weights[groups == 1] > 0).any()


@each
@pytest.mark.parametrize("far", [1e12, 1e24, 1e300, np.inf])
def test_how_far_a_huge_loss_lies_does_not_matter(rule, far, rng):
    groups, near = np.arange(20) % 2, rng.random(20)
    near[:3] = 500.0
    beyond = np.where(near == 500.0, far, near)
    rule = rule(0.3, groups, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = rule.weights(beyond, np.ones(20))
        value = rule.value(beyond, np.ones(20))
    np.testing.assert_allclose(weights, rule.weights(near, np.ones(20)), atol=1e-9)
    np.testing.assert_allclose(value, rule.value(near, np.ones(20)), rtol=1e-6)


@each
def test_losses_far_from_zero_are_compared_all_the_same(rule, rng):
    groups, losses = np.arange(20) % 2, 10 * rng.random(20)
    near = rule(0.3, groups, 2).weights(losses, np.ones(20))
    np.testing.assert_allclose(
        rule(0.3, groups, 2).weights(500.0 + losses, np.ones(20)), near, atol=1e-8
    )


INFINITE = {
    "of one class": np.r_[np.full(4, np.inf), np.arange(4.0)],
    "of both": np.tile([0.0, 1.0, np.inf, np.inf], 2),
    "of every row": np.full(8, np.inf),
}


@each
@pytest.mark.parametrize("losses", INFINITE.values(), ids=INFINITE)
def test_more_infinite_losses_than_are_trimmed(rule, losses):
    rule = rule(0.25, np.repeat([0, 1], 4), 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = rule.weights(losses, np.ones(8))
        value = rule.value(losses, np.ones(8))
    assert np.isfinite(weights).all()
    np.testing.assert_allclose(weights.sum(), 6.0)
    np.testing.assert_allclose(weights[np.isfinite(losses)], 1.0)
    assert value == np.inf


@each
@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3])
@pytest.mark.parametrize("n_groups", [2, 12])
@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
def test_the_unit_of_the_weights_does_not_matter(rule, scale, n_groups, equal, rng):
    n = 5 * n_groups
    groups, losses = np.arange(n) % n_groups, rng.random(n)
    sample_weight = np.full(n, np.pi / 4) if equal else rng.random(n) + 0.5
    rule = rule(0.3, groups, n_groups)
    np.testing.assert_allclose(
        rule.weights(losses, scale * sample_weight),
        scale * rule.weights(losses, sample_weight),
        rtol=1e-8,
        atol=1e-9 * scale,
    )


@each
def test_one_class_alone_is_trimmed_as_if_there_were_no_classes(rule, rng):
    losses, ones = rng.random(20), np.ones(20)
    rule = rule(0.25, np.zeros(20, dtype=int), 1)
    if isinstance(rule, SoftClassBalanced):
        expected = Softplus(0.25, rule.smoothing).weights(losses, ones)
    else:
        expected = (losses <= np.sort(losses)[14]).astype(float)
    np.testing.assert_allclose(rule.weights(losses, ones), expected, atol=1e-9)


@each
def test_a_class_without_rows_changes_no_weight(rule, rng):
    groups, losses = np.arange(20) % 2, rng.random(20)
    two, three = rule(0.25, groups, 2), rule(0.25, 2 * groups, 3)
    np.testing.assert_allclose(
        three.weights(losses, np.ones(20)), two.weights(losses, np.ones(20)), atol=1e-9
    )
    assert np.isfinite(three.value(losses, np.ones(20)))
    assert np.isfinite(three.class_thresholds(losses, np.ones(20))).all()


@each
def test_among_some_rows_the_classes_stay_what_they_are(rule, rng):
    groups, losses = rng.integers(0, 3, size=40), rng.random(40)
    rows = np.sort(rng.permutation(40)[:25])
    some = rule(0.25, groups, 3).among(rows)
    fresh = rule(0.25, groups[rows], 3)
    assert type(some) is type(fresh)
    np.testing.assert_array_equal(some.groups, groups[rows])
    np.testing.assert_array_equal(
        some.weights(losses[rows], np.ones(25)), fresh.weights(losses[rows], np.ones(25))
    )


@each
def test_arguments_are_left_alone(rule, rng):
    groups, losses, sample_weight = np.arange(12) % 3, rng.random(12), rng.random(12)
    before = groups.copy(), losses.copy(), sample_weight.copy()
    rule = rule(0.25, groups, 3)
    rule.weights(losses, sample_weight)
    rule.value(losses, sample_weight)
    rule.class_thresholds(losses, sample_weight)
    for array, copy in zip((groups, losses, sample_weight), before, strict=True):
        np.testing.assert_array_equal(array, copy)
