"""A step is the one that the second order suggests, by the dense equations."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.design.blocked import BlockedFeatures
from untaint.design.memory_plan import Plan
from untaint.feature_maps.identity import IdentityMap
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.newton import Newton
from untaint.optim.oracle import OracleQuery, OracleResult, block_contribution, evaluate_losses
from untaint.optim.subsampled_newton import SubsampledNewton
from untaint.weighting.histogram import HistogramGrid
from untaint.weighting.threshold import ThresholdWeights

# Written out: a test that borrows a number cannot notice that it has changed.
FARTHEST = 30.0
FEW_FEATURES = 64

N, D, PART, RIDGE = 60, 3, 0.25, 0.7
LOSSES = {"squared": SquaredLoss(), "logistic": LogisticLoss(), "softmax": SoftmaxLoss()}


def scouting(rng, name="squared", d=D, intercept=True, scale=1.0):
    X = scale * rng.normal(size=(N, d))
    codes = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    y = np.eye(3)[(codes + (X[:, 1] > 1)) % 3] if name == "softmax" else codes[:, None] * 1.0
    features = BlockedFeatures(IdentityMap(np.zeros(d)), X, intercept, Plan(N, 0))
    newton = Newton(FeatureSpace(features), LOSSES[name], y)
    phi = np.column_stack([X, np.ones(N)]) if intercept else X
    return SubsampledNewton(newton, np.zeros(N, int), np.zeros(N, bool), PART), phi, y


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
    subsampled_newton, phi, y = scouting(rng, name, intercept=intercept)
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
    step = subsampled_newton.step(
        point, weights, OracleResult(slopes, curvature, None), RIDGE, None
    )
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
    subsampled_newton, phi, _ = scouting(rng)
    coef = rng.normal(size=(D + 1, 1))
    fit = subsampled_newton.fit(coef)
    np.testing.assert_allclose(fit.predictions, phi @ coef)
    assert fit.squared_norm == pytest.approx(float(np.sum(coef[:-1] ** 2)))
    np.testing.assert_array_equal(subsampled_newton.coef(fit), coef)


def test_what_the_sample_lacks_of_a_column_is_added(rng):
    subsampled_newton, phi, y = scouting(rng, "logistic")
    point, weights = subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N)
    own = (0.25 * phi**2).sum(axis=0)[:, None]
    # All rows have so many times the sample's share of each column.
    times = np.array([[1.0], [1.9], [2.1], [40.0]])
    result = OracleResult(rng.normal(size=(D + 1, 1)), None, None, own / PART * times)
    extra = subsampled_newton._lacking(point, weights, result)
    np.testing.assert_allclose(extra, np.where(times > 2.0, own * (times - 1.0), 0.0))
    assert (
        subsampled_newton._lacking(point, weights, OracleResult(result.slopes, None, None)) is None
    )
    step = subsampled_newton.step(point, weights, result, RIDGE, None)
    penalty = np.diag(2 * RIDGE * np.array([1.0, 1.0, 1.0, 0.0]))
    A = (second_order(LOSSES["logistic"], y, phi, point.predictions, weights)) / PART
    A = A + penalty + np.diag(extra[:, 0]) / PART
    way = -np.linalg.solve(A, result.slopes)
    np.testing.assert_allclose(subsampled_newton.coef(step.target), way, rtol=5e-3, atol=5e-3)
    found = subsampled_newton.coef(step.target)
    predicted_decrease = -float(np.vdot(result.slopes, found)) - 0.5 * float(
        np.vdot(found, A @ found)
    )
    assert step.predicted_decrease == pytest.approx(predicted_decrease, rel=1e-6)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_a_step_is_no_longer_than_the_second_order_may_be_believed(sign, rng):
    subsampled_newton, _, _ = scouting(rng, "logistic")
    point = subsampled_newton.fit(0.1 * rng.normal(size=(D + 1, 1)))
    way = np.array([[0.0], [0.0], [0.0], [sign * 100.0]])
    far = subsampled_newton.fit(subsampled_newton.coef(point) + way)
    near = subsampled_newton._trust_region(point, far)
    np.testing.assert_allclose(near.predictions - point.predictions, sign * FARTHEST)
    np.testing.assert_allclose(
        subsampled_newton.coef(near) - subsampled_newton.coef(point), way * FARTHEST / 100.0
    )
    close = subsampled_newton.fit(subsampled_newton.coef(point) + 0.29 * way)
    assert subsampled_newton._trust_region(point, close) is close


def test_rows_that_are_not_heard_shorten_no_step(rng):
    subsampled_newton, _phi, _ = scouting(rng, "logistic", intercept=False)
    subsampled_newton.excluded[:] = True
    point, far = (
        subsampled_newton.fit(np.zeros((D, 1))),
        subsampled_newton.fit(np.full((D, 1), 1e3)),
    )
    assert subsampled_newton._trust_region(point, far) is far
    broken = subsampled_newton.fit(np.full((D, 1), 1e3))
    broken.coef[0] = np.nan
    assert subsampled_newton._trust_region(point, broken) is point


def test_the_squared_loss_needs_no_such_care(rng):
    subsampled_newton, _, _ = scouting(rng)
    result = OracleResult(np.full((D + 1, 1), 1e6), np.eye(D + 1), None)
    step = subsampled_newton.step(
        subsampled_newton.fit(np.zeros((D + 1, 1))), np.ones(N), result, 0.0, None
    )
    np.testing.assert_allclose(subsampled_newton.coef(step.target), -1e6)


def test_a_step_stays_within_the_ball(rng):
    subsampled_newton, phi, _ = scouting(rng)
    result = OracleResult(np.full((D + 1, 1), -50.0), phi.T @ phi, None)
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
    ("name", "d", "curved"),
    [
        ("squared", FEW_FEATURES - 1, True),
        ("squared", FEW_FEATURES, False),
        ("logistic", 3, True),
        ("softmax", 3, False),
    ],
)
def test_all_rows_are_asked_for_the_second_order_where_it_is_small_and_one(name, d, curved, rng):
    subsampled_newton, _, _ = scouting(rng, name, d)
    assert subsampled_newton.curved is curved
    assert subsampled_newton.squared is not curved  # of columns of the rows themselves


def test_the_sample_speaks_for_itself(rng):
    subsampled_newton, phi, y = scouting(rng, "logistic")
    subsampled_newton.excluded[:5] = True
    rows = subsampled_newton.evaluate_losses(subsampled_newton.fit(np.full((D + 1, 1), 0.2)))
    assert np.isinf(rows.losses[:5]).all()
    expected = LOSSES["logistic"].value(y, phi @ np.full((D + 1, 1), 0.2))
    np.testing.assert_allclose(rows.losses[5:], expected[5:])
    np.testing.assert_array_equal(rows.sample_weight, 1.0)


def test_a_row_beyond_all_bounds_that_is_not_heard_pulls_nowhere(rng):
    y, values = rng.normal(size=(6, 1)), rng.normal(size=(6, 1))
    y[0] = np.inf
    excluded = np.arange(6) == 0
    rows = evaluate_losses(SquaredLoss(), y, values, np.full(6, 2.0), np.arange(6) % 2, excluded)
    grid = HistogramGrid(np.full((2, 1), 9.0), np.zeros((2, 2)))
    asked = OracleQuery(np.zeros((1, 1)), ThresholdWeights(np.full(2, np.inf)), grid, curved=True)
    slopes, bend, aggregates = block_contribution(asked, SquaredLoss(), y, values, rows)
    expected = 4.0 * (values - y)
    expected[0] = 0.0
    np.testing.assert_allclose(slopes, expected)
    np.testing.assert_array_equal(bend, [0.0, 4.0, 4.0, 4.0, 4.0, 4.0])
    assert aggregates.loss == pytest.approx(2.0 * np.sum((values - y)[1:] ** 2))
    assert aggregates.excluded == 2.0
    assert aggregates.kept.tolist() == [4.0, 6.0]
