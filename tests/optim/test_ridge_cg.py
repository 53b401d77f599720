"""Conjugate gradients end where the factorisation does, from wherever they start."""

from __future__ import annotations

import numpy as np
import pytest

from properties.problems import fractional_weights
from untaint.kernels import RBF
from untaint.optim.gram import IncrementalGram
from untaint.optim.low_rank import nystroem_features
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge

N = 200


def design(rng, outputs=1):
    X = rng.normal(size=(N, 3))
    y = np.column_stack([np.sin(X.sum(axis=1) + j) for j in range(outputs)])
    K = RBF(0.5).matrix(X)
    landmarks = np.arange(0, N, 5)
    return K, nystroem_features(K[landmarks], landmarks), y + 0.1 * rng.normal(size=y.shape)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_equals_the_exact_system(fit_intercept, outputs, alpha, rng):
    K, features, y = design(rng, outputs)
    weights = fractional_weights(rng, N)
    fit = IterativeRidge(K, features, fit_intercept).solve(y, weights, alpha, tol=1e-9)
    expected = ExactRidge(K, fit_intercept).solve(y, weights, alpha)
    for name in ("coef", "predictions", "intercept"):
        value, goal = getattr(fit, name), getattr(expected, name)
        assert np.linalg.norm(value - goal) <= 1e-6 * np.linalg.norm(goal) + 1e-12
    np.testing.assert_allclose(fit.squared_norm, expected.squared_norm, rtol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_warm_start_ends_in_the_same_place(fit_intercept, rng):
    K, features, y = design(rng)
    system = IterativeRidge(K, features, fit_intercept)
    weights, before = fractional_weights(rng, N), fractional_weights(rng, N)
    start = ExactRidge(K, fit_intercept).solve(y, before, 0.1)
    cold = system.solve(y, weights, 0.1, tol=1e-10)
    warm = system.solve(y, weights, 0.1, start=start, tol=1e-10)
    np.testing.assert_allclose(warm.predictions, cold.predictions, atol=1e-7)
    np.testing.assert_allclose(warm.coef, cold.coef, atol=1e-6)


def test_starting_at_the_solution_takes_no_step(rng, monkeypatch):
    K, features, y = design(rng)
    system = IterativeRidge(K, features)
    weights = fractional_weights(rng, N)
    solution = ExactRidge(K).solve(y, weights, 0.1)
    products = []
    times = system.times
    monkeypatch.setattr(system, "times", lambda v: products.append(1) or times(v))
    fit = system.solve(y, weights, 0.1, start=solution, tol=1e-8)
    assert len(products) == 0  # the values of the start are known
    np.testing.assert_allclose(fit.predictions, solution.predictions, atol=1e-9)


def test_a_looser_tolerance_reads_the_matrix_less_often(rng, monkeypatch):
    K, features, y = design(rng)
    counts = []
    for tol in (1e-2, 1e-10):
        system = IterativeRidge(K, features)
        times, products = system.times, []
        monkeypatch.setattr(
            system, "times", lambda v, times=times, log=products: log.append(1) or times(v)
        )
        system.solve(y, np.ones(N), 1e-2, tol=tol)
        counts.append(len(products))
    assert 0 < counts[0] < counts[1] < 100


@pytest.mark.parametrize("quality", ["perfect", "poor", "none"])
def test_the_preconditioner_decides_the_speed_and_not_the_answer(quality, rng):
    K, features, y = design(rng)
    landmarks = np.arange(N)
    features = {
        "perfect": nystroem_features(K, landmarks),
        "poor": rng.normal(size=(N, 5)),
        "none": np.zeros((N, 1)),
    }[quality]
    fit = IterativeRidge(K, features).solve(y, np.ones(N), 0.1, tol=1e-10)
    expected = ExactRidge(K).solve(y, np.ones(N), 0.1)
    np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-6)


@pytest.mark.parametrize("alpha", [1e-6, 1e-8, 1e-10])
def test_a_small_ridge_and_a_poor_preconditioner_are_no_excuse_for_a_wrong_answer(alpha, rng):
    K, _, y = design(rng)
    landmarks = np.arange(0, N, 50)
    features = nystroem_features(K[landmarks], landmarks)
    fit = IterativeRidge(K, features).solve(y, np.ones(N), alpha)
    expected = ExactRidge(K).solve(y, np.ones(N), alpha)
    np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-3)


def test_single_precision_matrix_double_precision_answer(rng):
    K, features, y = design(rng)
    system = IterativeRidge(K.astype(np.float32), features.astype(np.float32))
    fit = system.solve(y, np.ones(N), 0.1, tol=1e-6)
    assert fit.coef.dtype == np.float64
    expected = ExactRidge(K).solve(y, np.ones(N), 0.1)
    np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-4)


def test_a_gram_may_be_shared_with_the_low_rank_system(rng):
    K, features, y = design(rng)
    gram = IncrementalGram(features)
    cheap, full = PrimalRidge(features, gram=gram), IterativeRidge(K, features, gram=gram)
    weights = np.ones(N)
    for row in range(5):
        weights[row] = 0.0
        cheap.solve(y, weights, 0.1)
        fit = full.solve(y, weights, 0.1, tol=1e-10)
    expected = ExactRidge(K).solve(y, weights, 0.1)
    np.testing.assert_allclose(fit.predictions, expected.predictions, atol=1e-7)


def test_targets_that_are_all_zero_need_nothing(rng):
    K, features, _ = design(rng)
    fit = IterativeRidge(K, features).solve(np.zeros((N, 1)), np.ones(N), 0.1)
    np.testing.assert_array_equal(fit.predictions, 0.0)
