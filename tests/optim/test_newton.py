"""Newton's method reaches the minimiser that a general optimiser finds, on every system."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from naive import newton as naive
from optim.systems import each, exact, intercepts
from properties.problems import fractional_weights, labelled_problem, root, smooth_problem
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.optim.low_rank import nystroem_features
from untaint.optim.newton import Newton
from untaint.optim.newton_step import KernelSpace
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_primal import PrimalRidge

N = 24
PROBLEMS = [(LogisticLoss(), 2), (SoftmaxLoss(), 3)]
problems = pytest.mark.parametrize(("loss", "classes"), PROBLEMS, ids=["logistic", "softmax"])


def objective(loss, y, weights, alpha, fit):
    return float(weights @ loss.value(y, fit.predictions)) + alpha * fit.squared_norm


def level(predictions):
    """Scores of several classes say nothing but their differences."""
    k = predictions.shape[1]
    return predictions - predictions.mean(axis=1, keepdims=True) * (k > 1)


def assert_minimises(fit, loss, K, y, weights, alpha, fit_intercept, atol=1e-3):
    best, least = naive.minimiser(loss, K, y, weights, alpha, fit_intercept)
    reached = objective(loss, y, weights, alpha, fit)
    assert reached <= least + 1e-7 * (1 + abs(least))
    np.testing.assert_allclose(level(fit.predictions), level(best), atol=atol)


@each
@intercepts
@problems
@pytest.mark.parametrize("alpha", [0.05, 2.0])
def test_reaches_the_minimiser(system, fit_intercept, loss, classes, alpha, rng):
    K, y = labelled_problem(rng, N, classes)
    newton = Newton(KernelSpace(system(K, fit_intercept)), loss, y)
    # The second weights meet the preconditioner of the first.
    for weights in (np.ones(N), fractional_weights(rng, N)):
        fit = newton.solve(weights, alpha)
        assert_minimises(fit, loss, K, y, weights, alpha, fit_intercept)


@each
@problems
def test_gradient_vanishes(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    weights = fractional_weights(rng, N)
    fit = Newton(KernelSpace(system(K)), loss, y).solve(weights, 0.1, tol=1e-10)
    slopes = weights[:, None] * loss.gradient(y, fit.predictions)
    np.testing.assert_allclose(slopes.sum(axis=0), 0.0, atol=1e-5)
    np.testing.assert_allclose(K @ (slopes + 0.2 * fit.dual), 0.0, atol=1e-4)


@each
@problems
def test_the_fit_holds_together(system, loss, classes, rng):
    # Coefficients, intercept, values and norm are those of one function, after many steps too.
    K, y = labelled_problem(rng, N, classes)
    one = system(K)
    fit = Newton(KernelSpace(one), loss, y).solve(np.ones(N), 0.01)
    again = one.from_dual(fit.dual, one.times(fit.dual), fit.intercept)
    np.testing.assert_allclose(again.predictions, fit.predictions, atol=1e-5)
    np.testing.assert_allclose(again.coef, fit.coef, atol=1e-8)
    np.testing.assert_allclose(again.squared_norm, fit.squared_norm, rtol=1e-5)


def starts(system, K, y, loss, rng):
    """Functions to begin with: near, and wide of the mark."""
    dual, feature_outlier = 0.1 * rng.normal(size=y.shape), 3.0 * rng.normal(size=y.shape)
    near = Newton(KernelSpace(system), loss, y).solve(np.ones(len(y)), 0.3)
    shift = np.ones(y.shape[1])
    return [
        near,
        system.from_dual(dual, K @ dual, 0 * shift),
        system.from_dual(feature_outlier, K @ feature_outlier, 5 * shift),
    ]


@each
@problems
def test_every_start_leads_to_the_same_end(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    weights, one = fractional_weights(rng, N), system(K)
    cold = Newton(KernelSpace(one), loss, y).solve(weights, 0.1, tol=1e-9)
    for start in starts(one, K, y, loss, rng):
        warm = Newton(KernelSpace(one), loss, y).solve(weights, 0.1, start, tol=1e-9)
        np.testing.assert_allclose(
            level(warm.predictions), level(cold.predictions), rtol=1e-4, atol=1e-4
        )
        np.testing.assert_allclose(
            objective(loss, y, weights, 0.1, warm),
            objective(loss, y, weights, 0.1, cold),
            rtol=1e-7,
        )


@each
@problems
@pytest.mark.parametrize("size", [0.0, 1.0, 30.0])
def test_predictions_of_unknown_coefficients_may_be_where_to_begin(
    system, loss, classes, size, rng
):
    K, y = labelled_problem(rng, N, classes)
    weights = fractional_weights(rng, N)
    around = size * rng.normal(size=y.shape)
    fit = Newton(KernelSpace(system(K)), loss, y).solve(weights, 0.1, around=around)
    assert_minimises(fit, loss, K, y, weights, 0.1, True)


@each
@problems
def test_a_start_at_the_end_stays_there(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    newton = Newton(KernelSpace(system(K)), loss, y)
    end = newton.solve(np.ones(N), 0.1)
    again = newton.solve(np.ones(N), 0.1, end)
    np.testing.assert_allclose(again.predictions, end.predictions, atol=1e-5)


@each
@problems
def test_ridges_may_change_from_call_to_call(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    newton, fit = Newton(KernelSpace(system(K)), loss, y), None
    for alpha in (10.0, 0.1, 1.0):
        fit = newton.solve(np.ones(N), alpha, fit)
        assert_minimises(fit, loss, K, y, np.ones(N), alpha, True)


@each
@problems
def test_systems_agree(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    weights = fractional_weights(rng, N)
    fits = [Newton(KernelSpace(one(K)), loss, y).solve(weights, 0.1) for one in (system, exact)]
    np.testing.assert_allclose(fits[0].predictions, fits[1].predictions, atol=1e-4)
    np.testing.assert_allclose(fits[0].squared_norm, fits[1].squared_norm, rtol=1e-4)


@each
@problems
def test_a_weight_is_that_many_copies(system, loss, classes, rng):
    K, y = labelled_problem(rng, 12, classes)
    copies = rng.integers(1, 4, size=12)
    owner = np.repeat(np.arange(12), copies)
    weighted = Newton(KernelSpace(system(K)), loss, y).solve(copies.astype(float), 0.3)
    repeated = Newton(KernelSpace(system(K[np.ix_(owner, owner)])), loss, y[owner]).solve(
        np.ones(len(owner)), 0.3
    )
    np.testing.assert_allclose(repeated.predictions, weighted.predictions[owner], atol=1e-4)


@each
@problems
def test_a_row_of_no_weight_has_no_say(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    weights = fractional_weights(rng, N)
    fit = Newton(KernelSpace(system(K)), loss, y).solve(weights, 0.1)
    other = y.copy()
    other[weights == 0] = (
        1 - y[weights == 0] if classes == 2 else np.roll(y, 1, axis=1)[weights == 0]
    )
    again = Newton(KernelSpace(system(K)), loss, other).solve(weights, 0.1)
    np.testing.assert_allclose(again.predictions, fit.predictions, atol=1e-12)


def test_softmax_of_two_classes_is_the_logistic_fit(rng):
    # Two functions share what one has to do: half of it each, at half of the norm.
    K, y = labelled_problem(rng, N)
    two = np.column_stack([1 - y, y])
    one = Newton(KernelSpace(exact(K)), LogisticLoss(), y).solve(np.ones(N), 0.1)
    both = Newton(KernelSpace(exact(K)), SoftmaxLoss(), two).solve(np.ones(N), 0.2)
    apart = both.predictions[:, 1] - both.predictions[:, 0]
    np.testing.assert_allclose(apart, one.predictions[:, 0], atol=1e-4)


@each
@intercepts
@pytest.mark.parametrize("outputs", [1, 3])
def test_the_squared_loss_is_ridge_regression(system, fit_intercept, outputs, rng):
    K, y = smooth_problem(rng, N, outputs=outputs)
    weights = fractional_weights(rng, N)
    one = system(K, fit_intercept)
    fit = Newton(KernelSpace(one), SquaredLoss(), y + 2.0).solve(weights, 0.1)
    expected = one.solve(y + 2.0, weights, 0.1, tol=1e-12)
    np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-4)
    np.testing.assert_allclose(fit.intercept, expected.intercept, atol=1e-4)
    np.testing.assert_allclose(fit.squared_norm, expected.squared_norm, rtol=1e-4)


@each
@problems
@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_separable_classes_without_a_ridge_stay_finite(system, loss, classes, alpha, rng):
    X = rng.normal(size=(N, 2))
    codes = np.arange(N) % classes
    X += 10.0 * codes[:, None]
    y = codes[:, None].astype(float) if classes == 2 else np.eye(classes)[codes]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = Newton(KernelSpace(system(X @ X.T)), loss, y).solve(np.ones(N), alpha)
    assert np.isfinite(fit.predictions).all()
    assert np.isfinite(fit.coef).all()
    assert loss.value(y, fit.predictions).max() < 0.1


@each
def test_one_class_alone_is_no_failure(system, rng):
    K, _ = labelled_problem(rng, N)
    fit = Newton(KernelSpace(system(K)), LogisticLoss(), np.ones((N, 1))).solve(np.ones(N), 0.1)
    assert np.isfinite(fit.predictions).all()
    assert LogisticLoss().value(np.ones((N, 1)), fit.predictions).max() < 1e-3


@each
@problems
def test_wild_rows_of_a_linear_kernel_are_no_failure(system, loss, classes, rng):
    X = rng.normal(size=(N, 2))
    X[:2] *= 1e4
    _, y = labelled_problem(rng, N, classes)
    fit = Newton(KernelSpace(system(X @ X.T)), loss, y).solve(np.ones(N), 0.1)
    assert objective(loss, y, np.ones(N), 0.1, fit) <= N * np.log(classes)


@each
@problems
def test_single_precision_is_good_to_single_precision(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    weights = fractional_weights(rng, N)
    single = Newton(KernelSpace(system(K.astype(np.float32))), loss, y).solve(weights, 0.1)
    double = Newton(KernelSpace(system(K)), loss, y).solve(weights, 0.1)
    np.testing.assert_allclose(single.predictions, double.predictions, atol=5e-3)


def test_a_loose_tolerance_is_close(rng):
    K, y = labelled_problem(rng, N, 3)
    loss = SoftmaxLoss()
    values = [
        objective(
            loss,
            y,
            np.ones(N),
            0.1,
            Newton(KernelSpace(exact(K)), loss, y).solve(np.ones(N), 0.1, tol=t),
        )
        for t in (1e-2, 1e-4, 1e-8)
    ]
    np.testing.assert_allclose(values[0], values[2], rtol=1e-2)
    np.testing.assert_allclose(values[1], values[2], rtol=1e-5)


@problems
@pytest.mark.parametrize("landmarks", [3, 8])
def test_features_far_from_the_kernel_only_cost_time(loss, classes, landmarks):
    rng, alpha = np.random.default_rng(1), 1e-4
    K, y = labelled_problem(rng, 60, classes, flipped=0.2)
    chosen = np.arange(landmarks)
    system = IterativeRidge(K, nystroem_features(K[chosen], chosen))
    values = [
        objective(
            loss, y, np.ones(60), alpha, Newton(KernelSpace(one), loss, y).solve(np.ones(60), alpha)
        )
        for one in (system, exact(K))
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-4)


@pytest.mark.parametrize("alpha", [1e-2, 1e-4])
def test_classes_too_many_to_be_coupled_only_cost_time(alpha, rng):
    K, y = labelled_problem(rng, N, 3)
    loss, features = SoftmaxLoss(), root(K)[:, -4:]
    coupled = Newton(KernelSpace(PrimalRidge(features)), loss, y).solve(np.ones(N), alpha)
    features = np.pad(features, ((0, 0), (0, 600)))
    apart = Newton(KernelSpace(PrimalRidge(features)), loss, y).solve(np.ones(N), alpha)
    np.testing.assert_allclose(apart.predictions, coupled.predictions, atol=1e-3)
