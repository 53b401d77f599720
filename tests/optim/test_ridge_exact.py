"""The exact system: closed form to rounding, on whatever matrix it is handed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge

from naive import ridge as naive
from properties.problems import fractional_weights, smooth_problem
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_coefficients_equal_the_bordered_equations_to_rounding(fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=2)
    weights = fractional_weights(rng, 30)
    fit = ExactRidge(K, fit_intercept).solve(y, weights, 0.1)
    coef, intercept = naive.weighted_ridge(K, y, weights, 0.1, fit_intercept)
    np.testing.assert_allclose(fit.coef, coef, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fit.intercept, intercept, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(fit.coef[weights == 0], 0.0)


def test_equals_scikit_learn(rng):
    K, y = smooth_problem(rng)
    weights = rng.random(30) + 0.1
    theirs = KernelRidge(alpha=0.2, kernel="precomputed").fit(K, y, sample_weight=weights)
    fit = ExactRidge(K, fit_intercept=False).solve(y, weights, 0.2)
    np.testing.assert_allclose(fit.predictions, theirs.predict(K), atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_linear_kernel_equals_its_features(fit_intercept, rng):
    X, y = rng.normal(size=(25, 4)) + 1.0, rng.normal(size=(25, 2))
    weights = fractional_weights(rng, 25)
    dual = ExactRidge(X @ X.T, fit_intercept).solve(y, weights, 0.7)
    primal = PrimalRidge(X, fit_intercept).solve(y, weights, 0.7)
    np.testing.assert_allclose(dual.predictions, primal.predictions, atol=1e-9)
    np.testing.assert_allclose(X.T @ dual.coef, primal.coef, atol=1e-9)
    np.testing.assert_allclose(dual.intercept, primal.intercept, atol=1e-9)
    np.testing.assert_allclose(dual.squared_norm, primal.squared_norm, rtol=1e-8)


def test_single_precision_gives_single_precision(rng):
    K, y = smooth_problem(rng)
    fit = ExactRidge(K.astype(np.float32)).solve(y.astype(np.float32), np.ones(30), 0.1)
    assert fit.coef.dtype == fit.predictions.dtype == np.float32


@pytest.mark.parametrize("rank", [1, 3, 7])
def test_a_singular_matrix_without_a_ridge_gives_the_least_norm(rank):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        F, y = rng.normal(size=(8, rank)), rng.normal(size=(8, 1))
        fit = ExactRidge(F @ F.T, fit_intercept=False).solve(y, np.ones(8), 0.0)
        np.testing.assert_allclose(fit.coef, np.linalg.pinv(F @ F.T) @ y, rtol=1e-5, atol=1e-7)


def test_a_matrix_that_rounding_made_indefinite_is_no_failure(rng):
    K, y = smooth_problem(rng)
    values, vectors = np.linalg.eigh(K)
    values[:10] = -1e-12
    fit = ExactRidge(vectors * values @ vectors.T).solve(y, np.ones(30), 1e-14)
    assert np.isfinite(fit.predictions).all()
    assert np.abs(fit.predictions).max() < 10 * np.abs(y).max()
