"""When sums are left alone, followed or built anew."""

from __future__ import annotations

import numpy as np
import pytest

from untaint.solvers import ExactRidge, nystroem_features
from untaint.solvers.followed_gram import FollowedGram, factorised
from untaint.solvers.gram import WeightedGram
from untaint.solvers.woodbury import _factorised, newton_inverse, symmetric_inverse

# Written out: a test that borrows a number cannot notice that it has changed.
FEW = 0.005
STALE = 0.1
MAX_UPDATES = 50

N = 1000


class Counted:
    """Features of one column that count how their sums are asked for."""

    width = 1

    def __init__(self, rng):
        self.x = rng.normal(size=N)
        self.asked = []

    def gram(self, weights, rows=None):
        self.asked.append(None if rows is None else len(rows))
        x = self.x if rows is None else self.x[rows]
        return np.array([[float(weights @ x**2)]])


@pytest.mark.parametrize(
    ("size", "count", "asked"),
    [
        (0.9 * STALE, 100, []),  # hardly moved
        (1.1 * STALE, int(FEW * N), []),  # hardly any row moved
        (1.1 * STALE, int(FEW * N) + 1, [6]),
        (1.0, 100, [100]),
        (1.0, 300, [300]),
        (1.0, 301, [None]),
    ],
)
def test_sums_follow_what_moved_and_no_more(size, count, asked, rng):
    features = Counted(rng)
    gram, weights = FollowedGram(features), np.full(N, 2.0)
    gram.at(weights)
    features.asked.clear()
    moved = weights.copy()
    moved[:count] -= 2.0 * size
    found = gram.at(moved)
    assert features.asked == asked
    known = moved if asked else weights
    assert found[0, 0] == pytest.approx(known @ features.x**2)


def test_once_they_follow_closely_every_row_counts(rng):
    features = Counted(rng)
    gram, weights = FollowedGram(features), np.full(N, 2.0)
    gram.at(weights)
    gram.follow_closely()
    weights = weights.copy()
    weights[3] += 1e-6
    assert gram.at(weights)[0, 0] == pytest.approx(weights @ features.x**2, rel=1e-14)
    assert features.asked == [None, 1]


def test_a_sample_stands_for_all(rng):
    features, rows = Counted(rng), np.arange(0, N, 4)
    gram = FollowedGram(features, rows, 4.0)
    weights = rng.random(N)
    assert gram.at(weights)[0, 0] == pytest.approx(4.0 * weights[rows] @ features.x[rows] ** 2)
    weights = weights.copy()
    weights[:40] = 0.0
    gram.stale = 0.0
    assert gram.at(weights)[0, 0] == pytest.approx(4.0 * weights[rows] @ features.x[rows] ** 2)
    assert features.asked == [250, 10]


def test_an_inverse_is_kept_for_the_same_penalty_and_sums(rng):
    gram, weights, penalty = FollowedGram(Counted(rng)), np.full(N, 2.0), np.array([3.0])
    first = gram.inverse(weights, penalty)
    assert gram.inverse(weights, penalty.copy()) is first
    other = gram.inverse(weights, np.array([4.0]))
    assert other is not first
    right = 2.0 * float(np.sum(gram.features.x**2)) + 4.0
    assert other(np.ones(1)) == pytest.approx([1.0 / right])
    assert gram.inverse(3.0 * weights, np.array([4.0])) is not other


def test_sums_that_rounding_has_spoilt_are_propped_up():
    G = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-9]])
    x = factorised(G, np.zeros(2))(np.array([1.0, 1.0]))
    assert np.isfinite(x).all()
    np.testing.assert_allclose(G @ x, [1.0, 1.0], rtol=1e-3)
    np.testing.assert_allclose(factorised(np.zeros((2, 2)), np.ones(2))(np.ones(2)), 1.0)


def test_a_gram_matrix_is_built_anew_before_it_drifts(rng, monkeypatch):
    features = rng.normal(size=(40, 3))
    gram, weights, built = WeightedGram(features), np.ones(40), []
    rebuild = WeightedGram._rebuild
    monkeypatch.setattr(
        WeightedGram, "_rebuild", lambda self, w: built.append(1) or rebuild(self, w)
    )
    for turn in range(MAX_UPDATES + 3):
        weights = weights.copy()
        weights[turn % 40] = rng.random()
        G, s = gram.at(weights)
        np.testing.assert_allclose(G, features.T @ (weights[:, None] * features))
        np.testing.assert_allclose(s, features.T @ weights)
        assert len(built) == 1 + (turn > MAX_UPDATES)
    gram.at(weights)
    assert len(built) == 2


def test_what_was_taken_away_does_not_drown_what_is_left(rng):
    features = rng.normal(size=(40, 2))
    features[0] = 1e9
    gram = WeightedGram(features)
    gram.at(np.ones(40))
    weights = np.ones(40)
    weights[0] = 0.0
    G, _ = gram.at(weights)
    np.testing.assert_allclose(G, features[1:].T @ features[1:], rtol=1e-12)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_weights_of_either_sign_have_their_sums(sign, rng):
    features, weights = rng.normal(size=(20, 3)), sign * rng.random(20)
    expected = features.T @ (weights[:, None] * features)
    np.testing.assert_allclose(WeightedGram(features).fresh(weights), expected)
    gram = WeightedGram(features)
    mixed = weights * np.where(np.arange(20) % 2, 1.0, -1.0)
    np.testing.assert_allclose(gram.at(mixed)[0], features.T @ (mixed[:, None] * features))


def test_without_a_ridge_a_little_of_one_is_taken():
    A = np.diag([4.0, 2.0])
    solve, shift = _factorised(A.copy(), 0.0)
    assert shift == pytest.approx(3e-10)
    np.testing.assert_allclose(solve(np.ones(2)), [0.25, 0.5])
    solve, shift = _factorised(A.copy(), 1.0)
    assert shift == 1.0
    np.testing.assert_allclose(solve(np.ones(2)), [0.2, 1.0 / 3.0])
    solve, shift = _factorised(-A, 1.0)
    np.testing.assert_array_equal(solve(np.ones(2)), 0.0)


@pytest.mark.parametrize("coupled", [True, False])
def test_the_inverse_of_several_outputs(coupled, rng, monkeypatch):
    from untaint.losses.hessian import DiagonalHessian
    from untaint.solvers import woodbury

    monkeypatch.setattr(woodbury, "MOST_COUPLED", 6 if coupled else 5)
    features, h, v = rng.normal(size=(8, 3)), rng.random((8, 2)), rng.normal(size=(8, 2))
    found = newton_inverse(WeightedGram(features), DiagonalHessian(h), 2, 0.4)(v)
    K = features @ features.T
    for j in range(2):
        expected = np.linalg.solve(np.diag(h[:, j]) @ K + 0.4 * np.eye(8), v[:, j])
        np.testing.assert_allclose(found[:, j], expected)
    w = rng.random(8)
    D = np.diag(np.sqrt(w))
    expected = np.linalg.solve(D @ K @ D + 0.4 * np.eye(8), v)
    np.testing.assert_allclose(symmetric_inverse(WeightedGram(features), w, 0.4)(v), expected)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_of_all_minimisers_without_a_ridge_the_one_of_least_norm_is_taken(fit_intercept, rng):
    X = np.repeat(rng.normal(size=(6, 2)), 2, axis=0)
    y, weights = rng.normal(size=(12, 2)), rng.uniform(0.5, 2.0, 12)
    fit = ExactRidge(X @ X.T, fit_intercept).solve(y, weights, 0.0)
    design = np.column_stack([X, np.ones(12)]) if fit_intercept else X
    root = np.sqrt(weights)[:, None]
    beta = np.linalg.lstsq(root * design, root * y, rcond=None)[0]
    np.testing.assert_allclose(fit.predictions, design @ beta, atol=1e-9)
    assert fit.squared_norm == pytest.approx(np.sum(beta[:2] ** 2))
    np.testing.assert_allclose(X.T @ fit.coef, beta[:2], atol=1e-9)


def test_what_is_no_kernel_matrix_is_scaled_by_its_diagonal(rng):
    landmarks = np.array([0, 1])
    columns = np.column_stack([100.0 * np.array([[1.0, 5.0], [5.0, 1.0]]), rng.random((2, 3))])
    size = (columns / nystroem_features(columns, landmarks).T) ** 2
    np.testing.assert_allclose(size, np.broadcast_to(size[:, :1], size.shape))
    assert (size >= 100.0).all() and (size < 250.0).all()


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_features_of_all_rows_give_the_whole_matrix(scale, rng):
    X = rng.normal(size=(5, 5))
    K = scale * (X @ X.T)
    features = nystroem_features(K, np.arange(5))
    np.testing.assert_allclose(features @ features.T, K, rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize("weight", [1.0, 2.0, 0.5, 0.0, -1.0])
def test_equal_weights_are_no_special_case(weight, rng):
    features = rng.normal(size=(20, 3))
    G, s = WeightedGram(features).at(np.full(20, weight))
    np.testing.assert_allclose(G, weight * features.T @ features)
    np.testing.assert_allclose(s, weight * features.sum(axis=0))
