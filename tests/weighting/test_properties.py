"""What holds for every selection rule, written once and run over all of them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from properties import selection as properties
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

RULES = {
    "smallest": Trimmed,
    "wide softplus": lambda contamination: Softplus(contamination, smoothing=0.5),
    "narrow softplus": lambda contamination: Softplus(contamination, smoothing=20.0),
}
each = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
quick = settings(max_examples=25)

# The first of these leave whole rows, the others cut one.
contaminations = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.1, 0.45]), st.floats(0.001, 0.95))
# Small integers tie, floats do not.
single_losses = st.one_of(st.integers(0, 4).map(float), st.floats(0.0, 10.0))
single_weights = st.one_of(st.integers(1, 3).map(float), st.floats(0.05, 5.0))


def vectors(elements, n):
    return st.lists(elements, min_size=n, max_size=n).map(np.array)


@st.composite
def rows(draw, count=1):
    """Losses, as many times as asked for, and row weights."""
    n = draw(st.integers(1, 8))
    drawn = [draw(vectors(single_losses, n)) for _ in range(count)]
    equal = st.just(np.ones(n))
    return *drawn, draw(st.one_of(equal, vectors(single_weights, n)))


@each
@given(contamination=contaminations, frame=rows())
@quick
def test_weights_lie_between_nothing_and_the_row(rule, contamination, frame):
    properties.weighs_between_nothing_and_the_row(rule(contamination), *frame)


@each
@given(contamination=contaminations, frame=rows())
@quick
def test_weights_sum_to_the_kept_total(rule, contamination, frame):
    properties.keeps_the_asked_total(rule(contamination), *frame)


@each
@given(contamination=contaminations, frame=rows(), seed=st.integers(0, 99))
@quick
def test_order_is_immaterial(rule, contamination, frame, seed):
    order = np.random.default_rng(seed).permutation(len(frame[0]))
    properties.follows_a_permutation(rule(contamination), *frame, order)


@each
@given(contamination=contaminations, frame=rows(), data=st.data())
@quick
def test_a_weight_is_that_many_copies(rule, contamination, frame, data):
    losses, _ = frame
    copies = data.draw(vectors(st.integers(1, 4), len(losses)))
    properties.counts_a_weight_as_copies(rule(contamination), losses, copies)


@each
@given(contamination=contaminations, frame=rows())
@quick
def test_the_better_row_is_never_kept_less(rule, contamination, frame):
    properties.prefers_the_smaller_loss(rule(contamination), frame[0])


@each
@given(contamination=contaminations, frame=rows())
@quick
def test_weights_are_the_gradient_of_the_value(rule, contamination, frame):
    losses, sample_weight = frame
    assume(len(losses) == 1 or np.diff(np.sort(losses)).min() > 1e-3)
    properties.has_the_gradient_of_its_value(rule(contamination), losses, sample_weight)


@each
@given(contamination=contaminations, frame=rows(count=2))
@quick
def test_value_is_concave(rule, contamination, frame):
    properties.is_concave(rule(contamination), *frame)


@each
@given(contamination=contaminations, frame=rows(count=2))
@quick
def test_weights_majorise_the_value(rule, contamination, frame):
    properties.lies_below_its_tangents(rule(contamination), *frame)


@each
@given(contamination=contaminations, frame=rows(), row=st.integers(0, 9), rise=st.floats(0.0, 20.0))
@quick
def test_value_never_falls_when_a_loss_rises(rule, contamination, frame, row, rise):
    properties.never_falls_when_a_loss_rises(
        rule(contamination), *frame, row=row % len(frame[0]), rise=rise
    )


@each
def test_without_trimming_it_is_the_plain_weighted_sum(rule, rng):
    losses, sample_weight = rng.random(9), rng.random(9)
    np.testing.assert_array_equal(rule(0.0).weights(losses, sample_weight), sample_weight)
    np.testing.assert_allclose(rule(0.0).value(losses, sample_weight), sample_weight @ losses)


@each
def test_rows_that_tie_share_in_proportion_to_their_weights(rule):
    losses, sample_weight = np.full(4, 3.0), np.array([1.0, 2.0, 3.0, 4.0])
    weights = rule(0.2).weights(losses, sample_weight)
    np.testing.assert_allclose(weights, 0.8 * sample_weight, rtol=1e-9)


@each
@pytest.mark.parametrize("far", [1e12, 1e24, 1e300, np.inf])
@pytest.mark.parametrize("contamination", [0.25, 0.5, 0.4])
def test_how_far_a_huge_loss_lies_does_not_matter(rule, contamination, far):
    near = np.array([1.0, 2.0, 3.0, 5e3])
    beyond = np.array([1.0, 2.0, 3.0, far])
    weights = rule(contamination).weights(near, np.ones(4))
    np.testing.assert_allclose(rule(contamination).weights(beyond, np.ones(4)), weights, atol=1e-9)
    expected = rule(contamination).value(near, np.ones(4))
    np.testing.assert_allclose(rule(contamination).value(beyond, np.ones(4)), expected, rtol=1e-6)


@each
@pytest.mark.parametrize("contamination", [0.0, 0.25])
def test_more_infinite_losses_than_are_trimmed(rule, contamination):
    losses = np.array([1.0, np.inf, 2.0, np.inf])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = rule(contamination).weights(losses, np.ones(4))
        value = rule(contamination).value(losses, np.ones(4))
    left = 1.0 - 2 * contamination
    np.testing.assert_allclose(weights, [1.0, left, 1.0, left])
    assert value == np.inf


@each
def test_infinite_losses_alone_share_what_is_kept(rule):
    weights = rule(0.25).weights(np.full(4, np.inf), np.ones(4))
    np.testing.assert_allclose(weights, np.full(4, 0.75))


@each
@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3])
def test_the_unit_of_the_weights_does_not_matter(rule, scale, rng):
    losses, sample_weight = rng.random(12), rng.random(12) + 0.5
    weights = rule(0.3).weights(losses, sample_weight)
    np.testing.assert_allclose(
        rule(0.3).weights(losses, scale * sample_weight),
        scale * weights,
        rtol=1e-8,
        atol=1e-9 * scale,
    )


@each
def test_rules_compare_and_print_by_their_parameters(rule):
    assert rule(0.2) == rule(0.2)
    assert rule(0.2) != rule(0.3)
    assert "contamination=0.2" in repr(rule(0.2))


@each
@pytest.mark.parametrize(
    ("contamination", "rows", "kept"),
    [
        (0.45, 100, 55.0),  # 0.55 * 100 is 55.00000000000001
        (0.1, 10, 9.0),
        (0.3, 1000, 700.0),
        (0.7, 10, 3.0),
        (0.25, 10, 7.0),  # the eighth row would be kept in part
        (0.01, 10, 9.0),
        (0.95, 10, 1.0),  # never nothing
        (0.0, 10, 10.0),
    ],
)
def test_rows_that_can_be_counted_are_kept_whole(rule, contamination, rows, kept):
    assert rule(contamination).kept_total(np.ones(rows)) == kept
    assert rule(contamination).kept_total(np.full(rows, 0.3)) == pytest.approx(0.3 * kept)


@each
@pytest.mark.parametrize(
    ("sample_weight", "kept"),
    [
        ([1.0, 2.0, 3.0, 1.0], 5.0),  # of 5.25
        ([2.0, 2.0, 2.0], 4.0),  # of 4.5: six copies, of which four are kept
        ([3.0], 2.0),  # of 2.25
        ([0.5, 1.0, 2.0], 2.625),  # rows beyond counting
        ([1.0, 0.0, 1.0, 1.0], 2.0),  # of 2.25: no row where there is no weight
    ],
)
def test_whole_weights_are_kept_by_the_copy(rule, sample_weight, kept):
    assert rule(0.25).kept_total(np.array(sample_weight)) == pytest.approx(kept)
