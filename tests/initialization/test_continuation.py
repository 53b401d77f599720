"""The ladder's parts: what a row costs, how stiff a fit is, quantiles of weighted rows."""

from __future__ import annotations

import numpy as np
import pytest

from naive import selection as naive
from untaint.initialization.continuation import RidgeContinuation, weighted_quantile
from untaint.kernels import RBF
from untaint.optim.low_rank import nystroem_features

N = 150
RIDGE = 0.1


def clean(rng, n=N):
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, :1]) + X[:, 1:] + 0.1 * rng.normal(size=(n, 1))


def features_of(X, count=60):
    K = RBF(0.5).matrix(X)
    landmarks = np.linspace(0, len(X) - 1, min(count, len(X))).astype(int)
    return nystroem_features(K[landmarks], landmarks)


def continuation(features, y, sample_weight=None, alpha=RIDGE, fraction=0.2):
    n = len(y)
    sample_weight = np.ones(n) if sample_weight is None else sample_weight
    return RidgeContinuation(features, y, sample_weight, np.ones(n, dtype=bool), fraction, alpha)


def test_costs_are_what_a_row_adds_to_the_objective_of_the_others(rng):
    # z^2 = e^2 / (1 + v), as long as the excuse v stays below its bound: check by refitting.
    X, y = clean(rng, n=20)
    F = features_of(X)
    n, p = len(y), F.shape[1]
    weights = (np.arange(n) >= 4).astype(float)
    alpha = 2.0
    steps = continuation(F, y, alpha=alpha)
    steps.values = np.full_like(steps.values, np.inf)  # keep every column
    costs = steps.costs(weights, alpha)
    columns = np.column_stack([F, np.ones(n)])
    penalty = alpha * np.diag(np.r_[np.ones(p), 0.0])

    def best(kept):
        A = columns.T @ (kept[:, None] * columns) + penalty
        beta = np.linalg.solve(A, columns.T @ (kept * y[:, 0]))
        errors = y[:, 0] - columns @ beta
        return kept @ errors**2 + beta @ penalty @ beta, errors, A

    for i in range(n):
        without, alone = weights.copy(), weights.copy()
        without[i], alone[i] = 0.0, 1.0
        rise = best(alone)[0] - best(without)[0]
        student_weight = columns[i] @ np.linalg.solve(best(without)[2], columns[i])
        assert student_weight < 1.0
        np.testing.assert_allclose(costs[i], rise, rtol=1e-5)


@pytest.mark.parametrize("dof", [2.0, 5.0, 20.0])
def test_stiff_ridge_has_the_asked_degrees_of_freedom(dof, rng):
    X, y = clean(rng, n=300)
    F = features_of(X)
    alpha = continuation(F, y, alpha=1e-9).alpha_for_dof(dof)
    centred = F - F.mean(axis=0)
    values = np.linalg.eigvalsh(centred.T @ centred)
    np.testing.assert_allclose(np.sum(values / (values + alpha)), dof, rtol=0.02)


def test_stiff_ridge_is_never_below_the_one_asked_for(rng):
    X, y = clean(rng)
    assert continuation(features_of(X), y, alpha=1e6).alpha_for_dof(5.0) == 1e6


@pytest.mark.parametrize("level", [0.1, 0.25, 0.5, 0.75])
def test_weighted_quantile_equals_that_of_the_copies(level, rng):
    values, copies = rng.normal(size=(9, 2)), rng.integers(1, 4, size=9)
    found = weighted_quantile(values, copies.astype(float), level)
    expected = [naive.weighted_quantile(column, copies, level) for column in values.T]
    np.testing.assert_array_equal(found, expected)
