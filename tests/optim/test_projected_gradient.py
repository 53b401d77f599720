"""The papers' gradient method: the right gradient, the right steps, the right end."""

from __future__ import annotations

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import ridge as naive_ridge
from naive import trimming as naive
from properties.problems import rbf, smooth_problem, spoilt_problem
from untaint.losses import SquaredLoss
from untaint.optim.base import Fit
from untaint.optim.projected_gradient import TrimmedProblem, projected_gradient
from untaint.optim.ridge_exact import ExactRidge
from untaint.weighting.softplus import Softplus
from untaint.weighting.trimmed import Trimmed

ACCELERATIONS = [None, "momentum", "nesterov"]
accelerated = pytest.mark.parametrize("acceleration", ACCELERATIONS)
RULES = {"smallest": Trimmed(0.2), "softplus": Softplus(0.2, smoothing=1.0)}
each = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def trimmed(K, y, rule, alpha=0.1, *, sample_weight=None, loss=None, **options):
    sample_weight = np.ones(len(y)) if sample_weight is None else sample_weight
    return TrimmedProblem(K, loss or SquaredLoss(), rule, y, sample_weight, alpha, **options)


def function(K, coef, intercept):
    smooth = K @ coef
    return Fit(coef, intercept, smooth + intercept, float(np.sum(coef * smooth)))


# The problem


@each
@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_gradient_is_that_of_the_objective(rule, outputs, alpha, rng):
    K, y = spoilt_problem(rng, n=10, bad=2, outputs=outputs)
    design = trimmed(K, y, rule, alpha, sample_weight=rng.random(10) + 0.5)
    coef, intercept = rng.normal(size=y.shape), rng.normal(size=outputs)
    # The objective's partial derivatives are K times the functional gradient's coefficients.
    slopes = K @ design.gradient(function(K, coef, intercept))
    step = 1e-6
    for i, j in np.ndindex(coef.shape):
        move = np.zeros(coef.shape)
        move[i, j] = step
        up = design.objective(function(K, coef + move, intercept))
        down = design.objective(function(K, coef - move, intercept))
        np.testing.assert_allclose(slopes[i, j], (up - down) / (2 * step), rtol=1e-5, atol=1e-5)


@each
def test_objective_is_the_trimmed_loss_plus_the_ridge(rule, rng):
    K, y = spoilt_problem(rng, n=10, bad=2)
    fit = function(K, rng.normal(size=(10, 1)), np.zeros(1))
    losses = ((y - fit.predictions) ** 2)[:, 0]
    expected = rule.value(losses, np.ones(10)) + 0.3 * fit.squared_norm
    assert trimmed(K, y, rule, 0.3).objective(fit) == pytest.approx(expected)
    np.testing.assert_allclose(
        trimmed(K, y, rule).weights(fit.predictions), rule.weights(losses, np.ones(10))
    )


def test_function_goes_back_into_the_ball(rng):
    K, y = smooth_problem(rng, n=10)
    coef = 10 * rng.normal(size=(10, 1))
    fit = trimmed(K, y, Trimmed(0.2), norm_bound=0.7).function(coef, np.zeros(1))
    np.testing.assert_allclose(fit.squared_norm, 0.49)
    np.testing.assert_allclose(naive_ridge.norm(K, fit.coef), 0.7)
    np.testing.assert_allclose(fit.predictions, K @ fit.coef + fit.intercept)


def test_the_intercept_is_best_for_the_rows_it_was_chosen_by(rng):
    K, y = spoilt_problem(rng, n=10, bad=2)
    design = trimmed(K, y, Trimmed(0.2))
    coef = 0.1 * rng.normal(size=(10, 1))
    kept = naive.best_rows(y, K @ coef + 0.5, 8) > 0
    fit = design.function(coef, np.array([0.5]))
    np.testing.assert_allclose(fit.intercept, (y - K @ coef)[kept].mean(axis=0))
    plain = trimmed(K, y, Trimmed(0.2), fit_intercept=False).function(coef, np.zeros(1))
    np.testing.assert_array_equal(plain.intercept, [0.0])


SYMMETRIC = {
    # Constant vectors see nothing of a centred kernel, nor of what is odd in a symmetric one.
    "ordinary": lambda rng: rng.normal(size=(12, 3)) + 1.0,
    "centred": lambda rng: np.array([[-1.0], [0.0], [1.0]]),
    "symmetric": lambda rng: np.array([[1.0, -3.0], [1.0, 0.0], [1.0, 3.0]]),
    "two groups": lambda rng: np.repeat([[1.0, 5.0], [1.0, -5.0]], 4, axis=0),
}


@pytest.mark.parametrize("design", SYMMETRIC.values(), ids=SYMMETRIC)
@pytest.mark.parametrize("alpha", [0.0, 0.3])
def test_smoothness_is_the_top_eigenvalue_and_a_little_more(design, alpha, rng):
    X = design(rng)
    sample_weight = np.ones(len(X))
    design = trimmed(
        X @ X.T, np.zeros((len(X), 1)), Trimmed(0.0), alpha, sample_weight=sample_weight
    )
    top = 2 * np.linalg.eigvalsh(X @ X.T)[-1] + 2 * alpha
    assert top <= design.smoothness() <= 1.02 * top


def test_smoothness_counts_the_row_weights(rng):
    K, y = smooth_problem(rng)
    sample_weight = rng.random(30) * 3
    root = np.sqrt(sample_weight)
    top = 2 * np.linalg.eigvalsh(root[:, None] * K * root)[-1] + 0.2
    assert (
        top <= trimmed(K, y, Trimmed(0.0), sample_weight=sample_weight).smoothness() <= 1.02 * top
    )


# The method


@accelerated
@pytest.mark.parametrize("shift", [True, False], ids=["intercept", "none"])
@pytest.mark.parametrize("radius", [None, 0.8])
def test_first_steps_equal_the_plain_loop(acceleration, shift, radius, rng):
    K, y = spoilt_problem(rng, n=10, bad=2)
    design = trimmed(K, y, Trimmed(0.2), fit_intercept=shift, norm_bound=radius)
    options = {"acceleration": acceleration, "momentum": 0.8}
    path = naive.gradient_method(K, y, 8, 0.1, 0.05, 6, radius=radius, shift=shift, **options)
    for steps, (coef, intercept) in enumerate(path, start=1):
        solution = projected_gradient(
            design, np.zeros((10, 1)), learning_rate=0.05, max_iter=steps, **options
        )
        np.testing.assert_allclose(solution.fit.coef, coef, atol=1e-12)
        np.testing.assert_allclose(solution.fit.intercept, intercept, atol=1e-12)
        assert solution.n_iter == steps
        assert len(solution.objective_path) == steps + 1


class Recorded(SquaredLoss):
    """Squared loss that remembers where its gradient was asked for."""

    def __init__(self):
        self.points = []

    def gradient(self, y, f):
        self.points.append(f.copy())
        return super().gradient(y, f)


def test_nesterov_takes_the_gradient_at_the_look_ahead_point(rng):
    K, y = smooth_problem(rng, n=10)
    loss = Recorded()
    design = trimmed(K, y, Trimmed(0.2), loss=loss, fit_intercept=False)
    options = {"acceleration": "nesterov", "momentum": 0.7}
    projected_gradient(design, np.zeros((10, 1)), learning_rate=0.05, max_iter=5, **options)
    path = naive.gradient_method(K, y, 8, 0.1, 0.05, 5, **options)
    iterates = [np.zeros((10, 1)), np.zeros((10, 1))] + [coef for coef, _ in path]
    ahead = [1.7 * now - 0.7 * before for before, now in pairwise(iterates[:-1])]
    assert len(loss.points) == 5
    np.testing.assert_allclose(loss.points, [K @ coef for coef in ahead], atol=1e-12)
    assert np.abs(loss.points[-1] - K @ iterates[-2]).max() > 1e-4  # and not at the iterate


@accelerated
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_converges_to_the_exact_fit_when_nothing_is_trimmed(acceleration, fit_intercept, rng):
    K, y = smooth_problem(rng, outputs=2)
    design = trimmed(K, y + 2.0, Trimmed(0.0), 1.0, fit_intercept=fit_intercept)
    solution = projected_gradient(
        design, np.zeros(y.shape), acceleration=acceleration, tol=1e-14, max_iter=5000
    )
    assert solution.converged
    expected = ExactRidge(K, fit_intercept).solve(y + 2.0, np.ones(30), 1.0)
    np.testing.assert_allclose(solution.fit.predictions, expected.predictions, atol=1e-5)


@each
@given(
    n=st.integers(3, 10),
    seed=st.integers(0, 9999),
    alpha=st.floats(0.0, 2.0),
    fit_intercept=st.booleans(),
    bounded=st.booleans(),
)
@settings(max_examples=25)
def test_the_objective_never_rises_with_the_automatic_step(
    rule, n, seed, alpha, fit_intercept, bounded
):
    rng = np.random.default_rng(seed)
    K, y = spoilt_problem(rng, n, bad=n // 4)
    design = trimmed(
        K,
        y,
        rule,
        alpha,
        sample_weight=rng.random(n) + 0.2,
        fit_intercept=fit_intercept,
        norm_bound=1.0 if bounded else None,
    )
    solution = projected_gradient(design, np.zeros((n, 1)), max_iter=40, tol=1e-15)
    path = np.array(solution.objective_path)
    assert (np.diff(path) <= 1e-9 * np.abs(path[:-1]) + 1e-10).all()


@pytest.mark.parametrize("design", SYMMETRIC.values(), ids=SYMMETRIC)
def test_the_automatic_step_descends_on_symmetric_designs_too(design, rng):
    X = design(rng)
    y = X[:, [-1]] + 0.1 * rng.normal(size=(len(X), 1))
    solution = projected_gradient(trimmed(X @ X.T, y, Trimmed(0.0)), np.zeros(y.shape))
    assert solution.converged
    assert (np.diff(solution.objective_path) <= 1e-9).all()


def test_ends_where_the_fitted_rows_are_the_kept_rows(rng):
    K, y = spoilt_problem(rng)
    solution = projected_gradient(
        trimmed(K, y, Trimmed(0.2), 0.5), np.zeros((20, 1)), tol=1e-14, max_iter=20000
    )
    assert solution.converged
    np.testing.assert_array_equal(solution.weights, np.arange(20) >= 4)
    coef, intercept = naive_ridge.weighted_ridge(K, y, solution.weights, 0.5)
    np.testing.assert_allclose(solution.fit.predictions, K @ coef + intercept, atol=1e-4)


def test_a_schedule_is_asked_for_every_step(rng):
    K, y = smooth_problem(rng, n=10)
    design = trimmed(K, y, Trimmed(0.2), fit_intercept=False)
    asked = []

    def schedule(iteration):
        asked.append(iteration)
        return 0.1 / iteration

    solution = projected_gradient(design, np.zeros((10, 1)), learning_rate=schedule, max_iter=4)
    assert asked == [1, 2, 3, 4]
    coef = np.zeros((10, 1))
    for iteration in range(1, 5):
        kept = naive.best_rows(y, K @ coef, 8)
        slope = 2 * kept[:, None] * (K @ coef - y) + 0.2 * coef
        coef = coef - 0.1 / iteration * slope
    np.testing.assert_allclose(solution.fit.coef, coef, atol=1e-12)


def test_begins_where_it_is_told(rng):
    K, y = smooth_problem(rng, n=10)
    design = trimmed(K, y, Trimmed(0.2))
    coef = rng.normal(size=(10, 1))
    solution = projected_gradient(design, coef, max_iter=1)
    first = design.objective(design.function(coef, np.zeros(1)))
    assert solution.objective_path[0] == pytest.approx(first)


@each
@accelerated
@pytest.mark.parametrize("rate", [10.0, 1e100, 1e250])
def test_steps_that_diverge_are_reported_with_a_remedy(rule, acceleration, rate, rng):
    K, y = smooth_problem(rng, n=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # overflow is what is asked for here
        solution = projected_gradient(
            trimmed(K, y, rule),
            np.zeros((10, 1)),
            acceleration=acceleration,
            learning_rate=rate,
            max_iter=5000,
        )
    assert not solution.converged
    assert "learning_rate" in solution.remedy
    assert np.isfinite(solution.fit.coef).all()


def test_out_of_iterations_says_what_to_do(rng):
    K, y = spoilt_problem(rng)
    solution = projected_gradient(
        trimmed(K, y, Trimmed(0.2), 1e-3), np.zeros((20, 1)), max_iter=11, tol=1e-12
    )
    assert not solution.converged
    assert solution.n_iter == 11
    assert "max_iter" in solution.remedy


def test_reports_every_iteration(rng):
    K, y = spoilt_problem(rng)
    seen = []
    solution = projected_gradient(
        trimmed(K, y, Trimmed(0.2)), np.zeros((20, 1)), max_iter=15, callback=seen.append
    )
    assert [step.iteration for step in seen] == list(range(1, solution.n_iter + 1))
    assert [step.objective for step in seen] == solution.objective_path[1:]


@accelerated
def test_a_weight_is_that_many_copies(acceleration, rng):
    X, copies = rng.normal(size=(10, 2)), rng.integers(1, 4, size=10)
    y, owner = rng.normal(size=(10, 1)), np.repeat(np.arange(10), copies)
    ends = [
        projected_gradient(
            trimmed(rbf(rows), targets, Trimmed(0.25), sample_weight=weights),
            np.zeros(targets.shape),
            acceleration=acceleration,
            learning_rate=0.01,
            max_iter=50,
        )
        for rows, targets, weights in (
            (X, y, copies.astype(float)),
            (X[owner], y[owner], np.ones(len(owner))),
        )
    ]
    weighted, repeated = ends
    np.testing.assert_allclose(repeated.objective_path, weighted.objective_path, rtol=1e-9)
    np.testing.assert_allclose(repeated.fit.predictions, weighted.fit.predictions[owner], atol=1e-9)
