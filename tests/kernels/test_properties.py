"""What holds for every kernel, written once."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise

from naive import kernels as naive
from untaint.kernels import (
    RBF,
    Exponential,
    Laplacian,
    Linear,
    Polynomial,
    RationalQuadratic,
    make_kernel,
)
from untaint.kernels.tiles import TILE

GAMMA = 0.15
KERNELS = [
    Linear(),
    Polynomial(GAMMA, degree=3, coef0=1.0),
    Polynomial(GAMMA, degree=6, coef0=0.5),
    RBF(GAMMA),
    Laplacian(GAMMA),
    Exponential(GAMMA),
    RationalQuadratic(GAMMA, shape=1.0),
    RationalQuadratic(GAMMA, shape=2.5),
    RationalQuadratic(GAMMA, shape=30.0),
]
RADIAL = [kernel for kernel in KERNELS if kernel.name not in ("linear", "poly")]
SIZES = [1, 2, 17, TILE, TILE + 1, 2 * TILE + 40]
EXTREME = [
    *((np.float32, size) for size in (1e2, 1e6, 1e12, 1e38)),
    *((np.float64, size) for size in (1e12, 1e150, 1e300, 1e2, 1e6)),
]

each = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
each_radial = pytest.mark.parametrize("kernel", RADIAL, ids=repr)


def by_the_book(kernel, X, Z=None):
    return naive.matrix(getattr(naive, kernel.name), X, Z, **vars(kernel))


def rows(rng, n, d=5):
    """Ordinary rows off the origin, some of them twice."""
    X = rng.normal(size=(n, d)) + 1.0
    X[n // 2 :: 7] = X[: len(X[n // 2 :: 7])]
    return X


@each
def test_equals_the_double_loop(kernel, rng):
    X, Z = rows(rng, 20), rows(rng, 13)
    np.testing.assert_allclose(kernel.matrix(X), by_the_book(kernel, X), rtol=1e-11)
    np.testing.assert_allclose(kernel.matrix(X, Z), by_the_book(kernel, X, Z), rtol=1e-11)
    np.testing.assert_allclose(kernel(X, Z), by_the_book(kernel, X, Z), rtol=1e-11)


@each
@pytest.mark.parametrize("n", SIZES)
def test_symmetric_and_the_same_with_z_given(kernel, n, rng):
    X = rows(rng, n)
    K = kernel.matrix(X)
    assert K.shape == (n, n)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(kernel.matrix(X, X.copy()), K, rtol=1e-10)


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_diagonal_is_exact(kernel, dtype, rng):
    X = rows(rng, TILE + 9).astype(dtype)
    diagonal = kernel.diagonal(X)
    assert diagonal.dtype == dtype
    np.testing.assert_array_equal(kernel.matrix(X).diagonal(), diagonal)
    np.testing.assert_array_equal(kernel.diagonal(sp.csr_array(X)).shape, (len(X),))
    expected = [by_the_book(kernel, x[None])[0, 0] for x in X]
    np.testing.assert_allclose(diagonal, expected, rtol=1e-12 if dtype == np.float64 else 1e-6)


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_positive_semi_definite(kernel, dtype, rng):
    K = kernel.matrix(rows(rng, 150).astype(dtype)).astype(np.float64)
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues[0] > -20 * np.finfo(dtype).eps * eigenvalues[-1]


@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, sp.csr_matrix])
@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "laplacian"])
def test_equals_scikit_learn(name, convert, rng):
    X, Z = convert(rows(rng, TILE + 30)), convert(rows(rng, 50))
    kernel = make_kernel(name, gamma=GAMMA, degree=3, coef0=1.0)
    params = {"gamma": GAMMA} if name in ("rbf", "laplacian") else {}
    if name == "poly":
        params = {"gamma": GAMMA, "degree": 3, "coef0": 1.0}
    theirs = pairwise.pairwise_kernels
    expected = theirs(X, metric=name, **params)
    np.testing.assert_allclose(kernel.matrix(X), expected, rtol=1e-11)
    expected = theirs(X, Z, metric=name, **params)
    np.testing.assert_allclose(kernel.matrix(X, Z), expected, rtol=1e-11)


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sparse_equals_dense(kernel, dtype, rng):
    X = (rows(rng, TILE + 20, 8) * (rng.random((TILE + 20, 8)) < 0.3)).astype(dtype)
    Z = X[:50] + np.eye(50, 8, dtype=dtype)
    dense, dense_z = kernel.matrix(X), kernel.matrix(X, Z)
    tolerance = 1e-10 if dtype == np.float64 else 2e-6
    for convert in (sp.csr_array, sp.csr_matrix, sp.csc_array):
        K = kernel.matrix(convert(X))
        assert K.dtype == dtype
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_allclose(K, dense, rtol=tolerance, atol=tolerance)
    for pair in ((sp.csr_array(X), sp.csr_array(Z)), (sp.csr_array(X), Z), (X, sp.csr_array(Z))):
        np.testing.assert_allclose(kernel.matrix(*pair), dense_z, rtol=tolerance, atol=tolerance)


@each
def test_sparse_rows_with_repeated_entries_count_as_their_sum(kernel):
    repeated = sp.csr_array(
        (np.array([1.0, 2.0, 5.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    before = repeated.data.copy()
    np.testing.assert_allclose(kernel.matrix(repeated), kernel.matrix(np.diag([3.0, 5.0])))
    np.testing.assert_array_equal(repeated.data, before)


@each
def test_float32_stays_float32_and_near_float64(kernel, rng):
    X = rows(rng, TILE + 60).astype(np.float32)
    K, exact = kernel.matrix(X), kernel.matrix(X.astype(np.float64))
    assert K.dtype == np.float32
    assert exact.dtype == np.float64
    size = np.maximum(np.sqrt(np.outer(exact.diagonal(), exact.diagonal())), 1.0)
    assert np.abs((K - exact) / size).max() < 2e-6
    assert kernel.matrix(X, dtype=np.float64).dtype == np.float64
    assert kernel.matrix(X.astype(np.float64), dtype=np.float32).dtype == np.float32


@each_radial
@pytest.mark.parametrize("gamma", [0.5, 10.0, 1e3, 1e8])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_near_duplicates_are_accurate_at_any_scale(kernel, gamma, dtype, rng):
    X = np.repeat(rng.normal(size=(15, 3)), 2, axis=0)
    X[::2] += rng.normal(size=(15, 3)) / gamma
    X = X.astype(dtype)
    kernel = type(kernel)(**{**vars(kernel), "gamma": gamma})
    tolerance = 2e-10 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(kernel.matrix(X), by_the_book(kernel, X), atol=tolerance)


@each
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_thread_count_changes_no_bit(kernel, dtype, rng):
    X = rows(rng, 3 * TILE + 5).astype(dtype)
    X[5] = 1e9
    for Z in (None, X[::2]):
        expected = kernel.matrix(X, Z, n_threads=1)
        for n_threads in (2, 5, None):
            np.testing.assert_array_equal(kernel.matrix(X, Z, n_threads=n_threads), expected)


@each
def test_permuting_rows_permutes_the_matrix(kernel, rng):
    X = rows(rng, TILE + 70)
    order = rng.permutation(len(X))
    expected = kernel.matrix(X)[np.ix_(order, order)]
    np.testing.assert_allclose(kernel.matrix(X[order]), expected, rtol=1e-10)


@each
def test_memory_order_does_not_matter(kernel, rng):
    X, Z = rows(rng, 40), rows(rng, 30)
    K = kernel.matrix(np.asfortranarray(X), np.asfortranarray(Z))
    np.testing.assert_allclose(K, kernel.matrix(X, Z), rtol=1e-12)
    assert K.flags.c_contiguous
    np.testing.assert_allclose(kernel.matrix(X[::2]), kernel.matrix(X[::2].copy()), rtol=1e-12)


@each
def test_input_is_left_alone(kernel, rng):
    X = rows(rng, 30)
    X.setflags(write=False)
    S = sp.csr_array(X)
    S.data.setflags(write=False)
    kernel.matrix(X), kernel.matrix(X, X[:3]), kernel.matrix(S), kernel.diagonal(X)


@each
def test_empty_shapes(kernel, rng):
    X = rows(rng, 4)
    assert kernel.matrix(X, X[:0]).shape == (4, 0)
    assert kernel.matrix(X[:0], X).shape == (0, 4)
    assert kernel.matrix(X[:0]).shape == (0, 0)
    assert kernel.diagonal(X[:0]).shape == (0,)
    without_features = np.empty((3, 0))
    expected = by_the_book(kernel, without_features)
    np.testing.assert_array_equal(kernel.matrix(without_features), expected)


@each
def test_is_a_value(kernel):
    twin = pickle.loads(pickle.dumps(kernel))
    assert twin == kernel
    assert hash(twin) == hash(kernel)
    assert eval(repr(kernel), {type(kernel).__name__: type(kernel)}) == kernel
    with pytest.raises(AttributeError):
        kernel.gamma = 2.0


@each
@pytest.mark.parametrize(("dtype", "size"), EXTREME)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_feature_outliers_spoil_nothing(kernel, dtype, size, convert, rng):
    X = rows(rng, TILE + 20).astype(dtype)
    feature_outlier = np.zeros(len(X), dtype=bool)
    feature_outlier[rng.permutation(len(X))[:80]] = True
    clean = kernel.matrix(X[~feature_outlier].astype(np.float64))
    X[feature_outlier] = (
        size * rng.choice([-1, 1], size=(80, X.shape[1])) * (1 + rng.random((80, 1)))
    )
    X[np.flatnonzero(feature_outlier)[1]] = X[np.flatnonzero(feature_outlier)[0]]

    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        K = kernel.matrix(convert(X))
        K_z = kernel.matrix(convert(X), convert(X[:50]))

    assert np.isfinite(K).all()
    assert np.isfinite(K_z).all()
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(K.diagonal(), kernel.diagonal(convert(X)))
    tolerance = 1e-10 if dtype == np.float64 else 5e-6
    scale = np.maximum(np.sqrt(np.outer(clean.diagonal(), clean.diagonal())), 1.0)
    assert np.abs((K[np.ix_(~feature_outlier, ~feature_outlier)] - clean) / scale).max() < tolerance
    few = (~feature_outlier[:50]).sum()
    error = K_z[~feature_outlier][:, ~feature_outlier[:50]] - clean[:, :few]
    assert np.abs(error / scale[:, :few]).max() < tolerance


@each_radial
@pytest.mark.parametrize(("dtype", "size"), EXTREME[2:7])
def test_feature_outliers_among_themselves(kernel, dtype, size, rng):
    X = rows(rng, 200).astype(dtype)
    X[:90] = size
    X[:30] *= 1 + rng.random((30, X.shape[1])).astype(dtype)
    K = kernel.matrix(X)
    assert (K[30:90, 30:90] == 1.0).all()
    np.testing.assert_array_equal(kernel.matrix(X[:90], X[30:90])[30:], 1.0)
    if kernel.name == "rational_quadratic":
        assert K[:90, 90:].max() < 1e-20
    else:
        assert (K[:90, 90:] == 0.0).all()
    assert np.linalg.eigvalsh(K.astype(np.float64))[0] > -100 * np.finfo(dtype).eps * len(K)


@pytest.mark.parametrize("kernel", [RationalQuadratic(0.3, 1.0), RationalQuadratic(0.3, 0.2)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_heavy_tails_are_kept_between_ordinary_and_feature_outliers(kernel, dtype, rng):
    X = rows(rng, 20).astype(dtype)
    X[::3] *= 1e6
    book = by_the_book(kernel, X)
    rtol = 1e-9 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(kernel.matrix(X), book, rtol=rtol, atol=rtol)
    np.testing.assert_allclose(kernel.matrix(X)[1, ::3], book[1, ::3], rtol=10 * rtol)


@each_radial
@pytest.mark.parametrize("fraction", [0.2, 0.45, 0.9])
def test_rows_a_hundred_times_larger(kernel, fraction, rng):
    """The papers' feature corruption: neither small enough to ignore nor far enough to vanish."""
    X = rows(rng, 60)
    X[: int(fraction * 60)] *= 100
    X[3] = X[2] + 1e-3
    np.testing.assert_allclose(kernel.matrix(X), by_the_book(kernel, X), atol=1e-10)
    K = kernel.matrix(X.astype(np.float32))
    book = by_the_book(kernel, X.astype(np.float32).astype(float))
    np.testing.assert_allclose(K, book, atol=1e-6)


@each_radial
@pytest.mark.parametrize("gamma", [1e-300, 1e-160, 1e-20, 1e160, 1e300])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_extreme_gammas(kernel, gamma, convert, rng):
    X = np.repeat(rng.normal(size=(15, 3)), 2, axis=0)
    kernel = type(kernel)(**{**vars(kernel), "gamma": gamma})
    with np.errstate(all="raise", under="ignore"):
        K = kernel.matrix(convert(X))
    same = np.kron(np.eye(15), np.ones((2, 2))) == 1
    assert (K[same] == 1.0).all()
    if gamma < 1:
        np.testing.assert_allclose(K[~same], 1.0, rtol=1e-9)
    else:
        assert K[~same].max() < 1e-100


def test_polynomial_in_float64_of_float32_rows_rounds_gamma_in_float64(rng):
    X = rng.normal(size=(20, 3)).astype(np.float32)
    kernel = Polynomial(0.1, degree=2)
    expected = by_the_book(kernel, X)
    np.testing.assert_allclose(kernel.matrix(X, dtype=np.float64), expected, rtol=1e-12)


@each
def test_peak_memory_is_the_result_and_little_else(kernel, rng):
    X = rng.normal(size=(1500, 4))
    kernel.matrix(X[:600])
    tracemalloc.start()
    K = kernel.matrix(X, n_threads=2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < K.nbytes + 2 * 6 * 8 * TILE**2 + 20 * X.nbytes
