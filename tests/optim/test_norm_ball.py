"""Fits within the ball: Lemma 18 for a given function, the constrained optimum for a problem."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from naive import ridge as naive
from properties.problems import fractional_weights, refits, root, smooth_problem
from untaint.optim.base import Fit
from untaint.optim.low_rank import nystroem_features
from untaint.optim.norm_ball import project, solve_in_ball
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_exact import ExactRidge
from untaint.optim.ridge_primal import PrimalRidge


def from_dual(K, coef, intercept):
    smooth = K @ coef
    return Fit(coef, intercept, smooth + intercept, float(np.sum(coef * smooth)))


@pytest.mark.parametrize("outputs", [1, 2])
def test_projection_is_the_nearest_function_in_the_ball(outputs, rng):
    K, _ = smooth_problem(rng, n=8)
    outside = from_dual(K, rng.normal(size=(8, outputs)), np.zeros(outputs))
    R = 0.5 * outside.squared_norm**0.5
    inside = project(outside, R)
    nearest = naive.norm(K, inside.coef - outside.coef)
    np.testing.assert_allclose(naive.norm(K, inside.coef), R)
    np.testing.assert_allclose(nearest, outside.squared_norm**0.5 - R)
    for scale in (0.01, 0.1, 1.0) * 100:
        trial = inside.coef + scale * rng.normal(size=(8, outputs))
        trial = trial * min(1.0, R / naive.norm(K, trial))
        assert naive.norm(K, trial - outside.coef) >= nearest - 1e-12


def test_projection_keeps_the_intercept_and_the_predictions_in_step(rng):
    K, _ = smooth_problem(rng, n=8)
    outside = from_dual(K, rng.normal(size=(8, 2)), np.array([3.0, -1.0]))
    inside = project(outside, 0.1)
    np.testing.assert_array_equal(inside.intercept, outside.intercept)
    np.testing.assert_allclose(inside.predictions, K @ inside.coef + inside.intercept)
    np.testing.assert_allclose(inside.squared_norm, 0.01)


@pytest.mark.parametrize("R", [None, 1e6])
def test_functions_within_the_ball_stay_as_they_are(R, rng):
    K, y = smooth_problem(rng, n=8)
    fit = from_dual(K, rng.normal(size=(8, 1)), np.zeros(1))
    assert project(fit, R) is fit
    free = ExactRidge(K).solve(y, np.ones(8), 0.1)
    bound = solve_in_ball(refits(ExactRidge(K), y, np.ones(8)), 0.1, R)
    np.testing.assert_array_equal(bound.coef, free.coef)


SYSTEMS = {
    "exact": ExactRidge,
    "iterative": lambda K, fit_intercept: IterativeRidge(
        K, nystroem_features(K[::2], np.arange(0, len(K), 2)), fit_intercept
    ),
    "primal": lambda K, fit_intercept: PrimalRidge(root(K), fit_intercept),
}


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=SYSTEMS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.1, 10.0])
@pytest.mark.parametrize("part", [0.99, 0.5, 1e-3])
def test_an_active_bound_is_reached_at_a_larger_ridge(system, fit_intercept, alpha, part, rng):
    K, y = smooth_problem(rng, n=12, outputs=2)
    weights = fractional_weights(rng, 12)
    free = ExactRidge(K, fit_intercept).solve(y, weights, alpha)
    R = part * free.squared_norm**0.5
    fit = solve_in_ball(refits(system(K, fit_intercept), y, weights), alpha, R, tol=1e-10)
    np.testing.assert_allclose(fit.squared_norm, R**2, rtol=1e-9)
    # The optimum over the ball is that of some larger ridge: find it from the errors it leaves.
    kept = weights > 0
    coef, intercept = fit.coef, fit.intercept
    slopes = weights[:, None] * np.where(kept[:, None], y - fit.predictions, 0.0)
    smooth = fit.predictions - intercept
    multiplier = float(np.sum(slopes * smooth)) / fit.squared_norm
    assert multiplier >= alpha * (1 - 1e-6)
    expected, shift = naive.weighted_ridge(K, y, weights, multiplier, fit_intercept)
    scale = np.abs(y).max()
    np.testing.assert_allclose(fit.predictions, K @ expected + shift, atol=1e-5 * scale)
    assert coef.shape == y.shape


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("part", [0.9, 0.3])
def test_equals_a_general_constrained_optimiser(fit_intercept, part, rng):
    K, y = smooth_problem(rng, n=6)
    weights, alpha, F = np.array([1.0, 0.5, 2.0, 1.0, 0.0, 1.0]), 0.05, root(K)
    free = ExactRidge(K, fit_intercept).solve(y, weights, alpha)
    R = part * free.squared_norm**0.5

    def objective(z):
        errors = y[:, 0] - F @ z[:6] - z[6] * fit_intercept
        return weights @ errors**2 + alpha * z[:6] @ z[:6]

    ball = {"type": "ineq", "fun": lambda z: R**2 - z[:6] @ z[:6]}
    best = minimize(objective, np.zeros(7), constraints=[ball], options={"ftol": 1e-14})
    fit = solve_in_ball(refits(ExactRidge(K, fit_intercept), y, weights), alpha, R)
    value = weights @ ((y - fit.predictions) ** 2)[:, 0] + alpha * fit.squared_norm
    np.testing.assert_allclose(value, best.fun, rtol=1e-6)
    predicted = F @ best.x[:6] + best.x[6] * fit_intercept
    np.testing.assert_allclose(fit.predictions[:, 0], predicted, atol=1e-3)


@given(
    n=st.integers(2, 8),
    seed=st.integers(0, 999),
    part=st.floats(0.01, 0.999),
    alpha=st.floats(1e-3, 10.0),
)
@settings(max_examples=25)
def test_no_function_in_the_ball_does_better(n, seed, part, alpha):
    rng = np.random.default_rng(seed)
    K, y = smooth_problem(rng, n)
    weights, system = rng.random(n) + 0.1, ExactRidge(K, fit_intercept=False)
    R = part * system.solve(y, weights, alpha).squared_norm ** 0.5
    fit = solve_in_ball(refits(system, y, weights), alpha, R)
    best = naive.objective(K, y, weights, alpha, fit.coef, 0.0)
    for scale in (0.01, 0.1, 1.0):
        trial = fit.coef + scale * rng.normal(size=fit.coef.shape)
        trial = trial * min(1.0, R / naive.norm(K, trial))
        assert best <= naive.objective(K, y, weights, alpha, trial, 0.0) + 1e-9 * (1 + best)


def test_a_bound_that_is_just_met_is_not_active(rng):
    K, y = smooth_problem(rng, n=8)
    free = ExactRidge(K).solve(y, np.ones(8), 0.1)
    bound = solve_in_ball(
        refits(ExactRidge(K), y, np.ones(8)), 0.1, free.squared_norm**0.5 * (1 + 1e-12)
    )
    np.testing.assert_array_equal(bound.predictions, free.predictions)
