"""Normal equations of the features: dense, sparse, single and double agree."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Ridge

from properties.problems import fractional_weights
from untaint.optim.ridge_primal import PrimalRidge


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("outputs", [1, 2])
def test_equals_scikit_learn(fit_intercept, outputs, rng):
    X, y = rng.normal(size=(40, 5)) + 2.0, rng.normal(size=(40, outputs))
    weights = fractional_weights(rng, 40)
    fit = PrimalRidge(X, fit_intercept).solve(y, weights, 0.3)
    theirs = Ridge(alpha=0.3, fit_intercept=fit_intercept, solver="cholesky")
    theirs.fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(fit.coef, np.atleast_2d(theirs.coef_).T, atol=1e-10)
    np.testing.assert_allclose(fit.predictions, theirs.predict(X).reshape(y.shape), atol=1e-10)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_equals_dense(fit_intercept, convert, rng):
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.3)
    y, sparse = rng.normal(size=(40, 2)), PrimalRidge(convert(X), fit_intercept)
    dense = PrimalRidge(X, fit_intercept)
    for _ in range(4):
        weights = fractional_weights(rng, 40)
        fit, expected = sparse.solve(y, weights, 0.1), dense.solve(y, weights, 0.1)
        assert isinstance(fit.predictions, np.ndarray)
        assert fit.predictions.shape == (40, 2)
        np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-10)
        np.testing.assert_allclose(fit.coef, expected.coef, atol=1e-10)


def test_centred_features_change_the_intercept_only(rng):
    X, y = rng.normal(size=(40, 3)) + 50.0, rng.normal(size=(40, 1))
    given, centred = PrimalRidge(X), PrimalRidge(X - X.mean(axis=0))
    one, two = (system.solve(y, np.ones(40), 0.1) for system in (given, centred))
    np.testing.assert_allclose(one.coef, two.coef, atol=1e-8)
    np.testing.assert_allclose(one.predictions, two.predictions, atol=1e-8)


@pytest.mark.parametrize("size", [1e3, 1e6, 1e9])
def test_rows_far_out_are_forgotten_once_given_up(size, rng):
    X, y = rng.normal(size=(40, 3)), rng.normal(size=(40, 1))
    X[:4] *= size
    system, weights = PrimalRidge(X), np.ones(40)
    system.solve(y, weights, 0.1)
    weights[:4] = 0.0
    fit = system.solve(y, weights, 0.1)
    expected = PrimalRidge(X[4:]).solve(y[4:], np.ones(36), 0.1)
    np.testing.assert_allclose(fit.coef, expected.coef, rtol=1e-4)
