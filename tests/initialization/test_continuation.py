"""The continuation: degrees of freedom, deletion costs, paths, and the choice of candidates."""

from __future__ import annotations

import numpy as np
import pytest

from naive import selection as naive
from untaint.initialization.continuation import Candidate, Continuation
from untaint.initialization.logistic_refit import LogisticRefit
from untaint.initialization.ridge_refit import RidgeRefit, weighted_quantile
from untaint.kernels import RBF
from untaint.losses import LogisticLoss, SquaredLoss
from untaint.optim.low_rank import nystroem_features
from untaint.weighting import ClassBalanced, Trimmed

N = 150
ALPHA = 0.1


def clean(rng, n=N):
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, :1]) + X[:, 1:] + 0.1 * rng.normal(size=(n, 1))


def features_of(X, count=60):
    K = RBF(0.5).matrix(X)
    landmarks = np.linspace(0, len(X) - 1, min(count, len(X))).astype(int)
    return nystroem_features(K[landmarks], landmarks)


def ridge(y, contamination=0.2, near=None):
    near = np.ones(len(y), dtype=bool) if near is None else near
    return RidgeRefit(y, np.ones(len(y)), near, SquaredLoss(), Trimmed(contamination))


def logistic(y, contamination=0.2):
    labels = (y > np.median(y)).astype(float)
    rule = ClassBalanced(contamination, labels[:, 0].astype(int), 2)
    return LogisticRefit(labels, np.ones(len(y)), np.ones(len(y), bool), LogisticLoss(), rule)


tasks = pytest.mark.parametrize("task", [ridge, logistic], ids=["ridge", "logistic"])


def test_samples_are_kept_that_raise_the_objective_of_the_others_least(rng):
    # By refitting: z^2 = e^2 / (1 + v), as long as the variance v is below its bound.
    X, y = clean(rng, n=20)
    n, alpha = len(y), 2.0
    columns = np.column_stack([np.ones(n), features_of(X)])
    penalty = alpha * np.diag(np.r_[0.0, np.ones(columns.shape[1] - 1)])
    weights = (np.arange(n) >= 4).astype(float)

    def least(kept):
        A = columns.T @ (kept[:, None] * columns) + penalty
        beta = np.linalg.solve(A, columns.T @ (kept * y[:, 0]))
        errors = y[:, 0] - columns @ beta
        return kept @ errors**2 + beta @ penalty @ beta, A

    rises = np.zeros(n)
    for i in range(n):
        without, alone = weights.copy(), weights.copy()
        without[i], alone[i] = 0.0, 1.0
        rises[i] = least(alone)[0] - least(without)[0]
        assert columns[i] @ np.linalg.solve(least(without)[1], columns[i]) < 1.0
    for kept in range(1, n):
        found = ridge(y, 1.0 - kept / n).extend(columns, alpha, weights)
        np.testing.assert_array_equal(np.flatnonzero(found), np.sort(np.argsort(rises)[:kept]))


@pytest.mark.parametrize("dof", [2.0, 5.0, 20.0])
def test_alpha_has_the_asked_degrees_of_freedom(dof, rng):
    X, y = clean(rng, n=300)
    F = features_of(X)
    alpha = Continuation(F, 1e-9, ridge(y)).alpha_for_dof(dof)
    centred = F - F.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)
    np.testing.assert_allclose(np.sum(values / (values + alpha)), dof, rtol=0.02)


@tasks
def test_alpha_is_never_below_the_one_asked_for(task, rng):
    X, y = clean(rng)
    path = Continuation(features_of(X), 1e6, task(y))
    assert path.alpha_for_dof(5.0) == path.alpha_for_dof(np.inf) == 1e6


@tasks
def test_more_degrees_of_freedom_are_a_smaller_alpha(task, rng):
    X, y = clean(rng)
    path = Continuation(features_of(X), 1e-9, task(y))
    alphas = [path.alpha_for_dof(dof) for dof in (1.0, 2.0, 5.0, 10.0, np.inf)]
    assert (np.diff(alphas) < 0).all()


def test_concentration_steps_by_losses_lower_the_objective(rng):
    X, y = clean(rng)
    refit = logistic(y + 2.0 * rng.normal(size=y.shape))
    path = Continuation(features_of(X), ALPHA, refit)
    start = path.c_steps(path.start(5.0, [0.5], rng.random(N) < 0.5)[0], ALPHA)
    columns = np.column_stack([np.ones(N), features_of(X)])
    before, after = (
        refit.objective(columns, ALPHA, candidate)
        for candidate in (start, path.c_steps(start, ALPHA))
    )
    assert after <= before * (1 + 1e-2)


@tasks
def test_candidates_of_equal_weights_count_once(task, rng):
    X, y = clean(rng)
    path = Continuation(features_of(X), ALPHA, task(y))
    members = np.ones(N, dtype=bool)
    ends = [
        path.follow_path(path.start(dof, [0.5], members)[0], path.alpha_for_dof(dof), ALPHA)
        for dof in (2.0, 5.0, 5.0, 2.0, 10.0)
    ]
    found = path.best(ends, ALPHA, 5)
    assert len(found) == len({end.weights.tobytes() for end in ends})


def test_samples_that_are_not_near_are_never_kept(rng):
    X, y = clean(rng)
    near = np.arange(N) >= 20
    path = Continuation(features_of(X), ALPHA, ridge(y, near=near))
    start = Candidate(np.ones(N))
    assert path.follow_path(start, 10.0, ALPHA).weights[~near].sum() == 0
    assert path.extend(Candidate(np.ones(50)), np.arange(50), ALPHA).weights[~near].sum() == 0


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.75])
def test_weighted_quantile_equals_that_of_the_copies(level, rng):
    values, copies = rng.normal(size=(9, 2)), rng.integers(1, 4, size=9)
    found = weighted_quantile(values, copies.astype(float), level)
    expected = [naive.weighted_quantile(column, copies, level) for column in values.T]
    np.testing.assert_array_equal(found, expected)
