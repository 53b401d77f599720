"""How much each row bends its own prediction: the diagonal of the hat matrix."""

from __future__ import annotations

import numpy as np
import pytest

from feature_maps.cases import GAMMA, blocked, maps, rows
from naive import features as naive
from properties.problems import fractional_weights
from untaint.feature_maps.fourier import FourierFeatures
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import RBF, Laplacian
from untaint.losses import SquaredLoss
from untaint.optim.feature_newton import FeatureSpace
from untaint.optim.leave_one_out import deletion_residuals
from untaint.optim.leverage import PROBES, leverages
from untaint.optim.newton import Newton

N = 60
each = pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["shifted", "centred"])


@each
@intercepts
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_equals_the_diagonal_of_the_hat_matrix(kind, fit_intercept, alpha, rng):
    X, weights = rows(rng, N), fractional_weights(rng, N)
    features = blocked(maps(X)[kind], X, fit_intercept)
    phi = naive.with_ones(features.map(X), fit_intercept)
    np.testing.assert_allclose(
        leverages(features, weights, alpha, exact=True),
        naive.leverages(phi, weights, alpha, fit_intercept),
        rtol=1e-5,
        atol=1e-10,
    )


@intercepts
def test_weighted_leverages_add_up_to_the_degrees_of_freedom(fit_intercept, rng):
    X, weights = rows(rng, N), rng.random(N)
    features = blocked(maps(X)["fourier"], X, fit_intercept)
    q = leverages(features, weights, 1e-9, exact=True)
    assert (q > 0).all()
    assert weights @ q == pytest.approx(features.width, rel=1e-4)


def wide(seed=0, n=1500):
    """More features than probes."""
    X = rows(np.random.default_rng(seed), n)
    return blocked(NystroemMap(Laplacian(GAMMA), X[:300]), X, block_rows=500, kept_rows=n)


@pytest.mark.parametrize("alpha", [0.1, 10.0])
def test_the_estimate_is_right_to_a_tenth_or_so_in_the_middle(alpha, rng):
    features, weights = wide(), rng.random(1500)
    assert features.width > PROBES
    exact = leverages(features, weights, alpha, exact=True)
    ratio = leverages(features, weights, alpha) / exact
    assert np.mean(np.abs(ratio - 1.0)) < 0.3
    # 128 squares of signs: sqrt(2 / 128) of each, and no bias.
    assert np.sqrt(np.mean((ratio - 1.0) ** 2)) < 1.3 * np.sqrt(2.0 / PROBES)
    assert abs(np.mean(ratio) - 1.0) < 0.03


def test_the_estimate_is_the_same_each_time(rng):
    features, weights = wide(), rng.random(1500)
    np.testing.assert_array_equal(
        leverages(features, weights, 1.0), leverages(features, weights, 1.0)
    )


def test_few_features_need_no_estimate(rng):
    X, weights = rows(rng, N), rng.random(N)
    features = blocked(maps(X)["landmarks"], X)
    np.testing.assert_array_equal(
        leverages(features, weights, 1.0), leverages(features, weights, 1.0, exact=True)
    )


def test_a_sample_of_forty_rows_a_feature_is_right_to_a_tenth(rng):
    X = rows(rng, 4000)
    features = blocked(
        FourierFeatures(RBF(GAMMA), 4, 20, np.random.default_rng(1)),
        X,
        block_rows=1000,
        kept_rows=4000,
    )
    sample = np.sort(rng.choice(4000, 40 * features.width, replace=False))
    ones = np.ones(4000)
    ratio = leverages(features, ones, 1.0, sample) / leverages(features, ones, 1.0)
    assert np.mean(np.abs(ratio - 1.0)) < 0.1


@pytest.mark.parametrize("kept", [1, 5])
def test_too_few_rows_and_no_ridge_are_no_failure(kept, rng):
    X, weights = rows(rng, N), (np.arange(N) < kept).astype(float)
    assert np.isfinite(leverages(blocked(maps(X)["fourier"], X), weights, 0.0)).all()


@each
@intercepts
@pytest.mark.parametrize("copies", [False, True], ids=["single rows", "copies"])
def test_residuals_without_itself_are_those_of_fits_without_it(kind, fit_intercept, copies, rng):
    X = rows(rng, 30)
    y = np.column_stack([np.sin(X[:, 0]), X[:, 1]]) + 0.1 * rng.normal(size=(30, 2))
    own = rng.integers(1, 4, 30).astype(float) if copies else np.ones(30)
    features = blocked(maps(X)[kind], X, fit_intercept)
    fit = Newton(FeatureSpace(features), SquaredLoss(), y).solve(own, 0.5, tol=1e-12)
    q = leverages(features, own, 0.5, exact=True)
    found, variance = deletion_residuals(y - fit.predictions, own, own, q)
    phi = naive.with_ones(features.map(X), fit_intercept)
    for i in range(30):
        others = own.copy()
        others[i] -= 1.0
        coef = naive.ridge(phi, y, others, 0.5, fit_intercept)
        np.testing.assert_allclose(found[i], y[i] - phi[i] @ coef, atol=1e-5)
        expected = naive.leverages(phi, others, 0.5, fit_intercept)[i]
        assert variance[i] == pytest.approx(expected, rel=1e-5)


def test_a_row_that_was_given_up_keeps_its_residual(rng):
    residuals = rng.normal(size=(5, 2))
    found, _ = deletion_residuals(residuals, np.zeros(5), np.ones(5), rng.random(5))
    np.testing.assert_array_equal(found, residuals)


def test_a_row_that_decides_its_own_prediction_stays_finite():
    found, variance = deletion_residuals(
        np.ones((2, 1)), np.ones(2), np.ones(2), np.array([1.0, 1.5])
    )
    assert np.isfinite(found).all()
    assert np.isfinite(variance).all()
