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
from untaint.losses import LogisticLoss, Loss, SoftmaxLoss, SquaredLoss

LOSSES = [SquaredLoss(), LogisticLoss(), SoftmaxLoss()]
BY_THE_BOOK = {
    SquaredLoss: naive.squared,
    LogisticLoss: naive.logistic,
    SoftmaxLoss: naive.softmax,
}

name = lambda loss: type(loss).__name__  # noqa: E731
each = pytest.mark.parametrize("loss", LOSSES, ids=name)
each_of_classes = pytest.mark.parametrize("loss", LOSSES[1:], ids=name)
of_numbers = pytest.mark.parametrize("loss", LOSSES[:1], ids=name)
quick = settings(max_examples=25)
numbers = st.floats(-1e3, 1e3)
modest = st.floats(-30.0, 30.0)


def draw_comparison(data, loss, count=1, elements=numbers):
    """Targets of the loss's own kind, and raw predictions as many times as asked for."""
    n = data.draw(st.integers(1, 6))
    k = 1 if isinstance(loss, LogisticLoss) else data.draw(st.integers(1, 4))
    if isinstance(loss, SquaredLoss):
        y = data.draw(arrays(float, (n, k), elements=elements))
    else:
        y = labels(loss, data.draw(arrays(int, n, elements=st.integers(0, max(k - 1, 1)))), k)
    return y, *(data.draw(arrays(float, y.shape, elements=elements)) for _ in range(count))


def labels(loss, codes, n_classes):
    """Targets of rows of these classes."""
    if isinstance(loss, LogisticLoss):
        return codes[:, None].astype(float)
    return np.eye(max(n_classes, 2))[codes]


@each
@given(data=st.data())
@quick
def test_value_equals_the_formula(loss, data):
    y, f = draw_comparison(data, loss)
    expected = [BY_THE_BOOK[type(loss)](a, b) for a, b in zip(y.tolist(), f.tolist(), strict=True)]
    np.testing.assert_allclose(loss.value(y, f), expected, rtol=1e-13, atol=1e-15)


@each
@given(data=st.data())
@quick
def test_gradient_is_that_of_the_value(loss, data):
    # The steps grow with the predictions: no farther than the loss is smooth.
    far = numbers if isinstance(loss, SquaredLoss) else modest
    properties.has_the_gradient_of_its_value(loss, *draw_comparison(data, loss, elements=far))


@each
@given(data=st.data())
@quick
def test_rows_do_not_know_one_another(loss, data):
    properties.is_row_wise(loss, *draw_comparison(data, loss))


@each
@given(data=st.data())
@quick
def test_convex(loss, data):
    properties.is_convex(loss, *draw_comparison(data, loss, count=2))


@each
@given(data=st.data(), step=st.floats(1e-3, 10.0))
@quick
def test_curvature_bounds_the_change_of_slope(loss, data, step):
    properties.bends_no_more_than_its_curvature(loss, *draw_comparison(data, loss), step)


@each
@given(data=st.data())
@quick
def test_hessian_is_that_of_the_gradient(loss, data):
    properties.has_the_hessian_of_its_gradient(loss, *draw_comparison(data, loss, elements=modest))


@each
@given(data=st.data())
@quick
def test_curvature_bounds_every_eigenvalue_of_the_hessian(loss, data):
    properties.bends_one_way_and_within_its_curvature(loss, *draw_comparison(data, loss))


@each
@given(data=st.data())
@quick
def test_slope_bound_holds_for_predictions_within_reach(loss, data):
    y, f = draw_comparison(data, loss)
    reach = data.draw(arrays(float, len(y), elements=st.floats(0.0, 100.0)))
    properties.grows_within_its_slope_bound(loss, y, f, reach)


@of_numbers
def test_never_negative_and_flat_at_its_least(loss, rng):
    y = rng.normal(size=(20, 3))
    assert (loss.value(y, rng.normal(size=(20, 3))) >= 0).all()
    np.testing.assert_array_equal(loss.value(y, y), np.zeros(20))
    np.testing.assert_array_equal(loss.gradient(y, y), np.zeros((20, 3)))


@of_numbers
def test_single_precision_stays_single(loss, rng):
    y, f = rng.normal(size=(2, 9, 2)).astype(np.float32)
    assert loss.value(y, f).dtype == np.float32
    assert loss.gradient(y, f).dtype == np.float32
    np.testing.assert_allclose(loss.value(y, f), loss.value(y.astype(float), f), rtol=1e-5)


@of_numbers
@pytest.mark.parametrize(("dtype", "far"), [(np.float64, 1e200), (np.float32, 1e30)])
def test_the_loss_of_a_huge_target_overflows_to_infinity_without_a_warning(loss, dtype, far):
    y = np.array([[far], [1.0]], dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        values = loss.value(y, np.zeros((2, 1), dtype=dtype))
    np.testing.assert_array_equal(values, [np.inf, 1.0])


@each
@given(data=st.data())
@quick
def test_arguments_are_left_alone(loss, data):
    y, f = draw_comparison(data, loss)
    before = y.copy(), f.copy()
    loss.value(y, f)
    loss.gradient(y, f)
    loss.hessian(y, f).times(f)
    loss.slope_bound(y, np.ones(len(y)))
    np.testing.assert_array_equal((y, f), before)


def test_squared_loss_sums_over_outputs():
    y, f = np.array([[1.0, 2.0, 3.0]]), np.array([[0.0, 4.0, 3.0]])
    np.testing.assert_array_equal(SquaredLoss().value(y, f), [5.0])
    np.testing.assert_array_equal(SquaredLoss().gradient(y, f), [[-2.0, 4.0, 0.0]])


def test_squared_loss_bends_by_exactly_its_curvature(rng):
    y, f = rng.normal(size=(2, 7, 1))
    change = SquaredLoss().gradient(y, f + 0.5) - SquaredLoss().gradient(y, f)
    np.testing.assert_allclose(change, 0.5 * SquaredLoss.curvature)


@pytest.mark.parametrize("reach", [0.0, 1.0, 1e3])
def test_the_slope_bound_of_the_squared_loss_is_reached(reach, rng):
    y = rng.normal(size=(6, 3))
    away = -reach * y / np.linalg.norm(y, axis=1)[:, None]
    slopes = np.linalg.norm(SquaredLoss().gradient(y, away), axis=1)
    np.testing.assert_allclose(slopes, SquaredLoss().slope_bound(y, np.full(6, reach)))


# Labels


def block_contribution(loss, size, dtype=float):
    """Labels with scores that are sure and right, and the same scores for another class."""
    codes, others = np.array([0, 1, 2]), np.array([1, 2, 0])
    if isinstance(loss, LogisticLoss):
        codes, others = np.array([0, 1]), np.array([1, 0])
        scores = np.array([[-size], [size]], dtype=dtype)
    else:
        scores = size * (2 * np.eye(3) - 1)
    scores = scores.astype(dtype)
    return scores, labels(loss, codes, 3).astype(dtype), labels(loss, others, 3).astype(dtype)


SIZES = [(float, 1e3), (float, 1e6), (float, 1e12), (float, 1e300), (np.float32, 1e6)]
sizes = pytest.mark.parametrize(("dtype", "size"), [*SIZES, (np.float32, 1e30)])


@each_of_classes
@sizes
def test_a_sure_and_right_answer_costs_exactly_nothing(loss, dtype, size):
    scores, right, _ = block_contribution(loss, size, dtype)
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        np.testing.assert_array_equal(loss.value(right, scores), 0.0)
        np.testing.assert_array_equal(loss.gradient(right, scores), np.zeros(scores.shape))
        assert (properties.matrices(loss.hessian(right, scores), scores.shape[1]) == 0.0).all()


@each_of_classes
@sizes
def test_a_sure_and_wrong_answer_costs_the_difference_of_the_scores(loss, dtype, size):
    scores, right, wrong = block_contribution(loss, size, dtype)
    apart = size if isinstance(loss, LogisticLoss) else 2 * size
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        np.testing.assert_allclose(loss.value(wrong, scores), apart, rtol=1e-6)
        np.testing.assert_array_equal(loss.gradient(wrong, scores), right - wrong)
        assert (properties.matrices(loss.hessian(wrong, scores), scores.shape[1]) == 0.0).all()


@each_of_classes
def test_a_sure_and_wrong_answer_grows_at_the_slope_bound(loss):
    scores, _, wrong = block_contribution(loss, 1e3)
    slopes = np.linalg.norm(loss.gradient(wrong, scores), axis=1)
    np.testing.assert_allclose(slopes, loss.slope_bound(wrong, np.full(len(wrong), 1e4)))


@each_of_classes
def test_knowing_nothing_costs_the_logarithm_of_the_number_of_classes(loss):
    _, y, _ = block_contribution(loss, 1.0)
    np.testing.assert_allclose(loss.value(y, np.zeros(y.shape)), np.log(len(y)))


@each_of_classes
def test_curvature_is_reached_between_two_classes(loss):
    _, y, _ = block_contribution(loss, 1.0)
    scores = np.zeros(y.shape)
    scores[:, 2:] = -1e3
    values = np.linalg.eigvalsh(properties.matrices(loss.hessian(y, scores), y.shape[1]))
    np.testing.assert_allclose(values[:, -1], loss.curvature)


@each_of_classes
def test_single_precision_scores_are_weighed_in_double(loss, rng):
    codes = rng.integers(0, 2, size=30)
    y = labels(loss, codes, 3)
    f = 5 * rng.normal(size=y.shape).astype(np.float32)
    for targets in (y, y.astype(np.float32)):
        np.testing.assert_array_equal(loss.value(targets, f), loss.value(y, f.astype(float)))
        np.testing.assert_array_equal(loss.gradient(targets, f), loss.gradient(y, f.astype(float)))
        np.testing.assert_array_equal(
            loss.hessian(targets, f).times(f), loss.hessian(y, f.astype(float)).times(f)
        )


@given(f=arrays(float, (5, 2), elements=st.floats(-500.0, 500.0)), data=st.data())
@quick
def test_softmax_of_two_classes_is_the_logistic_loss_of_the_difference_of_their_scores(f, data):
    codes = data.draw(arrays(int, 5, elements=st.integers(0, 1)))
    one, two = codes[:, None].astype(float), np.eye(2)[codes]
    apart = f[:, 1:] - f[:, :1]
    logistic, softmax = LogisticLoss(), SoftmaxLoss()
    np.testing.assert_allclose(
        softmax.value(two, f), logistic.value(one, apart), rtol=1e-12, atol=1e-15
    )
    slopes = logistic.gradient(one, apart)
    np.testing.assert_allclose(
        softmax.gradient(two, f), np.hstack([-slopes, slopes]), rtol=1e-9, atol=1e-13
    )
    bend = logistic.hessian(one, apart).entry(0, 0)
    for j, k in [(0, 0), (0, 1), (1, 1)]:
        np.testing.assert_allclose(
            softmax.hessian(two, f).entry(j, k), bend if j == k else -bend, rtol=1e-9, atol=1e-13
        )


@given(data=st.data(), shift=st.floats(-1e3, 1e3))
@quick
def test_raising_all_scores_alike_changes_no_softmax(data, shift):
    loss = SoftmaxLoss()
    y, f = draw_comparison(data, loss)
    np.testing.assert_allclose(loss.value(y, f + shift), loss.value(y, f), rtol=1e-12, atol=1e-11)
    np.testing.assert_allclose(loss.gradient(y, f + shift), loss.gradient(y, f), atol=1e-11)
    np.testing.assert_allclose(loss.gradient(y, f).sum(axis=1), 0.0, atol=1e-14)


def test_a_loss_must_say_both_value_and_gradient():
    class Half(Loss):
        def value(self, y, f):
            return y

    with pytest.raises(TypeError, match="gradient"):
        Half()
