"""Precomputed matrices and functions."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics.pairwise import chi2_kernel, pairwise_kernels, rbf_kernel

from untaint.kernels import CallableKernel, Precomputed


def overlap(x, z):
    return np.minimum(x, z).sum()


def sparse_overlap(x, z):
    return x.minimum(z).sum()


def test_precomputed_returns_the_matrix_itself(rng):
    K = rng.normal(size=(4, 4))
    assert Precomputed().matrix(K) is K
    np.testing.assert_array_equal(Precomputed().matrix(sp.csr_array(K)), K)
    assert Precomputed().matrix(K, dtype=np.float32).dtype == np.float32
    np.testing.assert_array_equal(Precomputed().diagonal(K), K.diagonal())
    np.testing.assert_array_equal(Precomputed().diagonal(sp.csr_array(K)), K.diagonal())


def test_precomputed_wants_a_column_for_each_fitted_row(rng):
    K = rng.normal(size=(3, 5))
    assert Precomputed().matrix(K, np.eye(5)) is K
    with pytest.raises(ValueError, match=r"one column for each of the 4 rows .* got 5 columns"):
        Precomputed().matrix(K, np.eye(4))
    with pytest.raises(ValueError, match=r"must be square, got shape \(3, 5\)"):
        Precomputed().diagonal(K)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("function", [rbf_kernel, chi2_kernel])
def test_matrix_functions(function, n, d, rng):
    X, Z = rng.random((n, d)), rng.random((3, d))
    kernel = CallableKernel(function)
    np.testing.assert_allclose(kernel.matrix(X, Z), function(X, Z))
    np.testing.assert_allclose(kernel.matrix(X), function(X), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), function(X).diagonal())


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("function", [np.dot, overlap, lambda x, z: [x @ z]])
def test_row_functions_as_scikit_learn_takes_them(function, n, d, rng):
    X, Z = rng.random((n, d)), rng.random((3, d))
    kernel = CallableKernel(function)
    plain = (lambda x, z: function(x, z)[0]) if isinstance(function(Z[0], Z[0]), list) else function
    np.testing.assert_allclose(kernel.matrix(X, Z), pairwise_kernels(X, Z, metric=plain))
    np.testing.assert_allclose(kernel.matrix(X), pairwise_kernels(X, metric=plain))
    np.testing.assert_allclose(kernel.diagonal(X), [plain(x, x) for x in X])


def test_functions_of_sparse_rows(rng):
    X = sp.random_array((9, 6), density=0.4, format="csr", rng=rng)
    dense = X.toarray()
    K = CallableKernel(lambda X, Z: X @ Z.T).matrix(X)
    np.testing.assert_allclose(K, dense @ dense.T)
    K = CallableKernel(sparse_overlap).matrix(X)
    np.testing.assert_allclose(K, [[overlap(x, z) for z in dense] for x in dense])


def test_function_results_become_symmetric_without_touching_the_functions_own_array(rng):
    kept = rng.normal(size=(400, 400))
    before = kept.copy()

    def lookup(X, Z):
        return kept[np.ix_(X[:, 0].astype(int), Z[:, 0].astype(int))] if len(X) < 400 else kept

    X = np.arange(400.0)[:, None]
    K = CallableKernel(lookup).matrix(X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.triu(K), np.triu(before))
    np.testing.assert_array_equal(kept, before)


def test_functions_dtype_and_empty_shapes(rng):
    X = rng.random((4, 3))
    kernel = CallableKernel(overlap)
    assert kernel.matrix(X.astype(np.float32)).dtype == np.float32
    assert kernel.matrix(X, X[:0]).shape == (4, 0)
    assert kernel.diagonal(X[:0]).shape == (0,)
    assert kernel == CallableKernel(overlap)
    assert hash(kernel) == hash(CallableKernel(overlap))


def test_functions_that_are_no_kernels(rng):
    X = rng.random((4, 3))
    with pytest.raises(ValueError, match=r"must map two matrices .* or two rows to a number"):
        CallableKernel(lambda x, z: "similar").matrix(X)
    with pytest.raises(ZeroDivisionError):
        CallableKernel(lambda x, z: 1 / 0).matrix(X)
    with pytest.raises(ValueError, match=r"matrix of shape \(4, 4\), got \(2, 2\)"):
        CallableKernel(lambda X, Z: np.ones((2, 2))).matrix(X)
