"""Tilting: between the sum of the losses and the smallest of them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive.tilted import tilted_sum
from properties import selection as properties
from untaint.weighting.tilted import Tilted

quick = settings(max_examples=25)
tilts = st.one_of(st.sampled_from([-1e-3, -0.5, -1.0, -20.0]), st.floats(-30.0, -1e-3))
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


@given(tilt=tilts, frame=rows())
@quick
def test_value_is_the_definition(tilt, frame):
    value = Tilted(tilt).value(*frame)
    np.testing.assert_allclose(value, tilted_sum(*frame, tilt), rtol=1e-9, atol=1e-9)


@given(tilt=tilts, frame=rows())
@quick
def test_weights_go_with_the_exponential_and_sum_to_the_rows(tilt, frame):
    losses, sample_weight = frame
    weights = Tilted(tilt).weights(losses, sample_weight)
    expected = sample_weight * np.exp(tilt * (losses - losses.min()))
    np.testing.assert_allclose(
        weights, expected * (sample_weight.sum() / expected.sum()), rtol=1e-9
    )
    np.testing.assert_allclose(weights.sum(), sample_weight.sum())


@given(tilt=tilts, frame=rows())
@quick
def test_weights_are_the_gradient_of_the_value(tilt, frame):
    losses, sample_weight = frame
    properties.has_the_gradient_of_its_value(Tilted(tilt), losses + 1.0, sample_weight)


@given(tilt=tilts, frame=rows(count=2))
@quick
def test_value_is_concave_and_below_its_tangents(tilt, frame):
    properties.is_concave(Tilted(tilt), *frame)
    properties.lies_below_its_tangents(Tilted(tilt), *frame)


@given(tilt=tilts, frame=rows(), row=st.integers(0, 9), rise=st.floats(0.0, 20.0))
@quick
def test_value_never_falls_when_a_loss_rises(tilt, frame, row, rise):
    properties.never_falls_when_a_loss_rises(
        Tilted(tilt), *frame, row=row % len(frame[0]), rise=rise
    )


@given(tilt=tilts, frame=rows(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial(tilt, frame, seed):
    losses, sample_weight = frame
    order = np.random.default_rng(seed).permutation(len(losses))
    rule = Tilted(tilt)
    np.testing.assert_allclose(
        rule.weights(losses[order], sample_weight[order]), rule.weights(*frame)[order], rtol=1e-12
    )
    np.testing.assert_allclose(
        rule.value(losses[order], sample_weight[order]), rule.value(*frame), rtol=1e-12, atol=1e-12
    )


@given(tilt=tilts, frame=rows(), data=st.data())
@quick
def test_a_weight_is_that_many_copies(tilt, frame, data):
    losses, rule = frame[0], Tilted(tilt)
    copies = data.draw(vectors(st.integers(1, 4), len(losses)))
    owner = np.repeat(np.arange(len(losses)), copies)
    ones, whole = np.ones(len(owner)), copies.astype(float)
    summed = np.bincount(owner, rule.weights(losses[owner], ones))
    np.testing.assert_allclose(summed, rule.weights(losses, whole), rtol=1e-9)
    expected = rule.value(losses, whole)
    np.testing.assert_allclose(rule.value(losses[owner], ones), expected, rtol=1e-9, atol=1e-9)


@given(tilt=tilts, frame=rows(), shift=st.floats(0.0, 1e6))
@quick
def test_a_common_loss_is_added_to_every_row_and_changes_no_weight(tilt, frame, shift):
    losses, sample_weight = frame
    rule = Tilted(tilt)
    np.testing.assert_allclose(
        rule.weights(losses + shift, sample_weight), rule.weights(*frame), rtol=1e-6
    )
    expected = rule.value(*frame) + shift * sample_weight.sum()
    np.testing.assert_allclose(rule.value(losses + shift, sample_weight), expected, rtol=1e-9)


def test_no_tilt_is_the_weighted_sum(rng):
    losses, sample_weight = rng.random(9), rng.random(9)
    np.testing.assert_allclose(Tilted(0.0).weights(losses, sample_weight), sample_weight)
    assert Tilted(0.0).value(losses, sample_weight) == pytest.approx(sample_weight @ losses)


def test_value_rises_to_the_sum_as_the_tilt_tends_to_none(rng):
    losses, sample_weight = 3 * rng.random(9), rng.random(9) + 0.5
    values = [
        Tilted(tilt).value(losses, sample_weight) for tilt in (-100, -10, -1, -0.1, -1e-3, -1e-6)
    ]
    assert all(low < high for low, high in pairwise(values))
    assert values[-1] == pytest.approx(sample_weight @ losses, rel=1e-5)


def test_value_falls_to_all_rows_times_the_smallest_loss(rng):
    losses, sample_weight = 1.0 + 3 * rng.random(9), rng.random(9) + 0.5
    least = sample_weight.sum() * losses.min()
    away = [Tilted(-t).value(losses, sample_weight) - least for t in (1e1, 1e2, 1e4, 1e8)]
    assert all(0 <= later < earlier for earlier, later in pairwise(away))
    assert away[-1] < 1e-6
    weights = Tilted(-1e8).weights(losses, sample_weight)
    assert np.flatnonzero(weights).tolist() == [losses.argmin()]
    assert weights.sum() == pytest.approx(sample_weight.sum())


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("far", [1e12, 1e300, np.inf])
def test_a_huge_loss_has_no_weight(far):
    losses = np.array([1.0, 2.0, far])
    np.testing.assert_allclose(Tilted(-1.0).weights(losses, np.ones(3))[2], 0.0)
    near = Tilted(-1.0).value(np.array([1.0, 2.0, 1e3]), np.ones(3))
    assert Tilted(-1.0).value(losses, np.ones(3)) == pytest.approx(near)


@pytest.mark.filterwarnings("error")
def test_infinite_losses_alone_share_alike():
    np.testing.assert_array_equal(Tilted(-1.0).weights(np.full(3, np.inf), np.ones(3)), np.ones(3))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-9, 1e3])
def test_the_unit_of_the_weights_does_not_matter(rng, scale):
    losses, sample_weight = rng.random(12), rng.random(12) + 0.5
    weights = Tilted(-2.0).weights(losses, sample_weight)
    np.testing.assert_allclose(Tilted(-2.0).weights(losses, scale * sample_weight), scale * weights)


def test_rules_compare_and_print_by_their_parameters():
    assert Tilted(-1.0) == Tilted(-1.0) != Tilted(-2.0)
    assert repr(Tilted(-1.0)) == "Tilted(tilt=-1.0)"
    assert Tilted(-1.0).soft
