"""Truncated reweighting: Huber's function of the residuals, and its weights."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from naive import reweighted as naive
from properties import selection as properties
from untaint.weighting.truncated import Truncated

quick = settings(max_examples=25)
largest_weights = st.one_of(st.sampled_from([0.1, 0.5, 1.0, 20.0]), st.floats(0.05, 100.0))
single_losses = st.one_of(st.integers(0, 4).map(float), st.floats(0.0, 10.0))
single_weights = st.one_of(st.integers(1, 3).map(float), st.floats(0.05, 5.0))


def vectors(elements, n):
    return st.lists(elements, min_size=n, max_size=n).map(np.array)


@st.composite
def rows(draw, count=1):
    """Losses, as many times as asked for, and row weights."""
    n = draw(st.integers(1, 8))
    return *(draw(vectors(single_losses, n)) for _ in range(count)), draw(
        vectors(single_weights, n)
    )


@given(largest=largest_weights, frame=rows())
@quick
def test_value_and_weights_are_the_definition(largest, frame):
    losses, _ = frame
    rule, ones, residuals = Truncated(largest), np.ones(len(losses)), np.sqrt(losses)
    np.testing.assert_allclose(rule.value(losses, ones), naive.huber(residuals, largest))
    np.testing.assert_allclose(
        rule.weights(losses, ones), naive.truncated_weights(residuals, largest)
    )


@given(largest=largest_weights, frame=rows())
@quick
def test_weights_are_positive_and_at_most_the_largest(largest, frame):
    losses, sample_weight = frame
    weights = Truncated(largest).weights(losses, sample_weight)
    assert (weights > 0).all()
    assert (weights <= largest * sample_weight * (1 + 1e-12)).all()
    np.testing.assert_allclose(
        weights[losses == 0], (largest * sample_weight)[losses == 0], rtol=1e-12
    )


@given(largest=largest_weights, frame=rows())
@quick
def test_weights_are_the_gradient_of_the_value(largest, frame):
    losses, sample_weight = frame
    losses = losses + 1e-2  # central differences need a margin
    assume((np.abs(losses - 1 / largest**2) > 1e-3).all())
    properties.has_the_gradient_of_its_value(Truncated(largest), losses, sample_weight, atol=1e-4)


@pytest.mark.parametrize("largest", [0.5, 1.0, 4.0])
def test_value_and_slope_are_continuous_at_the_bend(largest):
    bend = 1 / largest**2
    rule, one = Truncated(largest), np.ones(1)
    values = [rule.value(np.array([bend * (1 + s)]), one) for s in (-1e-9, 0.0, 1e-9)]
    weights = [rule.weights(np.array([bend * (1 + s)]), one)[0] for s in (-1e-9, 0.0, 1e-9)]
    np.testing.assert_allclose(values, 2 / largest, rtol=1e-8)
    np.testing.assert_allclose(weights, largest, rtol=1e-8)


@given(largest=largest_weights, frame=rows(count=2))
@quick
def test_value_is_concave_and_below_its_tangents(largest, frame):
    properties.is_concave(Truncated(largest), *frame)
    properties.lies_below_its_tangents(Truncated(largest), *frame)


@given(largest=largest_weights, frame=rows(), row=st.integers(0, 9), rise=st.floats(0.0, 20.0))
@quick
def test_value_never_falls_when_a_loss_rises(largest, frame, row, rise):
    properties.never_falls_when_a_loss_rises(
        Truncated(largest), *frame, row=row % len(frame[0]), rise=rise
    )


@given(largest=largest_weights, factor=st.floats(1.0, 50.0), frame=rows())
@quick
def test_value_never_rises_with_the_largest_weight(largest, factor, frame):
    value = Truncated(largest).value(*frame)
    assert Truncated(factor * largest).value(*frame) <= value * (1 + 1e-12)


def test_value_falls_to_twice_the_absolute_residuals(rng):
    losses, sample_weight = 3 * rng.random(9), rng.random(9) + 0.5
    losses[0] = 0.0
    least = 2 * sample_weight @ np.sqrt(losses)
    away = [Truncated(m).value(losses, sample_weight) - least for m in (0.1, 1.0, 10.0, 1e4, 1e8)]
    assert all(0 <= later < earlier for earlier, later in pairwise(away))
    assert away[-1] < 1e-7


def test_a_small_largest_weight_is_the_sum_of_the_losses(rng):
    losses, sample_weight = rng.random(9), rng.random(9)
    value = Truncated(1e-3).value(losses, sample_weight)
    assert value == pytest.approx(1e-3 * sample_weight @ losses + 1e3 * sample_weight.sum())
    np.testing.assert_allclose(Truncated(1e-3).weights(losses, sample_weight), 1e-3 * sample_weight)


@given(largest=largest_weights, frame=rows(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial(largest, frame, seed):
    losses, sample_weight = frame
    order = np.random.default_rng(seed).permutation(len(losses))
    rule = Truncated(largest)
    np.testing.assert_array_equal(
        rule.weights(losses[order], sample_weight[order]), rule.weights(*frame)[order]
    )
    np.testing.assert_allclose(rule.value(losses[order], sample_weight[order]), rule.value(*frame))


@given(largest=largest_weights, frame=rows(), data=st.data())
@quick
def test_a_weight_is_that_many_copies(largest, frame, data):
    losses, rule = frame[0], Truncated(largest)
    copies = data.draw(vectors(st.integers(1, 4), len(losses)))
    owner = np.repeat(np.arange(len(losses)), copies)
    ones, whole = np.ones(len(owner)), copies.astype(float)
    summed = np.bincount(owner, rule.weights(losses[owner], ones))
    np.testing.assert_allclose(summed, rule.weights(losses, whole))
    np.testing.assert_allclose(rule.value(losses[owner], ones), rule.value(losses, whole))


@pytest.mark.filterwarnings("error")
def test_losses_of_any_size():
    weights = Truncated(2.0).weights(np.array([0.0, 1e-300, 1e300, np.inf]), np.ones(4))
    np.testing.assert_allclose(weights, [2.0, 2.0, 1e-150, 0.0])


def test_rules_compare_and_print_by_their_parameters():
    assert Truncated(2.0) == Truncated(2.0) != Truncated(3.0)
    assert repr(Truncated(2.0)) == "Truncated(largest=2.0)"
    assert Truncated(2.0).soft
