"""A step is the one that the second order suggests, by the dense equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from untaint._sums import Sum
from untaint.design.blocked import BlockedFeatures
from untaint.design.memory_plan import Plan
from untaint.feature_maps.identity import IdentityMap
from untaint.losses import CorrectedLogLoss, LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton
from untaint.optim.oracle import PassResult
from untaint.optim.subsampled_newton import Iterate, SubsampledNewton
from untaint.weighting.histogram import HistogramGrid

N, D, PART, RIDGE = 60, 3, 0.25, 0.7
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}


def passed(gradient, gram=None, squares=None):
    """The result of a pass with these sums."""
    histogram = HistogramGrid(np.ones((1, 1)), np.zeros((1, 2))).histogram(
        np.zeros(1), np.ones(1), np.zeros(1, int)
    )
    more = [None if part is None else Sum(part) for part in (gram, squares)]
    return PassResult(Sum(np.zeros(3)), histogram, Sum(gradient), *more)


def newton_of(rng, name="squared", d=D, intercept=True, scale=1.0, exact=False):
    X = scale * rng.normal(size=(N, d))
    codes = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    y = np.eye(3)[(codes + (X[:, 1] > 1)) % 3] if name == "softmax" else codes[:, None] * 1.0
    features = BlockedFeatures(IdentityMap(np.zeros(d)), X, intercept, Plan(N, 0))
    newton = Newton(FeatureSpace(features), LOSSES[name], y)
    phi = np.column_stack([X, np.ones(N)]) if intercept else X
    own = (np.zeros(N, int), np.zeros(N, bool), PART)
    return SubsampledNewton(newton, *own, exact=exact), phi, y


def second_order(loss, y, phi, values, weights):
    """Of the sample, over all coefficients, output by output."""
    hessian, k = loss.hessian(y, values).weighted(weights), y.shape[1]
    blocks = [[phi.T @ (hessian.entry(i, j)[:, None] * phi) for j in range(k)] for i in range(k)]
    return np.block(blocks)


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(  # several classes have no common second order
    ("name", "curved"),
    [
        ("squared", True),
        ("squared", False),
        ("logistic", True),
        ("logistic", False),
        ("softmax", False),
    ],
)
def test_a_step_solves_the_equations_of_the_second_order(name, intercept, curved, rng):
    subsampled_newton, phi, y = newton_of(rng, name, intercept=intercept)
    loss, k, p = LOSSES[name], y.shape[1], phi.shape[1]
    point = subsampled_newton.fit(0.3 * rng.normal(size=(p, k)))
    coef, weights = subsampled_newton.coef(point), rng.uniform(0.2, 1.0, N)
    slopes = 4.0 * rng.normal(size=(p, k))
    if name == "softmax":  # whose slopes sum to nothing
        slopes -= slopes.mean(axis=1, keepdims=True)
    H = second_order(loss, y, phi, point.predictions, weights) / PART
    curvature = H[:p, :p] * 1.3 if curved else None
    if curved:
        H = np.kron(np.eye(k), curvature)
    step = subsampled_newton.step(point, weights, passed(slopes, curvature), RIDGE, None)
    penalty = np.r_[np.ones(D), np.zeros(p - D)]
    gradient = slopes + 2 * RIDGE * penalty[:, None] * coef
    A = H + np.diag(np.tile(2 * RIDGE * penalty, k))
    way = -np.linalg.lstsq(A, gradient.T.ravel(), rcond=None)[0]
    if name == "softmax" and intercept:  # scores may all be raised alike
        found = (subsampled_newton.coef(step.target) - coef).T.ravel()
        np.testing.assert_allclose(A @ found, A @ way, rtol=2e-2, atol=2e-2)
    else:
        np.testing.assert_allclose(
            (subsampled_newton.coef(step.target) - coef).T.ravel(), way, rtol=5e-3, atol=5e-3
        )
    np.testing.assert_allclose(step.gradient, gradient)
    found = (subsampled_newton.coef(step.target) - coef).T.ravel()
    predicted_decrease = -float(gradient.T.ravel() @ found) - 0.5 * float(found @ A @ found)
    assert step.predicted_decrease == pytest.approx(predicted_decrease, rel=1e-6)


def test_a_function_is_made_of_its_coefficients(rng):
    subsampled_newton, phi, _ = newton_of(rng)
    coef = rng.normal(size=(D + 1, 1))
    fit = subsampled_newton.fit(coef)
    np.testing.assert_allclose(fit.predictions, phi @ coef)
    assert fit.squared_norm == pytest.approx(float(np.sum(coef[:-1] ** 2)))
    np.testing.assert_array_equal(subsampled_newton.coef(fit), coef)


def test_what_the_sample_lacks_of_a_column_is_added(rng):
    subsampled_newton, phi, y = newton_of(rng, "logistic")
    point, weights = subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N)
    own = (0.25 * phi**2).sum(axis=0)[:, None]
    # All rows have so many times the sample's share of each column.
    times = np.array([[1.0], [1.9], [2.1], [40.0]])
    result = passed(rng.normal(size=(D + 1, 1)), None, own / PART * times)
    extra = np.where(times > 2.0, own * (times - 1.0), 0.0)
    step = subsampled_newton.step(point, weights, result, RIDGE, None)
    penalty = np.diag(2 * RIDGE * np.array([1.0, 1.0, 1.0, 0.0]))
    A = (second_order(LOSSES["logistic"], y, phi, point.predictions, weights)) / PART
    A = A + penalty + np.diag(extra[:, 0]) / PART
    way = -np.linalg.solve(A, result.gradient)
    np.testing.assert_allclose(subsampled_newton.coef(step.target), way, rtol=5e-3, atol=5e-3)
    found = subsampled_newton.coef(step.target)
    predicted_decrease = -float(np.vdot(result.gradient, found)) - 0.5 * float(
        np.vdot(found, A @ found)
    )
    assert step.predicted_decrease == pytest.approx(predicted_decrease, rel=1e-6)


def separable(rng, excluded=()):
    """Classes that a large step separates for ever: the Hessian vanishes far from zero."""
    subsampled_newton, phi, _ = newton_of(rng, "logistic")
    subsampled_newton.excluded[list(excluded)] = True
    point = subsampled_newton.fit(0.1 * rng.normal(size=(D + 1, 1)))
    return subsampled_newton, phi, point


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("size", [1e3, 1e6])
def test_a_step_of_a_classifier_is_no_longer_than_the_second_order_is_valid(sign, size, rng):
    subsampled_newton, phi, point = separable(rng)
    gradient = np.array([[0.0], [0.0], [0.0], [sign * size]])
    steps = [
        subsampled_newton.step(point, np.ones(N), passed(factor * gradient, phi.T @ phi), 0.0, None)
        for factor in (1.0, 1e3)
    ]
    ends = [np.abs(step.target.predictions - point.predictions).max() for step in steps]
    assert ends[1] <= 30.0 + 1e-9  # beyond, probabilities are 0 or 1 to rounding
    ways = [step.target.coef - point.coef for step in steps]
    np.testing.assert_allclose(ways[0] * ends[1], ways[1] * ends[0], rtol=1e-6, atol=1e-6)


def test_excluded_samples_shorten_no_step(rng):
    subsampled_newton, phi, point = separable(rng, excluded=range(N))
    result = passed(np.full((D + 1, 1), 1e6), phi.T @ phi)
    step = subsampled_newton.step(point, np.ones(N), result, 0.0, None)
    assert np.abs(step.target.predictions - point.predictions).max() > 1e3


def test_a_step_that_is_not_finite_is_none(rng):
    subsampled_newton, phi, point = separable(rng)
    result = passed(np.full((D + 1, 1), np.nan), phi.T @ phi)
    step = subsampled_newton.step(point, np.ones(N), result, RIDGE, None)
    assert step.target is point and step.predicted_decrease == np.inf  # and no minimum


def test_the_squared_loss_needs_no_such_care(rng):
    subsampled_newton, _, _ = newton_of(rng)
    result = passed(np.full((D + 1, 1), 1e6), np.eye(D + 1))
    step = subsampled_newton.step(
        subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N), result, 0.0, None
    )
    np.testing.assert_allclose(subsampled_newton.coef(step.target), -1e6)


def test_a_step_stays_within_the_ball(rng):
    subsampled_newton, phi, _ = newton_of(rng)
    result = passed(np.full((D + 1, 1), -50.0), phi.T @ phi)
    free = subsampled_newton.step(
        subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N), result, RIDGE, None
    )
    bound = 0.5 * np.sqrt(free.target.squared_norm)
    held = subsampled_newton.step(
        subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N), result, RIDGE, bound
    )
    assert held.target.squared_norm == pytest.approx(bound**2)
    assert held.predicted_decrease < free.predicted_decrease


@pytest.mark.parametrize(
    ("name", "d", "curvature"),
    [("squared", 3, "gram"), ("squared", 300, "squares"), ("logistic", 3, "gram"),
     ("logistic", 300, "squares"), ("softmax", 3, "squares")],
)  # fmt: skip
def test_a_pass_of_exact_steps_sums_the_hessian_where_it_is_small_and_common_to_all_outputs(
    name, d, curvature, rng
):
    assert newton_of(rng, name, d, exact=True)[0].curvature(np.ones(N)) == curvature


def test_columns_that_the_sample_has_are_not_summed_again(rng):
    subsampled_newton, phi, _ = newton_of(rng, "logistic")
    point, ones = subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N)
    assert subsampled_newton.curvature(ones, point) == "squares"
    squares = (0.25 * phi**2).sum(axis=0)[:, None] / PART
    for times, again in ((3.0, "squares"), (1.0, None)):
        result = passed(rng.normal(size=(D + 1, 1)), None, times * squares)
        subsampled_newton.step(point, ones, result, RIDGE, None)
        assert subsampled_newton.curvature(ones, point) == again


def test_a_hessian_of_a_quadratic_loss_serves_until_the_weights_change(rng):
    subsampled_newton, phi, _ = newton_of(rng, "squared", intercept=True)
    point, ones = subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N)
    first = passed(rng.normal(size=(D + 1, 1)), phi.T @ phi)
    known = subsampled_newton.step(point, ones, first, RIDGE, None)
    assert subsampled_newton.curvature(ones) is None
    again = subsampled_newton.step(point, ones, replace(first, grams=None), RIDGE, None)
    np.testing.assert_array_equal(again.target.coef, known.target.coef)
    assert subsampled_newton.curvature(np.where(np.arange(N) < N // 2, 0.0, 1.0)) == "gram"


def test_an_iterate_is_restored_bitwise(rng):
    subsampled_newton, phi, point = separable(rng)
    result = passed(rng.normal(size=(D + 1, 1)), phi.T @ phi)
    iterate = subsampled_newton.step(point, np.ones(N), result, RIDGE, None)
    again = Iterate.from_state_dict(iterate.state_dict())
    for name in ("coef", "intercept", "predictions"):
        for end in ("point", "target"):
            found, expected = (getattr(getattr(each, end), name) for each in (again, iterate))
            np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(again.gradient, iterate.gradient)
    assert again.predicted_decrease == iterate.predicted_decrease and again.reliable


def test_excluded_rows_of_the_subsample_lose_infinitely(rng):
    subsampled_newton, phi, y = newton_of(rng, "logistic")
    subsampled_newton.excluded[:5] = True
    rows = subsampled_newton.evaluate_losses(subsampled_newton.fit(np.full((D + 1, 1), 0.2)))
    assert np.isinf(rows.losses[:5]).all()
    expected = LOSSES["logistic"].value(y, phi @ np.full((D + 1, 1), 0.2))
    np.testing.assert_allclose(rows.losses[5:], expected[5:])
    np.testing.assert_array_equal(rows.sample_weight, 1.0)


def test_steps_under_a_noise_matrix_go_downhill(rng, monkeypatch):
    """The loss is not convex: exact second derivatives would lead to a saddle point."""
    matrix = np.full((3, 3), 0.15) + 0.55 * np.eye(3)
    monkeypatch.setitem(LOSSES, "softmax", CorrectedLogLoss(matrix))
    subsampled_newton, phi, y = newton_of(rng, "softmax")
    loss, ones = LOSSES["softmax"], np.ones(N)
    for scale in (0.1, 2.0, 10.0):
        point = subsampled_newton.fit(scale * rng.normal(size=(phi.shape[1], 3)))
        slopes = phi.T @ loss.gradient(y, point.predictions) / PART
        step = subsampled_newton.step(point, ones, passed(slopes), RIDGE, None)
        assert step.predicted_decrease > 0
