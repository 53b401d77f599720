"""Concentration never raises the objective, ends at a fixed point and equals the plain loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive_ridge
from naive import trimming as naive
from properties.problems import refits, smooth_problem, spoilt_problem
from untaint.losses import SquaredLoss
from untaint.optim.c_steps import ExactRefits, c_steps
from untaint.optim.low_rank import nystroem_features
from untaint.optim.norm_ball import solve_in_ball
from untaint.optim.ridge_cg import IterativeRidge
from untaint.optim.ridge_exact import ExactRidge
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

RULES = {
    "smallest": Trimmed,
    "softplus": lambda share: Softplus(share, smoothing=2.0),
}
LOOP = ("max_iter", "callback", "slot")
each = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def run(system, y, rule, alpha, *, sample_weight=None, start=None, norm_bound=None, **options):
    sample_weight = np.ones(len(y)) if sample_weight is None else sample_weight
    start = rule.weights(np.zeros(len(y)), sample_weight) if start is None else start

    def refit(weights, fit, tol):
        return solve_in_ball(refits(system, y, weights), alpha, norm_bound, fit, tol)

    problem = {"tol": 1e-9, "loose": 0.0} | options
    loop = {"max_iter": 200} | {key: problem.pop(key) for key in LOOP if key in problem}
    data = (y, sample_weight, start, alpha)
    return c_steps(ExactRefits(refit, SquaredLoss(), rule, *data, **problem), **loop)


@each
@given(
    n=st.integers(3, 12),
    seed=st.integers(0, 9999),
    share=st.floats(0.0, 0.6),
    alpha=st.floats(1e-3, 5.0),
    outputs=st.integers(1, 2),
    fit_intercept=st.booleans(),
    weighted=st.booleans(),
    bounded=st.booleans(),
)
@settings(max_examples=40)
def test_the_objective_never_rises_under_exact_solves(
    rule, n, seed, share, alpha, outputs, fit_intercept, weighted, bounded
):
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng, n, bad=n // 3, outputs=outputs)
    sample_weight = rng.random(n) + 0.1 if weighted else np.ones(n)
    start = sample_weight * rng.random(n)
    solution = run(
        ExactRidge(K, fit_intercept),
        y,
        rule(share),
        alpha,
        sample_weight=sample_weight,
        start=start,
        norm_bound=1.0 if bounded else None,
    )
    path = np.array(solution.objective_path)
    assert (np.diff(path) <= 1e-8 * np.abs(path[:-1]) + 1e-10).all()


@each
def test_ends_at_a_fixed_point(rule, rng):
    K, y = spoilt_problem(rng)
    weighting = rule(0.2)
    solution = run(ExactRidge(K), y, weighting, 0.1, tol=1e-12)
    assert solution.converged
    assert solution.remedy == ""
    losses = SquaredLoss().value(y, solution.fit.predictions)
    np.testing.assert_allclose(weighting.weights(losses, np.ones(20)), solution.weights, atol=1e-5)
    coef, intercept = naive_ridge.weighted_ridge(K, y, solution.weights, 0.1)
    np.testing.assert_allclose(solution.fit.predictions, K @ coef + intercept, atol=1e-8)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_equals_the_plain_loop(seed, fit_intercept):
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng)
    start = np.zeros(20)
    start[rng.permutation(20)[:16]] = 1.0
    solution = run(ExactRidge(K, fit_intercept), y, Trimmed(0.2), 0.1, start=start)
    weights, coef, intercept = naive.concentrate(K, y, start, 16, 0.1, fit_intercept)
    np.testing.assert_array_equal(solution.weights, weights)
    np.testing.assert_allclose(solution.fit.predictions, K @ coef + intercept, atol=1e-9)


def test_the_path_holds_the_objective_after_each_refit(rng):
    K, y = spoilt_problem(rng)
    rule, seen = Trimmed(0.2), []
    solution = run(ExactRidge(K), y, rule, 0.1, start=np.ones(20), callback=seen.append)
    assert len(solution.objective_path) == solution.n_iter == len(seen)
    assert [step.objective for step in seen] == solution.objective_path
    assert [step.iteration for step in seen] == list(range(1, solution.n_iter + 1))
    assert {step.max_iter for step in seen} == {200}
    assert seen[0].n_changed == 4
    assert seen[-1].n_changed == 0
    losses = SquaredLoss().value(y, solution.fit.predictions)
    last = rule.value(losses, np.ones(20)) + 0.1 * solution.fit.squared_norm
    assert solution.objective_path[-1] == pytest.approx(last)


def test_nothing_to_trim_takes_one_exact_refit(rng):
    K, y = smooth_problem(rng)
    solution = run(ExactRidge(K), y, Trimmed(0.0), 0.1)
    assert solution.n_iter == 1
    coef, intercept = naive_ridge.weighted_ridge(K, y, np.ones(30), 0.1)
    np.testing.assert_allclose(solution.fit.predictions, K @ coef + intercept, atol=1e-9)


def test_a_refit_that_starts_loose_ends_as_the_exact_one(rng):
    K, y = spoilt_problem(rng, n=60, bad=12)
    landmarks = np.arange(0, 60, 4)
    system = IterativeRidge(K, nystroem_features(K[landmarks], landmarks))
    exact = run(ExactRidge(K), y, Trimmed(0.2), 0.1)
    loose = run(system, y, Trimmed(0.2), 0.1, loose=1e-2, tol=1e-9)
    assert loose.converged
    np.testing.assert_array_equal(loose.weights, exact.weights)
    np.testing.assert_allclose(loose.fit.predictions, exact.fit.predictions, atol=1e-6)


def test_a_weight_is_that_many_copies(rng):
    K, y = spoilt_problem(rng, n=15, bad=3)
    copies = rng.integers(1, 4, size=15)
    owner = np.repeat(np.arange(15), copies)
    one = run(ExactRidge(K), y, Trimmed(0.25), 0.1, sample_weight=copies.astype(float))
    many = run(ExactRidge(K[np.ix_(owner, owner)]), y[owner], Trimmed(0.25), 0.1)
    np.testing.assert_allclose(np.bincount(owner, many.weights), one.weights, atol=1e-9)
    np.testing.assert_allclose(many.fit.predictions, one.fit.predictions[owner], atol=1e-8)
    np.testing.assert_allclose(many.objective_path, one.objective_path, rtol=1e-8)


@each
def test_rows_that_tie_for_ever_do_not_keep_it_busy(rule, rng):
    X = np.repeat(np.array([[-1.0], [1.0]]), 5, axis=0)
    y = np.tile([[0.0], [1.0]], (5, 1))
    solution = run(ExactRidge(X @ X.T), y, rule(0.3), 0.1)
    assert solution.converged
    assert solution.n_iter < 200


@each
def test_out_of_iterations_says_what_to_do(rule, rng):
    K, y = spoilt_problem(rng)
    solution = run(ExactRidge(K), y, rule(0.2), 0.1, start=np.ones(20), max_iter=1, tol=1e-12)
    assert not solution.converged
    assert solution.n_iter == len(solution.objective_path) == 1
    assert "max_iter" in solution.remedy


@each
@pytest.mark.parametrize("max_iter", [1, 2, 200])
def test_fit_and_weights_belong_together_wherever_it_stops(rule, max_iter, rng):
    K, y = spoilt_problem(rng)
    solution = run(
        ExactRidge(K), y, rule(0.2), 0.1, start=np.ones(20), max_iter=max_iter, tol=1e-12
    )
    coef, intercept = naive_ridge.weighted_ridge(K, y, solution.weights, 0.1)
    np.testing.assert_allclose(solution.fit.predictions, K @ coef + intercept, atol=1e-8)


def test_a_target_beyond_reach_is_given_up_for_good(rng):
    K, y = smooth_problem(rng, n=20)
    y[0] = 1e200
    solution = run(ExactRidge(K), y, Trimmed(0.05), 0.1, start=1.0 - (np.arange(20) == 0))
    np.testing.assert_array_equal(solution.weights, np.arange(20) > 0)
    assert np.isfinite(solution.objective_path).all()
