"""Nystroem features: exact on the span of the landmarks, of any kernel."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from feature_maps.cases import GAMMA, KERNELS, RADIAL, rows
from naive import features as naive
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import RBF, Linear

each = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)


def approximate(one, X, Z=None):
    return one(X) @ one(X if Z is None else Z).T


@each
def test_all_rows_as_landmarks_give_the_kernel_itself(kernel, rng):
    X = rows(rng, 80)
    K = kernel.matrix(X)
    # Directions below rounding are left out: what they held is of the size of their root.
    np.testing.assert_allclose(approximate(NystroemMap(kernel, X), X), K, atol=1e-6 * K.max())


@each
def test_some_landmarks_give_the_projection_onto_them(kernel, rng):
    X, Z = rows(rng, 50), rows(rng, 9)
    expected = naive.nystroem_kernel(kernel.matrix(X, Z), kernel.matrix(Z), kernel.matrix(Z, X))
    np.testing.assert_allclose(
        approximate(NystroemMap(kernel, Z), X), expected, atol=1e-6 * np.abs(expected).max()
    )


@each
def test_values_with_a_landmark_are_exact_for_every_row(kernel, rng):
    X, Z = rows(rng, 50), rows(rng, 9)
    exact = kernel.matrix(X, Z)
    np.testing.assert_allclose(
        approximate(NystroemMap(kernel, Z), X, Z), exact, atol=1e-6 * np.abs(exact).max()
    )


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_more_landmarks_lose_less_and_never_add(kernel, rng):
    X = rows(rng, 120)
    lost = []
    for m in (5, 20, 60, 120):
        phi = NystroemMap(kernel, X[:m])(X)
        short = 1.0 - np.einsum("ij,ij->i", phi, phi)
        assert short.min() > -1e-9
        lost.append(short.sum())
    assert (np.diff(lost) < 1e-9).all()
    assert lost[-1] < 1e-4


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_repeated_landmarks_count_once(dtype, rng):
    X, Z = rows(rng, 40), rows(rng, 8)
    once = NystroemMap(RBF(GAMMA), Z, dtype)
    twice = NystroemMap(RBF(GAMMA), np.vstack([Z, Z, Z[:3]]), dtype)
    assert twice.width <= once.width == 8
    np.testing.assert_allclose(
        approximate(twice, X), approximate(once, X), atol=1e-8 if dtype == np.float64 else 1e-4
    )


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=lambda kernel: kernel.name)
def test_sparse_equals_dense(kernel, convert, rng):
    X = rows(rng, 60, 6) * (rng.random((60, 6)) < 0.4)
    dense, sparse = NystroemMap(kernel, X[:15]), NystroemMap(kernel, convert(X[:15]))
    expected = approximate(dense, X)
    np.testing.assert_allclose(
        approximate(sparse, convert(X)), expected, atol=1e-8 * np.abs(expected).max()
    )


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_single_precision_keeps_four_digits_of_the_kernel(kernel, rng):
    X = rows(rng, 60)
    exact = kernel.matrix(X)
    found = approximate(NystroemMap(kernel, X, np.float32), X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, exact, atol=5e-4)


def test_rows_without_any_feature_are_no_failure():
    one = NystroemMap(Linear(), np.zeros((5, 2)))
    assert one.width == 1
    assert np.isfinite(one(np.ones((3, 2)))).all()


def test_far_rows_have_no_features(rng):
    phi = NystroemMap(RBF(GAMMA), rows(rng, 10))(1e6 * rows(rng, 4))
    np.testing.assert_array_equal(phi, 0.0)
