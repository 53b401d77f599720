"""Weights that are given stay as they are, whatever the losses say."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from properties import selection as properties
from untaint.weighting.fixed import FixedWeights
from untaint.weighting.trimmed import Trimmed

quick = settings(max_examples=25)


@st.composite
def frames(draw, count=1):
    """A rule, losses as many times as asked for, and row weights."""
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    inlier_probability = np.round(rng.random(n), draw(st.sampled_from([0, 1, 12])))
    losses = [np.round(10 * rng.random(n), draw(st.sampled_from([0, 12]))) for _ in range(count)]
    sample_weight = rng.integers(1, 4, size=n).astype(float)
    if draw(st.booleans()):
        sample_weight *= rng.random(n) + 0.1
    return FixedWeights(0.3, inlier_probability), *losses, sample_weight


@given(frame=frames())
@quick
def test_weights_lie_between_nothing_and_the_row(frame):
    properties.weighs_between_nothing_and_the_row(*frame)


@given(frame=frames())
@quick
def test_weights_sum_to_the_kept_total(frame):
    # Of whole rows, which the other rules keep, nothing was said here.
    rule, losses, sample_weight = frame
    total = rule.weights(losses, sample_weight).sum()
    assert rule.kept_total(sample_weight) == pytest.approx(total, rel=1e-12)


@given(frame=frames(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial(frame, seed):
    order = np.random.default_rng(seed).permutation(len(frame[1]))
    properties.follows_a_permutation(*frame, order)


@given(frame=frames(), seed=st.integers(0, 99))
@quick
def test_a_weight_is_that_many_copies(frame, seed):
    rule, losses, _ = frame
    copies = np.random.default_rng(seed).integers(1, 5, size=len(losses))
    properties.counts_a_weight_as_copies(rule, losses, copies)


@given(frame=frames())
@quick
def test_weights_are_the_gradient_of_the_value(frame):
    properties.has_the_gradient_of_its_value(*frame)


@given(frame=frames(count=2))
@quick
def test_value_is_concave(frame):
    properties.is_concave(*frame)


@given(frame=frames(count=2))
@quick
def test_weights_majorise_the_value(frame):
    properties.lies_below_its_tangents(*frame)


@given(frame=frames(), row=st.integers(0, 9), rise=st.floats(0.0, 20.0))
@quick
def test_value_never_falls_when_a_loss_rises(frame, row, rise):
    properties.never_falls_when_a_loss_rises(*frame, row=row % len(frame[1]), rise=rise)


def test_losses_do_not_change_the_weights(rng):
    rule, sample_weight = FixedWeights(0.2, rng.random(9)), rng.random(9)
    one = rule.weights(rng.random(9), sample_weight)
    other = rule.weights(1e12 * rng.random(9), sample_weight)
    np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(one, rule.inlier_probability * sample_weight)


def test_full_weight_of_all_rows_is_the_plain_weighted_sum(rng):
    losses, sample_weight = rng.random(9), rng.random(9)
    rule = FixedWeights(0.0, np.ones(9))
    np.testing.assert_array_equal(rule.weights(losses, sample_weight), sample_weight)
    assert rule.value(losses, sample_weight) == pytest.approx(sample_weight @ losses)


def test_full_weight_of_the_rows_that_trimming_keeps_is_trimming(rng):
    losses, ones = rng.random(20), np.ones(20)
    trimmed = Trimmed(0.3)
    rule = FixedWeights(0.3, trimmed.weights(losses, ones))
    assert rule.value(losses, ones) == pytest.approx(trimmed.value(losses, ones))
    assert rule.threshold(losses, ones) == trimmed.threshold(losses, ones)
    assert rule.kept_total(ones) == trimmed.kept_total(ones)


def test_threshold_lies_where_as_much_weight_stays_below_as_is_kept():
    rule = FixedWeights(0.4, np.array([0.0, 1.0, 1.0, 1.0, 0.0]))
    losses = np.array([9.0, 1.0, 3.0, 2.0, 8.0])
    assert rule.threshold(losses, np.ones(5)) == 3.0
    np.testing.assert_array_equal(rule.class_thresholds(losses, np.ones(5)), [3.0])


def test_an_infinite_loss_of_a_row_without_weight_does_not_matter():
    rule = FixedWeights(0.5, np.array([1.0, 0.0]))
    assert rule.value(np.array([2.0, np.inf]), np.ones(2)) == 2.0
    assert rule.value(np.array([np.inf, 2.0]), np.ones(2)) == np.inf


def test_among_takes_the_weights_of_those_rows(rng):
    rule, rows = FixedWeights(0.25, rng.random(9)), np.array([7, 2, 2, 0])
    some = rule.among(rows)
    assert some.contamination == 0.25
    np.testing.assert_array_equal(some.inlier_probability, rule.inlier_probability[rows])


def test_nothing_is_written_into_the_arguments(rng):
    inlier_probability, losses, sample_weight = rng.random(5), rng.random(5), rng.random(5)
    before = [inlier_probability.copy(), losses.copy(), sample_weight.copy()]
    rule = FixedWeights(0.1, inlier_probability)
    rule.weights(losses, sample_weight)[:] = -1.0
    rule.value(losses, sample_weight)
    rule.threshold(losses, sample_weight)
    for now, then in zip([inlier_probability, losses, sample_weight], before, strict=True):
        np.testing.assert_array_equal(now, then)
