"""A step solves its equations, and goes downhill however badly it is solved."""

from __future__ import annotations

import numpy as np
import pytest

from naive import newton as naive
from optim.systems import each, exact, intercepts
from properties.losses import matrices
from properties.problems import fractional_weights, labelled_problem
from untaint.losses import LogisticLoss, SoftmaxLoss
from untaint.optim.newton_step import newton_step

N = 18
PROBLEMS = [(LogisticLoss(), 2), (SoftmaxLoss(), 3)]
problems = pytest.mark.parametrize(("loss", "classes"), PROBLEMS, ids=["logistic", "softmax"])


def somewhere(system, K, y, loss, weights, rng, size=0.3):
    """A function, its weighted gradients and Hessians, and the matrices of these."""
    dual = size * rng.normal(size=y.shape)
    shift = size * rng.normal(size=y.shape[1]) * system.fit_intercept
    fit = system.from_dual(dual, K @ dual, shift)
    gradient = weights[:, None] * loss.gradient(y, fit.predictions)
    hessian = loss.hessian(y, fit.predictions).weighted(weights)
    return fit, gradient, hessian, matrices(hessian, y.shape[1])


def low_rank(rng, n=N):
    X = rng.normal(size=(n, 2))
    return X @ X.T


def repeated(rng, n=N):
    K, _ = labelled_problem(rng, n // 2)
    owner = np.arange(n) // 2
    return K[np.ix_(owner, owner)]


MATRICES = {"regular": None, "low rank": low_rank, "repeated rows": repeated}


@each
@intercepts
@problems
@pytest.mark.parametrize("kernel", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("penalty", [0.1, 2.0])
def test_equals_the_dense_equations(system, fit_intercept, loss, classes, kernel, penalty, rng):
    K, y = labelled_problem(rng, N, classes)
    if kernel is not None:
        K = kernel(rng)
    weights = fractional_weights(rng, N)
    one = system(K, fit_intercept)
    fit, gradient, hessian, dense = somewhere(one, K, y, loss, weights, rng)
    precondition = one.newton_preconditioner(hessian, y.shape[1], penalty)
    goal, _ = newton_step(one, fit, gradient, hessian, penalty, precondition, 1e-10)
    da, db = naive.step(K, gradient, dense, penalty, fit.dual, fit_intercept)
    move = goal.predictions - fit.predictions
    scale = 1 + np.abs(K @ da + db).max()
    np.testing.assert_allclose(move, K @ da + db, atol=1e-4 * scale)
    np.testing.assert_allclose(goal.intercept - fit.intercept, db, atol=1e-4 * scale)
    np.testing.assert_allclose(
        goal.squared_norm,
        np.sum((fit.dual + da) * (K @ (fit.dual + da))),
        rtol=1e-3,
        atol=1e-4 * scale**2,
    )
    # The fit holds together: coefficients, values and norm are those of one function.
    again = one.from_dual(goal.dual, one.times(goal.dual), goal.intercept)
    np.testing.assert_allclose(again.predictions, goal.predictions, atol=1e-6 * scale)
    np.testing.assert_allclose(
        again.squared_norm, goal.squared_norm, rtol=1e-5, atol=1e-6 * scale**2
    )


POOR = {
    "identity": lambda v: v,
    "tiny": lambda v: 1e-6 * v,
    "huge": lambda v: 1e6 * v,
    "by rows": lambda v: (0.1 + np.arange(len(v)) % 5)[:, None] * v,
}


@each
@intercepts
@problems
@pytest.mark.parametrize("precondition", POOR.values(), ids=POOR)
@pytest.mark.parametrize("tol", [0.9, 0.3, 1e-3])
def test_points_downhill_however_badly_it_is_solved(
    system, fit_intercept, loss, classes, precondition, tol, rng
):
    K, y = labelled_problem(rng, N, classes)
    weights, penalty = fractional_weights(rng, N), 0.05
    one = system(K, fit_intercept)
    fit, gradient, hessian, dense = somewhere(one, K, y, loss, weights, rng)
    goal, _ = newton_step(one, fit, gradient, hessian, penalty, precondition, tol)
    move, shift = goal.dual - fit.dual, goal.intercept - fit.intercept
    slope = np.sum(gradient * (K @ move + shift)) + penalty * np.sum(fit.dual * (K @ move))
    fall = naive.second_order(K, gradient, dense, penalty, fit.dual, move, shift)
    assert slope < 0
    assert fall < 0
    da, db = naive.step(K, gradient, dense, penalty, fit.dual, fit_intercept)
    least = naive.second_order(K, gradient, dense, penalty, fit.dual, da, db)
    assert fall >= least - 1e-6 * abs(least)


@problems
def test_a_tighter_tolerance_falls_farther(loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    one = exact(K)
    fit, gradient, hessian, dense = somewhere(one, K, y, loss, np.ones(N), rng)
    falls, iterations = [], []
    for tol in (0.9, 0.3, 0.1, 1e-2, 1e-4):
        goal, count = newton_step(one, fit, gradient, hessian, 0.05, lambda v: v, tol)
        move, shift = goal.dual - fit.dual, goal.intercept - fit.intercept
        falls.append(naive.second_order(K, gradient, dense, 0.05, fit.dual, move, shift))
        iterations.append(count)
    assert (np.diff(falls) <= 1e-12).all()
    assert (np.diff(iterations) >= 0).all()


def test_the_inverse_itself_needs_hardly_any_iteration(rng):
    K, y = labelled_problem(rng, N)
    one = exact(K)
    fit, gradient, hessian, _ = somewhere(one, K, y, LogisticLoss(), np.ones(N), rng)
    good = one.newton_preconditioner(hessian, 1, 0.05)
    _, with_it = newton_step(one, fit, gradient, hessian, 0.05, good, 1e-6)
    _, without = newton_step(one, fit, gradient, hessian, 0.05, lambda v: v, 1e-6)
    assert with_it < without


@each
@problems
def test_at_the_minimum_there_is_nowhere_to_go(system, loss, classes, rng):
    K, y = labelled_problem(rng, N, classes)
    one, penalty = system(K, True), 0.1
    fit = one.zero(y)
    for _ in range(20):
        gradient = loss.gradient(y, fit.predictions)
        hessian = loss.hessian(y, fit.predictions)
        precondition = one.newton_preconditioner(hessian, y.shape[1], penalty)
        last = fit
        fit, _ = newton_step(one, fit, gradient, hessian, penalty, precondition, 1e-8)
    np.testing.assert_allclose(fit.predictions, last.predictions, atol=1e-6)


def test_arguments_are_left_alone(rng):
    K, y = labelled_problem(rng, N, 3)
    one = exact(K)
    fit, gradient, hessian, dense = somewhere(one, K, y, SoftmaxLoss(), np.ones(N), rng)
    before = fit.dual.copy(), fit.predictions.copy(), gradient.copy()
    newton_step(one, fit, gradient, hessian, 0.05, lambda v: v, 0.1)
    for array, copy in zip((fit.dual, fit.predictions, gradient), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    np.testing.assert_array_equal(matrices(hessian, 3), dense)
