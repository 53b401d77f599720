"""The pieces that kernel matrices are made of, each next to what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from untaint.kernels import RBF, CallableKernel, Exponential, Linear, Polynomial, RationalQuadratic
from untaint.kernels.arrays import as_csr, as_dense, working_dtype
from untaint.kernels.decay import exponential_decay
from untaint.kernels.distances import SquaredDistances
from untaint.kernels.make import make_kernel
from untaint.kernels.pairs import NARROW, _spread, pair_distances
from untaint.kernels.products import inner_products, squared_norms
from untaint.kernels.sides import DenseSides, SparseSides, _centre
from untaint.kernels.tiles import TILE, build

# Written out: a test that borrows a number cannot notice that it has changed.
FAR = 1e140
SAMPLE = 255


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_decay_is_normal_or_nothing(dtype):
    tiny = np.finfo(dtype).tiny
    edge = -np.log(tiny)
    t = np.array([0.0, 1.0, 0.99 * edge, 1.001 * edge, 1.03 * edge, 1e4, np.inf], dtype=dtype)
    expected = np.exp(-t.astype(float))
    exponential_decay(t)
    np.testing.assert_allclose(t[:3], expected[:3], rtol=1e-5)
    np.testing.assert_array_equal(t[3:], 0.0)
    exponential_decay(np.zeros((0, 3)))


def test_defaults_are_those_of_the_documentation():
    assert Polynomial(gamma=2.0) == Polynomial(gamma=2.0, degree=3, coef0=1.0)
    assert RationalQuadratic(gamma=2.0) == RationalQuadratic(gamma=2.0, shape=1.0)
    assert make_kernel("poly", gamma=2.0) == Polynomial(gamma=2.0, degree=3, coef0=1.0)
    assert make_kernel("rational_quadratic", gamma=2.0) == RationalQuadratic(2.0, 1.0)


def test_a_user_kernel_that_is_not_symmetric_somewhere_is_mirrored_everywhere(rng):
    n = TILE + 30
    X = np.arange(float(n))[:, None]

    def uneven(A, B):
        product = np.minimum(A, B.T)
        product[A[:, 0] >= n - 2, :5] += 1.0
        return product

    K = CallableKernel(uneven).matrix(X)
    np.testing.assert_array_equal(K, np.minimum(X, X.T))  # its upper triangle
    whole = np.minimum(X, X.T)
    assert CallableKernel(lambda A, B: np.minimum(A, B.T)).matrix(X).tolist() == whole.tolist()


@pytest.mark.parametrize("n", [1, 31, 32, 33, 70])
def test_the_diagonal_of_a_user_kernel_is_taken_in_blocks(n, rng):
    X = rng.normal(size=(n, 3))
    kernel = CallableKernel(lambda A, B: A @ B.T)
    np.testing.assert_allclose(kernel.diagonal(X), (X**2).sum(axis=1))


@pytest.mark.parametrize("n", [1, 2, 3, SAMPLE, SAMPLE + 1, 2 * SAMPLE, 3 * SAMPLE + 1])
def test_the_centre_is_a_median_of_rows_spread_over_all(n, rng):
    Z = rng.normal(size=(n, 3))
    stride = -(-n // SAMPLE)
    sample = np.sort(Z[::stride], axis=0)
    assert len(sample) <= SAMPLE
    np.testing.assert_array_equal(_centre(Z), sample[(len(sample) - 1) // 2])
    np.testing.assert_array_equal(_centre(np.zeros((0, 2))), [0.0, 0.0])


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("same", [False, True])
def test_both_sides_agree_on_norms_products_and_differences(sparse, same, rng):
    X, Z, root = 4 * rng.normal(size=(7, 3)), 4 * rng.normal(size=(5, 3)), 0.7
    Z = X if same else Z
    if sparse:
        sides = SparseSides(as_csr(X), None if same else as_csr(Z), root)
        centre = np.zeros(3)
    else:
        sides = DenseSides(X, None if same else Z, root, single=True)
        centre = _centre(Z)
    np.testing.assert_allclose(sides.left_norm, root**2 * ((X - centre) ** 2).sum(axis=1))
    np.testing.assert_allclose(sides.right_norm, root**2 * ((Z - centre) ** 2).sum(axis=1))
    rows, cols = slice(2, 6), slice(1, 5)
    plain = ((X[rows, None] - Z[None, cols]) ** 2).sum(axis=2)
    out = np.empty((4, 4))
    if not sparse:  # whole tiles only, where rows are sparse
        sides.product(rows, cols, out)
        np.testing.assert_allclose(out, root**2 * plain, atol=1e-12)
        A, B = sides.single
        np.testing.assert_allclose(A[rows] @ B[cols].T, root**2 * plain, atol=1e-4)
        assert A.dtype == np.float32
    sides.difference_tile(rows, cols, out)
    np.testing.assert_allclose(out, plain)
    i, j = np.array([0, 6, 3]), np.array([4, 0, 2])
    np.testing.assert_allclose(sides.differences(i, j), ((X[i] - Z[j]) ** 2).sum(axis=1))


def test_single_precision_is_only_made_where_it_is_asked_for(rng):
    assert DenseSides(rng.normal(size=(3, 2)), None, 1.0, single=False).single is None
    assert SparseSides(as_csr(np.eye(3)), None, 1.0).single is None


@pytest.mark.parametrize("sparse", [False, True])
def test_coordinates_beyond_all_bounds_are_cut_off(sparse):
    X = np.array([[0.0], [1.0], [1e200], [-1e200]])
    sides = SparseSides(as_csr(X), None, 1.0) if sparse else DenseSides(X, None, 1.0, False)
    assert sides.left_norm[2] == pytest.approx(0.5 * FAR**2)
    assert sides.right_norm[3] == pytest.approx(0.5 * FAR**2)


def exact(X, Z, root):
    """Squared distances of more digits than a float has."""
    D = X[:, None].astype(np.longdouble) - Z[None].astype(np.longdouble)
    return (D**2).sum(axis=2) * np.longdouble(root) ** 2


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("near", [1e-9, 1e-6, 1e-3, 1.0])
@pytest.mark.parametrize("far", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("many", [False, True])
def test_distances_are_right_however_close_rows_are_and_however_far_out(
    sparse, rooted, near, far, many, rng
):
    X = rng.normal(size=(24, 2))
    X[12:] = far + rng.normal(size=(12, 2))
    Z = X + near * rng.normal(size=X.shape)
    if many:  # so that most entries of a tile are suspect
        X[:], Z[:] = X[-1] + near * X, X[-1] + near * Z
    wrap = as_csr if sparse else np.asarray
    out = np.empty((24, 24))
    tile = SquaredDistances(wrap(X), wrap(Z), root=0.8, dtype=float, rooted=rooted)
    with np.errstate(invalid="ignore"):
        tile(slice(0, 24), slice(0, 24), out, np.empty((24, 24)))
    right = np.asarray(exact(X, Z, 0.8), dtype=float)
    if rooted:
        error = np.abs(np.sqrt(out) - np.sqrt(right)) / np.maximum(np.sqrt(right), 1.0)
    else:
        error = np.abs(out - right) / np.maximum(right, 1.0)
    assert error.max() < 2e-11


def test_near_rows_keep_their_values_in_single_precision_whoever_else_is_there(rng):
    X = (0.3 * rng.normal(size=(20, 3))).astype(np.float32)
    alone = RBF(gamma=1.0).matrix(X)
    far = np.vstack([X, np.full((1, 3), 50.0, dtype=np.float32)])
    np.testing.assert_array_equal(RBF(gamma=1.0).matrix(far, X)[:20], RBF(1.0).matrix(X, X))
    assert alone.dtype == np.float32


@pytest.mark.parametrize("reach", [0.1, 1.0, 3.0, 10.0])
def test_single_precision_is_good_to_six_digits(reach, rng):
    X = rng.normal(size=(60, 3))
    X *= np.sqrt(reach / (X**2).sum(axis=1, keepdims=True))
    X = X.astype(np.float32)
    right = np.asarray(exact(X, X, 1.0), dtype=float)
    K = RBF(gamma=1.0).matrix(X)
    assert np.abs(K - np.exp(-right)).max() < 1.5e-6
    E = Exponential(gamma=1.0).matrix(X)
    assert np.abs(E - np.exp(-np.sqrt(right))).max() < 1.5e-6


@pytest.mark.parametrize("sparse", [False, True])
def test_the_spread_is_a_root_mean_square(sparse, rng):
    X = rng.normal(size=(9, 4))
    centred = X if sparse else X - X.mean(axis=0)
    expected = np.sqrt((centred**2).sum() / 9)
    assert _spread(as_csr(X) if sparse else X) == pytest.approx(expected)


@pytest.mark.parametrize("distance", ["sqeuclidean", "euclidean", "manhattan"])
@pytest.mark.parametrize("d", [2, NARROW, NARROW + 1])
@pytest.mark.parametrize("size", [1e-6, 1e4])
def test_pairs_are_at_their_distances(distance, d, size, rng):
    X = size * rng.normal(size=(6, d))
    i, j = np.triu_indices(6, 1)
    apart = X[i] - X[j]
    expected = {
        "manhattan": np.abs(apart).sum(axis=1),
        "euclidean": np.sqrt((apart**2).sum(axis=1)),
        "sqeuclidean": (apart**2).sum(axis=1),
    }[distance]
    for rows in (X, sp.csr_array(X)):
        values, counts = pair_distances(rows, np.ones(6), distance)
        np.testing.assert_allclose(values, expected, rtol=1e-9)
        assert (counts == 1.0).all() and len(counts) == len(values)
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0])
    values, counts = pair_distances(X, weights, distance)
    np.testing.assert_allclose(values, np.r_[expected, np.zeros(6)], rtol=1e-9)
    np.testing.assert_allclose(counts, np.r_[weights[i] * weights[j], 0, 1, 0, 0, 3, 0])
    fractions = pair_distances(X, np.full(6, 0.5), distance)
    assert len(fractions[0]) == 15 and (fractions[1] == 0.25).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("degree", [1, 2, 3, 4, 7])
def test_powers_of_wild_products_saturate_just_below_the_largest_number(dtype, degree):
    X = np.array([[1.0, 0.0], [1e60 if degree > 1 else 1e200, 0.0]])
    K = Polynomial(gamma=1.0, degree=degree, coef0=2.0).matrix(X, dtype=dtype)
    assert np.isfinite(K).all()
    assert K[0, 0] == pytest.approx(3.0**degree)
    largest = float(np.finfo(dtype).max)
    right = float(K[1, 1])
    whole = (2.0 * 60 if degree > 1 else 400.0) * degree
    if whole > np.log10(largest):
        assert right > 0.99 * largest
    else:
        assert np.log10(right) == pytest.approx(whole)


def test_a_power_of_none_is_one(rng):
    K = Polynomial(gamma=1.0, degree=0, coef0=0.0).matrix(rng.normal(size=(4, 2)))
    np.testing.assert_array_equal(K, 1.0)


def test_products_with_and_without_an_offset(rng):
    X, Z = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    for offset in (0.0, -2.5):
        for wrap in (np.asarray, as_csr):
            out = np.empty((5, 4))
            fill = inner_products(wrap(X), wrap(Z), dtype=float, offset=offset)
            fill(slice(0, 5), slice(0, 4), out, np.empty((5, 4)))
            np.testing.assert_allclose(out, X @ Z.T + offset)
    np.testing.assert_allclose(squared_norms(as_csr(X)), squared_norms(X))


@pytest.mark.parametrize("size", [1e19, 1e20])
def test_only_products_beyond_the_largest_number_saturate(size):
    X = np.array([[size, -size]], dtype=np.float32)
    K = Linear().matrix(np.vstack([X, -X]))
    expected = min(2 * size**2, float(np.finfo(np.float32).max))
    np.testing.assert_allclose(K.astype(float), expected * np.array([[1, -1], [-1, 1]]), rtol=2e-6)


def test_a_dense_array_is_in_rows_and_of_doubles(rng):
    X = np.asfortranarray(rng.normal(size=(4, 3)).astype(np.float32))
    assert as_dense(X).flags.c_contiguous and as_dense(X).dtype == np.float64
    assert working_dtype(X) == np.float32 and working_dtype(X, float) == np.float64
    assert working_dtype(np.ones((1, 1), dtype=np.int32)) == np.float64


@pytest.mark.parametrize("n_threads", [None, 1, 2])
@pytest.mark.parametrize("shape", [(1, 1), (TILE, TILE), (TILE + 1, 3), (700, 600)])
def test_every_entry_is_filled_once(shape, n_threads):
    count = []

    def fill(rows, cols, out, work):
        count.append((rows, cols))
        assert out.shape == work.shape == (rows.stop - rows.start, cols.stop - cols.start)
        out[:] = np.arange(rows.start, rows.stop)[:, None] * 1000.0 + np.arange(
            cols.start, cols.stop
        )

    K = build(fill, shape, float, symmetric=False, n_threads=n_threads)
    np.testing.assert_array_equal(
        K, np.add.outer(1000.0 * np.arange(shape[0]), np.arange(shape[1]))
    )
    assert len(count) == -(-shape[0] // TILE) * -(-shape[1] // TILE)
