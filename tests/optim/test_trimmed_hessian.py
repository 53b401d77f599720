"""The Hessian of a trimmed objective is that of finite differences, and few passes are needed."""

import numpy as np
import pytest

from untaint import SubquantileClassifier
from untaint.optim.trimmed_hessian import lanczos_weights, samples_near

N, P, KEPT = 400_000, 3, 0.8


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    Phi = rng.normal(size=(N, P))
    sign = np.where(Phi @ [1.0, -0.5, 0.2] + rng.logistic(size=N) > 0, 1.0, -1.0)
    return Phi, sign, np.array([0.8, -0.3, 0.1])


def losses_at(coef, Phi, sign):
    return np.logaddexp(0.0, -sign * (Phi @ coef))


def gradient_at(coef, Phi, sign, threshold=None):
    """The gradient of the smallest losses, or of those up to a threshold."""
    losses = losses_at(coef, Phi, sign)
    limit = np.quantile(losses, KEPT) if threshold is None else threshold
    return Phi.T @ (np.where(losses <= limit, -sign, 0.0) * (1.0 - np.exp(-losses)))


def crossing_of(problem, used=0.0):
    Phi, sign, coef = problem
    losses = losses_at(coef, Phi, sign)
    t = np.quantile(losses, KEPT)
    excess = np.count_nonzero((losses > t) & (losses <= t + used))
    near = samples_near(losses, np.zeros(N, dtype=int), np.array([t]), np.array([excess]))
    return near, (-sign * (1.0 - np.exp(-losses)))[:, None]


def test_crossing_samples_explain_the_change_of_the_gradient(problem):
    Phi, sign, coef = problem
    losses = losses_at(coef, Phi, sign)
    kept = losses <= np.quantile(losses, KEPT)
    p = np.exp(-losses)
    H = Phi.T @ (Phi * (kept * p * (1.0 - p))[:, None])
    crossing, slopes = crossing_of(problem)
    B = np.column_stack([Phi.T @ crossing.slopes_of(slopes, Phi[:, [j]]) for j in range(P)])
    step = 0.05
    for j in range(P):
        ahead, behind = (coef + s * step * np.eye(P)[j] for s in (1, -1))
        change = (gradient_at(ahead, Phi, sign) - gradient_at(behind, Phi, sign)) / (2 * step)
        wrong_by = np.linalg.norm(change - (H - B)[j]) / np.linalg.norm(change)
        assert wrong_by < 0.05
        assert np.linalg.norm(change - H[j]) > 5 * np.linalg.norm(change - (H - B)[j])


def test_samples_kept_in_excess_are_taken_off_the_gradient(problem):
    Phi, sign, coef = problem
    excess = 0.02
    right = gradient_at(coef, Phi, sign)
    limit = np.quantile(losses_at(coef, Phi, sign), KEPT) + excess
    found = gradient_at(coef, Phi, sign, limit)
    crossing, slopes = crossing_of(problem, used=excess)
    surplus = (Phi.T @ crossing.excess_slopes(slopes)).ravel()
    assert np.linalg.norm(found - surplus - right) < 0.1 * np.linalg.norm(found - right)


def step_of(H, B, g):
    """The step in the span of the concentration step and its image."""
    d = -np.linalg.solve(H, g)
    both = np.column_stack([d, np.linalg.solve(H, B @ d)])
    return both @ lanczos_weights(float(d @ H @ d), both.T @ B @ both)


def test_the_step_solves_with_the_hessian_of_the_objective(rng):
    A, c, g = rng.normal(size=(20, 4)), 0.4 * rng.normal(size=4), rng.normal(size=4)
    H, B = A.T @ A, np.outer(c, c)
    assert step_of(H, B, g) == pytest.approx(-np.linalg.solve(H - B, g))
    assert step_of(H, 0 * B, g) == pytest.approx(-np.linalg.solve(H, g))


def test_an_indefinite_hessian_gives_a_descent_direction_of_bounded_length(rng):
    for scale in (1.0, 3.0, 100.0):
        A, C, g = rng.normal(size=(20, 4)), scale * rng.normal(size=(20, 4)), rng.normal(size=4)
        H = A.T @ A
        step, d = step_of(H, C.T @ C, g), -np.linalg.solve(H, g)
        assert g @ step < 0
        assert step @ H @ step <= 4.0 * (d @ H @ d) * (1 + 1e-9)


def test_a_threshold_that_was_far_off_is_not_corrected():
    losses, groups = np.linspace(0.0, 1.0, 1000), np.zeros(1000, dtype=int)
    assert samples_near(losses, groups, np.array([0.5]), np.array([400.0])) is None


def test_overlapping_classes_of_many_rows_take_few_passes():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60_000, 10))
    y = X @ rng.normal(size=10) + 2.0 * rng.logistic(size=len(X)) > 0
    y = np.where(rng.random(len(X)) < 0.2, ~y, y)
    model = SubquantileClassifier(kernel="linear", contamination=0.2).fit(X, y)
    assert model.converged_
    assert model.n_iter_ <= 12
