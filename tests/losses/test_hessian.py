"""A Hessian is its rows' matrices, written out or not."""

from __future__ import annotations

import numpy as np
import pytest

from naive import losses as naive
from properties import losses as properties
from untaint.losses import LogisticLoss, SoftmaxLoss, SquaredLoss
from untaint.losses.hessian import DiagonalHessian, HessianDifference, SoftmaxHessian

N = 7


def diagonal(rng, k):
    return DiagonalHessian(rng.random((N, k)))


def of_a_softmax(rng, k):
    parts = rng.random((N, k))
    return SoftmaxHessian(parts / parts.sum(axis=1, keepdims=True))


def of_a_weighted_softmax(rng, k):
    return of_a_softmax(rng, k).weighted(rng.random(N))


def a_difference(rng, k):
    return HessianDifference(diagonal(rng, k), DiagonalHessian(np.zeros((N, k))))


KINDS = [diagonal, of_a_softmax, of_a_weighted_softmax, a_difference]
each = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
outputs = pytest.mark.parametrize("k", [1, 2, 5])


@each
@outputs
def test_multiplies_like_the_matrices_of_its_rows(kind, k, rng):
    hessian = kind(rng, k)
    weights = rng.random(N)
    weights[:2] = 0.0
    properties.multiplies_like_its_matrices(hessian, k, rng.normal(size=(N, k)), weights)


@each
@outputs
def test_weights_of_weights_multiply(kind, k, rng):
    hessian, one, two = kind(rng, k), rng.random(N), rng.random(N)
    np.testing.assert_allclose(
        properties.matrices(hessian.weighted(one).weighted(two), k),
        properties.matrices(hessian.weighted(one * two), k),
    )


@each
@outputs
def test_rows_are_symmetric_and_bend_one_way(kind, k, rng):
    dense = properties.matrices(kind(rng, k), k)
    np.testing.assert_allclose(dense, dense.transpose(0, 2, 1), rtol=1e-14)
    assert (np.linalg.eigvalsh(dense) >= -1e-15).all()


@each
def test_a_hessian_is_left_alone_by_its_use(kind, rng):
    hessian = kind(rng, 3)
    before = properties.matrices(hessian, 3)
    hessian.weighted(rng.random(N)).times(rng.normal(size=(N, 3)))
    hessian.total()
    np.testing.assert_array_equal(properties.matrices(hessian, 3), before)


@pytest.mark.parametrize(
    ("loss", "reference", "k"),
    [
        (SquaredLoss(), naive.squared_hessian, 3),
        (LogisticLoss(), naive.logistic_hessian, 1),
        (SoftmaxLoss(), naive.softmax_hessian, 4),
    ],
    ids=["squared", "logistic", "softmax"],
)
def test_equals_the_matrices_by_the_book(loss, reference, k, rng):
    f = 3 * rng.normal(size=(N, k))
    y = np.eye(k)[rng.integers(0, k, size=N)]
    expected = np.array([reference(row) for row in f.tolist()])
    found = properties.matrices(loss.hessian(y, f), k)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def test_a_softmax_does_not_feel_what_raises_all_scores(rng):
    hessian = of_a_weighted_softmax(rng, 4)
    np.testing.assert_allclose(hessian.times(np.ones((N, 4))), 0.0, atol=1e-15)
    np.testing.assert_allclose(hessian.total() @ np.ones(4), 0.0, atol=1e-14)
