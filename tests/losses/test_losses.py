"""What holds for every loss, and the numbers of each."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from naive import losses as naive
from properties import losses as properties
from untaint.losses import Loss, SquaredLoss

LOSSES = [SquaredLoss()]
BY_THE_BOOK = {SquaredLoss: naive.squared}

each = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
shapes = st.tuples(st.integers(1, 6), st.integers(1, 4))
numbers = st.floats(-1e3, 1e3)


@st.composite
def comparisons(draw, count=2):
    """Targets and raw predictions of the same shape."""
    shape = draw(shapes)
    return tuple(draw(arrays(float, shape, elements=numbers)) for _ in range(count))


@each
@given(pair=comparisons())
@settings(max_examples=25)
def test_value_equals_the_formula(loss, pair):
    y, f = pair
    expected = [BY_THE_BOOK[type(loss)](a, b) for a, b in zip(y.tolist(), f.tolist(), strict=True)]
    np.testing.assert_allclose(loss.value(y, f), expected, rtol=1e-13)


@each
@given(pair=comparisons())
@settings(max_examples=25)
def test_gradient_is_that_of_the_value(loss, pair):
    properties.has_the_gradient_of_its_value(loss, *pair)


@each
@given(pair=comparisons())
@settings(max_examples=25)
def test_rows_do_not_know_one_another(loss, pair):
    properties.is_row_wise(loss, *pair)


@each
@given(triple=comparisons(count=3))
@settings(max_examples=25)
def test_convex(loss, triple):
    properties.is_convex(loss, *triple)


@each
@given(pair=comparisons(), step=st.floats(1e-3, 10.0))
@settings(max_examples=25)
def test_curvature_bounds_the_change_of_slope(loss, pair, step):
    properties.bends_no_more_than_its_curvature(loss, *pair, step)


@each
def test_never_negative_and_flat_at_its_least(loss, rng):
    y = rng.normal(size=(20, 3))
    assert (loss.value(y, rng.normal(size=(20, 3))) >= 0).all()
    np.testing.assert_array_equal(loss.value(y, y), np.zeros(20))
    np.testing.assert_array_equal(loss.gradient(y, y), np.zeros((20, 3)))


@each
def test_single_precision_stays_single(loss, rng):
    y, f = rng.normal(size=(2, 9, 2)).astype(np.float32)
    assert loss.value(y, f).dtype == np.float32
    assert loss.gradient(y, f).dtype == np.float32
    np.testing.assert_allclose(loss.value(y, f), loss.value(y.astype(float), f), rtol=1e-5)


@each
@pytest.mark.parametrize(("dtype", "far"), [(np.float64, 1e200), (np.float32, 1e30)])
def test_a_target_beyond_reach_costs_infinitely_much_without_a_warning(loss, dtype, far):
    y = np.array([[far], [1.0]], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = loss.value(y, np.zeros((2, 1), dtype=dtype))
    np.testing.assert_array_equal(values, [np.inf, 1.0])


@each
def test_arguments_are_left_alone(loss, rng):
    y, f = rng.normal(size=(2, 5, 2))
    before = y.copy(), f.copy()
    loss.value(y, f)
    loss.gradient(y, f)
    np.testing.assert_array_equal((y, f), before)


def test_squared_loss_sums_over_outputs():
    y, f = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 4.0, 3.0]])
    np.testing.assert_array_equal(SquaredLoss().value(y, f), [5.0])
    np.testing.assert_array_equal(SquaredLoss().gradient(y, f), [[-2.0, 4.0, 0.0]])


def test_squared_loss_bends_by_exactly_its_curvature(rng):
    y, f = rng.normal(size=(2, 7, 1))
    change = SquaredLoss().gradient(y, f + 0.5) - SquaredLoss().gradient(y, f)
    np.testing.assert_allclose(change, 0.5 * SquaredLoss.curvature)


def test_a_loss_must_say_both_value_and_gradient():
    class Half(Loss):
        def value(self, y, f):
            return y

    with pytest.raises(TypeError, match="gradient"):
        Half()
