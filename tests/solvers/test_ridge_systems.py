"""What holds for every ridge system: all of them solve the same bordered equations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive
from properties.problems import fractional_weights, rbf, root, smooth_problem
from untaint.solvers import ExactRidge, IterativeRidge, PrimalRidge, nystroem_features


def exact(K, fit_intercept):
    return ExactRidge(K, fit_intercept)


def iterative(K, fit_intercept):
    landmarks = np.arange(0, len(K), 3)
    return IterativeRidge(K, nystroem_features(K[landmarks], landmarks), fit_intercept)


def primal(K, fit_intercept):
    return PrimalRidge(root(K), fit_intercept)


SYSTEMS = [exact, iterative, primal]
each = pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.__name__)
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["shifted", "centred"])
TIGHT = {"tol": 1e-12}


def assert_solves(fit, K, y, weights, ridge, fit_intercept, rtol=1e-6):
    coef, intercept = naive.weighted_ridge(K, y, weights, ridge, fit_intercept)
    scale = np.abs(y[weights > 0]).max()
    np.testing.assert_allclose(fit.predictions, K @ coef + intercept, rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(fit.intercept, intercept, rtol=0, atol=rtol * scale)
    np.testing.assert_allclose(fit.squared_norm, np.sum(coef * (K @ coef)), rtol=10 * rtol)


@each
@intercepts
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_equals_the_bordered_equations(system, fit_intercept, outputs, ridge, rng):
    K, y = smooth_problem(rng, outputs=outputs)
    y = y + 3.0
    for weights in (np.ones(30), fractional_weights(rng, 30), (rng.random(30) < 0.6).astype(float)):
        fit = system(K, fit_intercept).solve(y, weights, ridge, **TIGHT)
        assert_solves(fit, K, y, weights, ridge, fit_intercept)


@each
@given(
    n=st.integers(2, 9),
    seed=st.integers(0, 999),
    ridge=st.floats(1e-2, 10.0),
    fit_intercept=st.booleans(),
)
@settings(max_examples=25)
def test_no_other_function_does_better(system, n, seed, ridge, fit_intercept):
    rng = np.random.default_rng(seed)
    K, y = smooth_problem(rng, n)
    weights = rng.random(n) + 0.01
    fit = system(K, fit_intercept).solve(y, weights, ridge, **TIGHT)
    losses = ((y - fit.predictions) ** 2).sum(axis=1)
    best = weights @ losses + ridge * fit.squared_norm
    coef, intercept = naive.weighted_ridge(K, y, weights, ridge, fit_intercept)
    for _ in range(5):
        other = coef + 0.1 * rng.normal(size=coef.shape)
        shift = intercept + 0.1 * rng.normal(size=1) * fit_intercept
        assert best <= naive.objective(K, y, weights, ridge, other, shift) * (1 + 1e-9)


@each
@intercepts
def test_a_weight_is_that_many_copies(system, fit_intercept, rng):
    X, copies = rng.normal(size=(12, 2)), rng.integers(1, 4, size=12)
    y, owner = rng.normal(size=(12, 2)), np.repeat(np.arange(12), copies)
    weighted = system(rbf(X), fit_intercept).solve(y, copies.astype(float), 0.3, **TIGHT)
    ones = np.ones(len(owner))
    repeated = system(rbf(X[owner]), fit_intercept).solve(y[owner], ones, 0.3, **TIGHT)
    np.testing.assert_allclose(repeated.predictions, weighted.predictions[owner], atol=1e-7)
    np.testing.assert_allclose(repeated.squared_norm, weighted.squared_norm, rtol=1e-6)


@each
@intercepts
@pytest.mark.parametrize("wild", [1e12, 1e300, np.inf, np.nan])
def test_a_row_of_no_weight_has_no_say(system, fit_intercept, wild, rng):
    K, y = smooth_problem(rng, outputs=2)
    weights = np.ones(30)
    weights[:5] = 0.0
    calm = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    y[:5] = wild
    fit = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    np.testing.assert_array_equal(fit.predictions, calm.predictions)


@each
def test_an_intercept_takes_up_any_shift_of_the_targets(system, rng):
    K, y = smooth_problem(rng)
    weights = fractional_weights(rng, 30)
    fit = system(K, True).solve(y, weights, 0.1, **TIGHT)
    shifted = system(K, True).solve(y + 100.0, weights, 0.1, **TIGHT)
    np.testing.assert_allclose(shifted.predictions, fit.predictions + 100.0, atol=1e-6)
    np.testing.assert_allclose(shifted.squared_norm, fit.squared_norm, rtol=1e-5)


@each
@intercepts
def test_outputs_do_not_know_one_another(system, fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=3)
    weights = fractional_weights(rng, 30)
    together = system(K, fit_intercept).solve(y, weights, 0.1, **TIGHT)
    for j in range(3):
        alone = system(K, fit_intercept).solve(y[:, [j]], weights, 0.1, **TIGHT)
        np.testing.assert_allclose(together.predictions[:, [j]], alone.predictions, atol=1e-7)


@each
@intercepts
def test_single_precision_is_good_to_single_precision(system, fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=2)
    weights = fractional_weights(rng, 30)
    fit = system(K.astype(np.float32), fit_intercept).solve(y.astype(np.float32), weights, 0.1)
    assert_solves(fit, K, y, weights, 0.1, fit_intercept, rtol=1e-4)


@each
@intercepts
def test_arguments_are_left_alone(system, fit_intercept, rng):
    K, y = smooth_problem(rng)
    weights = fractional_weights(rng, 30)
    before = K.copy(), y.copy(), weights.copy()
    system(K, fit_intercept).solve(y, weights, 0.1)
    for array, copy in zip((K, y, weights), before, strict=True):
        np.testing.assert_array_equal(array, copy)


@each
def test_one_row_with_an_intercept_is_fitted_by_it_alone(system):
    fit = system(np.array([[2.0]]), True).solve(np.array([[3.0]]), np.ones(1), 0.5)
    np.testing.assert_allclose(fit.predictions, [[3.0]])
    np.testing.assert_allclose(fit.squared_norm, 0.0, atol=1e-12)


@each
@intercepts
def test_systems_may_be_asked_again_with_other_weights(system, fit_intercept, rng):
    K, y = smooth_problem(rng)
    one = system(K, fit_intercept)
    for _ in range(6):
        weights = (rng.random(30) < 0.7).astype(float)
        fit = one.solve(y, weights, 0.1, **TIGHT)
        assert_solves(fit, K, y, weights, 0.1, fit_intercept)


# Without a ridge: least squares, and of those the function of least norm.


@each
@intercepts
@pytest.mark.parametrize("centred", [True, False], ids=["mean zero", "off zero"])
def test_without_a_ridge_a_low_rank_kernel_gives_least_squares(system, fit_intercept, centred, rng):
    X = rng.normal(size=(12, 2)) + (0.0 if centred else 2.0)
    X -= X.mean(axis=0) if centred else 0.0
    y = X @ [[1.0], [2.0]] + 5.0 + rng.normal(size=(12, 1))
    design = np.column_stack([X, np.ones(12)]) if fit_intercept else X
    expected = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    fit = system(X @ X.T, fit_intercept).solve(y, np.ones(12), 0.0, **TIGHT)
    np.testing.assert_allclose(fit.predictions, expected, atol=1e-6)


@each
def test_without_a_ridge_repeated_rows_share_one_prediction(system, rng):
    X = np.repeat(rng.normal(size=(5, 2)), 2, axis=0)
    y = rng.normal(size=(10, 1))
    means = np.repeat(y.reshape(5, 2).mean(axis=1), 2)[:, None]
    fit = system(rbf(X), False).solve(y, np.ones(10), 0.0, **TIGHT)
    np.testing.assert_allclose(fit.predictions, means, atol=1e-6)


@pytest.mark.parametrize("system", [exact, primal], ids=["exact", "primal"])
def test_without_a_ridge_the_least_norm_is_taken(system, rng):
    F = rng.normal(size=(8, 3))
    F = np.column_stack([F, F[:, 0]])  # rank 3, and a column twice
    y = rng.normal(size=(8, 1))
    K = F @ F.T
    fit = (PrimalRidge(F, False) if system is primal else exact(K, False)).solve(y, np.ones(8), 0.0)
    expected = np.linalg.lstsq(F, y, rcond=None)[0]
    np.testing.assert_allclose(fit.predictions, F @ expected, atol=1e-9)
    np.testing.assert_allclose(fit.squared_norm, np.sum(expected**2), rtol=1e-6)
