"""Low-rank inverses equal dense ones, and where outputs part they still point downhill."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from properties.losses import matrices
from properties.problems import as_matrix, fractional_weights
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.losses.hessian import DiagonalHessian
from untaint.optim.gram import IncrementalGram
from untaint.optim.woodbury import newton_inverse, symmetric_inverse

N = 12
alphas = pytest.mark.parametrize("alpha", [1e-2, 1.0, 100.0])


def wide(F, k):
    """The same kernel with features so many that the outputs are not solved jointly."""
    return np.pad(F, ((0, 0), (0, 2000 // k)))


def hessians(rng):
    weights = fractional_weights(rng, N)
    zero = np.zeros((N, 3))
    return {
        "squared": (SquaredLoss().hessian(zero, zero).weighted(weights), 3),
        "diagonal": (DiagonalHessian(rng.random((N, 2))), 2),
        "logistic": (LogisticLoss().hessian(zero[:, :1], rng.normal(size=(N, 1))), 1),
        "softmax": (SoftmaxLoss().hessian(zero, rng.normal(size=(N, 3))).weighted(weights), 3),
        "sure softmax": (SoftmaxLoss().hessian(zero, 100 * rng.normal(size=(N, 3))), 3),
    }


kinds = pytest.mark.parametrize("kind", hessians(np.random.default_rng(0)))


def dense_newton(F, hessian, k, alpha):
    left = np.einsum("ijk,im->ijmk", matrices(hessian, k), F @ F.T).reshape(N * k, N * k)
    return np.linalg.inv(left + alpha * np.eye(N * k))


@kinds
@alphas
@pytest.mark.parametrize("rank", [1, 4, 20])
def test_newton_inverse_equals_the_dense_inverse(kind, alpha, rank, rng):
    F = rng.normal(size=(N, rank))
    hessian, k = hessians(rng)[kind]
    for features in (F, sp.csr_array(F)):
        found = as_matrix(newton_inverse(features, hessian, k, alpha), N, k)
        expected = dense_newton(F, hessian, k, alpha)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 / alpha)


@pytest.mark.parametrize("kind", ["squared", "diagonal", "logistic"])
@alphas
def test_outputs_that_do_not_know_one_another_may_be_solved_apart(kind, alpha, rng):
    F = rng.normal(size=(N, 4))
    hessian, k = hessians(rng)[kind]
    found = as_matrix(newton_inverse(wide(F, k), hessian, k, alpha), N, k)
    np.testing.assert_allclose(
        found, dense_newton(F, hessian, k, alpha), rtol=1e-6, atol=1e-8 / alpha
    )


@pytest.mark.parametrize("kind", ["softmax", "sure softmax"])
@alphas
def test_outputs_solved_apart_still_point_downhill(kind, alpha, rng):
    F = rng.normal(size=(N, 4))
    hessian, k = hessians(rng)[kind]
    found = as_matrix(newton_inverse(wide(F, k), hessian, k, alpha), N, k)
    image = np.kron(F @ F.T, np.eye(k)) @ found
    values = np.linalg.eigvalsh(0.5 * (image + image.T))
    assert values.min() >= -1e-9 * values.max()


@alphas
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("rank", [1, 4, 20])
def test_symmetric_inverse_equals_the_dense_inverse(alpha, k, rank, rng):
    F, weights = rng.normal(size=(N, rank)), fractional_weights(rng, N)
    d = np.sqrt(weights)
    expected = np.linalg.inv(d[:, None] * (F @ F.T) * d + alpha * np.eye(N))
    found = symmetric_inverse(IncrementalGram(F), weights, alpha)
    v = rng.normal(size=(N, k))
    np.testing.assert_allclose(found(v), expected @ v, rtol=1e-6, atol=1e-8 / alpha)


def test_single_precision_features_are_good_to_single_precision(rng):
    F, v = rng.normal(size=(N, 4)), rng.normal(size=(N, 3))
    hessian, k = hessians(rng)["softmax"]
    double = newton_inverse(F, hessian, k, 1.0)(v)
    single = newton_inverse(F.astype(np.float32), hessian, k, 1.0)(v)
    np.testing.assert_allclose(single, double, atol=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 1e-300])
def test_without_a_ridge_nothing_becomes_infinite(alpha, rng):
    F, v = rng.normal(size=(N, 4)), rng.normal(size=(N, 3))
    for hessian, k in hessians(rng).values():
        assert np.isfinite(newton_inverse(F, hessian, k, alpha)(v[:, :k])).all()
    assert np.isfinite(symmetric_inverse(IncrementalGram(F), np.ones(N), alpha)(v)).all()
