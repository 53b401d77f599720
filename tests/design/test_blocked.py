"""Sums over blocks are sums over rows, however the rows are cut and whatever is kept of them."""

from __future__ import annotations

from itertools import pairwise
from time import sleep
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from feature_maps.cases import GAMMA, blocked, maps, rows
from naive import features as naive
from untaint._sums import Sum
from untaint.design.blocked import BlockedFeatures
from untaint.design.memory_plan import Plan
from untaint.feature_maps.identity import IdentityMap
from untaint.feature_maps.nystroem import NystroemMap
from untaint.kernels import RBF

N = 40
each = pytest.mark.parametrize("kind", ["columns", "landmarks", "fourier"])
intercepts = pytest.mark.parametrize("fit_intercept", [True, False], ids=["shifted", "centred"])
WEIGHTS = {
    "ones": lambda rng: np.ones(N),
    "equal": lambda rng: np.full(N, 2.5),
    "none": lambda rng: np.zeros(N),
    "fractions": lambda rng: rng.random(N),
    "few": lambda rng: np.where(np.arange(N) % 5 == 0, rng.random(N), 0.0),
    "changes": lambda rng: rng.normal(size=N),
    "losses": lambda rng: -rng.random(N),
}


def dense(feature_map, X, fit_intercept):
    return naive.with_ones(np.asarray(feature_map(X), dtype=float), fit_intercept)


@each
@intercepts
@pytest.mark.parametrize(("block_rows", "kept_rows"), [(7, 0), (7, N), (7, 20), (N, N), (1, 3)])
def test_products_equal_those_of_the_whole_matrix(kind, fit_intercept, block_rows, kept_rows, rng):
    X = rows(rng, N)
    features = blocked(maps(X)[kind], X, fit_intercept, block_rows, kept_rows)
    phi = dense(features.map, X, fit_intercept)
    assert features.width == phi.shape[1]
    np.testing.assert_array_equal(features.penalised, naive.penalised(phi.shape[1], fit_intercept))
    coef, slopes = rng.normal(size=(phi.shape[1], 3)), rng.normal(size=(N, 3))
    for _ in range(2):  # the second time from what was kept
        np.testing.assert_allclose(features.values(coef), phi @ coef, atol=1e-10)
        np.testing.assert_allclose(features.rmatvec(slopes), phi.T @ slopes, atol=1e-10)
        values, block_sums = features.matvec_rmatvec(coef, lambda rows, f: slopes[rows] * np.sin(f))
        np.testing.assert_allclose(values, phi @ coef, atol=1e-10)
        np.testing.assert_allclose(block_sums, phi.T @ (slopes * np.sin(phi @ coef)), atol=1e-9)
        np.testing.assert_allclose(
            features.squared_sizes(coef), ((phi @ coef) ** 2).sum(axis=1), rtol=1e-9
        )


@each
@intercepts
@pytest.mark.parametrize("weights", WEIGHTS)
def test_gram_of_any_weights_equals_the_loop(kind, fit_intercept, weights, rng):
    X = rows(rng, N)
    features = blocked(maps(X)[kind], X, fit_intercept)
    w = WEIGHTS[weights](rng)
    expected = naive.gram(dense(features.map, X, fit_intercept), w)
    found = features.gram(w)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found, found.T, atol=1e-12)


@each
@intercepts
@pytest.mark.parametrize("kept_rows", [0, 20, N])
@pytest.mark.parametrize("passed", [False, True], ids=["fresh", "after a pass"])
def test_gram_of_some_rows_is_that_of_weights_zero_elsewhere(
    kind, fit_intercept, kept_rows, passed, rng
):
    X = rows(rng, N)
    features = blocked(maps(X)[kind], X, fit_intercept, kept_rows=kept_rows)
    if passed:
        features.values(np.ones((features.width, 1)))
    for chosen in (np.array([3, 8, 9, 31]), np.arange(15), np.arange(N), np.array([], dtype=int)):
        some = rng.normal(size=len(chosen))
        everywhere = np.zeros(N)
        everywhere[chosen] = some
        np.testing.assert_allclose(
            features.gram(some, chosen), features.gram(everywhere), atol=1e-9
        )


@each
def test_grams_of_changes_add_up(kind, rng):
    X = rows(rng, N)
    features = blocked(maps(X)[kind], X)
    old, new = rng.random(N), rng.random(N)
    np.testing.assert_allclose(
        features.gram(old) + features.gram(new - old), features.gram(new), atol=1e-9
    )


@given(block_rows=st.integers(1, N + 5), kept_rows=st.integers(0, N), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_blocks_and_what_is_kept_change_nothing_beyond_rounding(block_rows, kept_rows, seed):
    rng = np.random.default_rng(seed)
    X = rows(rng, N)
    for one in maps(X).values():
        here, there = blocked(one, X, True, block_rows, kept_rows), blocked(one, X, True, N, 0)
        coef, weights = rng.normal(size=(here.width, 2)), rng.normal(size=N)
        np.testing.assert_allclose(here.values(coef), there.values(coef), atol=1e-10)
        np.testing.assert_allclose(here.gram(weights), there.gram(weights), atol=1e-9)
        some = np.flatnonzero(rng.random(N) < 0.3)
        np.testing.assert_allclose(
            here.gram(weights[some], some), there.gram(weights[some], some), atol=1e-9
        )
        np.testing.assert_allclose(here.rmatvec(weights[:, None]), there.rmatvec(weights[:, None]))


@each
def test_single_precision_is_good_to_single_precision(kind, rng):
    # Four digits: M of the landmarks divides by small eigenvalues.
    X = rows(rng, N)
    weights = rng.random(N)
    single, double = blocked(maps(X, np.float32)[kind], X), blocked(maps(X)[kind], X)
    if single.width != double.width:
        pytest.skip("single precision leaves directions out: other features of the same function")
    coef = rng.normal(size=(double.width, 2))
    assert single.values(coef).dtype == np.float64
    scale = np.abs(double.gram(weights)).max()
    np.testing.assert_allclose(single.values(coef), double.values(coef), atol=1e-4)
    np.testing.assert_allclose(single.gram(weights), double.gram(weights), atol=1e-4 * scale)


@pytest.mark.parametrize("kind", ["landmarks", "fourier"])
@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_equals_dense(kind, convert, rng):
    X = rows(rng, N) * (rng.random((N, 4)) < 0.5)
    one = maps(X)[kind]
    if kind == "landmarks":
        sparse = blocked(NystroemMap(RBF(GAMMA), convert(X[:12])), convert(X), kept_rows=15)
    else:
        sparse = blocked(one, convert(X), kept_rows=15)
    full = blocked(one, X)
    weights, some = rng.random(N), np.array([2, 5, 30])
    slopes = rng.normal(size=(N, 2))
    scale = np.abs(full.gram(weights)).max()
    # Features of landmarks are defined up to the signs of eigenvectors: sums over pairs are not.
    np.testing.assert_allclose(
        sparse.values(sparse.rmatvec(slopes)), full.values(full.rmatvec(slopes)), atol=1e-7 * scale
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(sparse.gram(weights[some], some)),
        np.linalg.eigvalsh(full.gram(weights[some], some)),
        atol=1e-7 * scale,
    )


@each
@pytest.mark.parametrize("n_threads", [2, 5, None])
def test_threads_change_nothing_at_all(kind, n_threads, rng):
    X = rows(rng, N)
    one = maps(X, np.float32)[kind]
    alone = blocked(one, X, block_rows=4, kept_rows=20)
    together = blocked(one, X, block_rows=4, kept_rows=20, n_threads=n_threads)
    coef, weights = rng.normal(size=(alone.width, 2)), rng.random(N)
    some = np.flatnonzero(rng.random(N) < 0.5)
    for _ in range(2):
        np.testing.assert_array_equal(together.values(coef), alone.values(coef))
        np.testing.assert_array_equal(together.gram(weights), alone.gram(weights))
        np.testing.assert_array_equal(
            together.gram(weights[some], some), alone.gram(weights[some], some)
        )
        for here, there in zip(
            together.matvec_rmatvec(coef, lambda rows, f: np.sin(f)),
            alone.matvec_rmatvec(coef, lambda rows, f: np.sin(f)),
            strict=True,
        ):
            np.testing.assert_array_equal(here, there)


class Slow:
    """A map that takes its time to say how wide it is, so that threads get in each other's way."""

    def __init__(self, inner):
        self.inner = inner

    def __getattr__(self, name):
        return getattr(self.inner, name)

    @property
    def raw_width(self):
        sleep(0.01)
        return self.inner.raw_width


def test_threads_that_begin_together_share_what_they_keep(rng):
    X = rows(rng, N)
    one = maps(X)["fourier"]
    features = blocked(Slow(one), X, block_rows=10, kept_rows=N, n_threads=4)
    weights = np.ones((N, 1))
    for _ in range(2):
        np.testing.assert_allclose(
            features.rmatvec(weights), blocked(one, X).rmatvec(weights), atol=1e-10
        )


def test_gram_of_landmarks_near_one_another_is_that_of_their_features(rng):
    X = rows(rng, 300, 2)
    features = blocked(NystroemMap(RBF(GAMMA), X), X, block_rows=100)
    phi = dense(features.map, X, True)
    np.testing.assert_allclose(features.gram(np.ones(300)), phi.T @ phi, atol=1e-3)


class Counted:
    """A map that counts the rows it is asked for."""

    def __init__(self, inner):
        self.inner, self.asked = inner, 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def raw(self, X):
        self.asked += X.shape[0]
        return self.inner.raw(X)

    def raw_into(self, X, out):
        self.asked += X.shape[0]
        self.inner.raw_into(X, out)


@pytest.mark.parametrize(("kept_rows", "kept"), [(0, 0), (21, 21), (N, 42)])
def test_features_that_are_kept_are_made_once(kept_rows, kept, rng):
    X, made = rows(rng, N), 42  # in blocks of seven, the last of them filled up
    counted = Counted(maps(X)["fourier"])
    features = blocked(counted, X, kept_rows=kept_rows)
    features.values(np.ones((features.width, 1)))
    assert counted.asked == made
    features.gram(np.ones(N))
    assert counted.asked == made + (made - kept)


def test_an_interrupted_pass_leaves_nothing_half_known(rng):
    X = rows(rng, N)

    def interrupt(done, total):
        if done >= 14:
            raise KeyboardInterrupt

    features = blocked(maps(X)["fourier"], X, kept_rows=N)
    features.on_progress = interrupt
    with pytest.raises(KeyboardInterrupt):
        features.gram(np.ones(N))
    features.on_progress = lambda done, total: None
    np.testing.assert_allclose(features.gram(np.ones(N)), blocked(features.map, X).gram(np.ones(N)))


def test_every_block_is_reported(rng):
    X, reported = rows(rng, N), []
    features = blocked(maps(X)["columns"], X, block_rows=16)
    features.on_progress = lambda *at: reported.append(at)
    features.values(np.ones((features.width, 1)))
    assert reported == [(16, N), (32, N), (N, N)]


def test_rows_and_weights_are_left_as_they_were(rng):
    X, weights = rows(rng, N), rng.random(N)
    before = X.copy(), weights.copy()
    features = blocked(maps(X)["columns"], X, kept_rows=N)
    features.gram(weights)
    features.matvec_rmatvec(np.ones((features.width, 1)), lambda rows, f: f)
    np.testing.assert_array_equal(X, before[0])
    np.testing.assert_array_equal(weights, before[1])


# --- rows that are a part of more rows -------------------------------------------------------

MANY, BLOCK = 230, 32
dtypes = pytest.mark.parametrize("dtype", [np.float64, np.float32])
LAYOUTS = {
    "rows together": np.ascontiguousarray,
    "columns together": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


def cut_at(feature_map, X, cuts, kept_rows=0):
    """Features of each part of the rows, which knows where it begins."""
    plan = Plan(BLOCK, kept_rows)
    return [
        BlockedFeatures(feature_map, X[start:stop], True, plan, 1, offset=start)
        for start, stop in pairwise([0, *sorted(cuts), X.shape[0]])
        if stop > start
    ]


@each
@dtypes
@given(
    cuts=st.lists(st.integers(0, MANY), max_size=5),
    kept_rows=st.sampled_from([0, BLOCK, MANY]),
    k=st.sampled_from([1, 3]),
)
@settings(max_examples=25)
def test_values_of_a_row_are_the_same_bits_whatever_part_it_came_in(
    kind, dtype, cuts, kept_rows, k
):
    rng = np.random.default_rng(3)
    X = rows(rng, MANY).astype(dtype)
    one = maps(X, dtype)[kind]
    coef = rng.normal(size=(one.width + 1, k))
    expected = blocked(one, X, True, BLOCK).values(coef)
    for _ in range(2):  # the second time from what was kept
        found = [part.values(coef) for part in cut_at(one, X, cuts, kept_rows)]
        np.testing.assert_array_equal(np.vstack(found), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
@dtypes
def test_columns_have_the_same_bits_however_they_lie_in_memory(layout, dtype, rng):
    X = rows(rng, MANY, 30).astype(dtype)
    one = IdentityMap(np.zeros(30), dtype)
    coef = rng.normal(size=(31, 1))
    expected = blocked(one, X, True, BLOCK).values(coef)
    for cuts in ([], [1], [50, 101]):
        found = [part.values(coef) for part in cut_at(one, LAYOUTS[layout](X), cuts)]
        np.testing.assert_array_equal(np.vstack(found), expected)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_values_of_sparse_rows_are_the_same_bits_too(convert, rng):
    X = convert(rows(rng, MANY) * (rng.random((MANY, 4)) < 0.5))
    one = NystroemMap(RBF(GAMMA), X[:20])
    coef = rng.normal(size=(one.width + 1, 2))
    expected = blocked(one, X, True, BLOCK).values(coef)
    found = [part.values(coef) for part in cut_at(one, X, [10, 65, 100])]
    np.testing.assert_array_equal(np.vstack(found), expected)


class BlockSums(NamedTuple):
    """Sums of slopes and of products, and the number of rows."""

    sums: Sum
    gram: Sum
    count: int

    def __add__(self, other):
        return BlockSums(*(one + more for one, more in zip(self, other, strict=True)))


def summed(weights):
    """Return the block function of these sums, for given weights."""

    def block_function(part, values, block):
        own = weights[part]
        sums = np.vstack(block.rmatvec(np.sin(values) * own[:, None])).astype(float)
        return BlockSums(Sum(sums), Sum(block.gram(own)), part.stop - part.start)

    return block_function


@each
@intercepts
def test_a_pass_is_a_sweep_and_a_gram_at_once(kind, fit_intercept, rng):
    X, weights = rows(rng, N), rng.random(N)
    features = blocked(maps(X)[kind], X, fit_intercept)
    coef = rng.normal(size=(features.width, 2))
    result = features.map_reduce(coef, summed(weights))
    _, expected = features.matvec_rmatvec(coef, lambda part, f: np.sin(f) * weights[part][:, None])
    np.testing.assert_allclose(features.whiten_sums(result.sums.value), expected, atol=1e-11)
    assert result.count == N
    scale = np.abs(features.gram(weights)).max()
    found = features.whiten_gram(result.gram.value)
    np.testing.assert_allclose(found, features.gram(weights), atol=1e-9 * scale)


@each
@dtypes
def test_passes_over_parts_add_up_to_that_of_all_rows(kind, dtype, rng):
    X, weights = rows(rng, MANY).astype(dtype), rng.random(MANY)
    one = maps(X, dtype)[kind]
    coef = rng.normal(size=(one.width + 1, 2))
    whole = blocked(one, X, True, BLOCK).map_reduce(coef, summed(weights))
    # Single features are summed in single precision within a block.
    tol = {"rtol": 1e-4 if dtype == np.float32 else 1e-10, "atol": 1e-4 * (dtype == np.float32)}
    for cuts in ([1], [BLOCK, 2 * BLOCK], [5 * BLOCK], [40, 41, 200]):
        results, start = [], 0
        for part in cut_at(one, X, cuts):
            results.append(part.map_reduce(coef, summed(weights[start:])))
            start += part.n_rows
        total = sum(results[1:], results[0])
        assert total.count == whole.count == MANY
        if not any(cut % BLOCK for cut in cuts):  # the same blocks
            np.testing.assert_array_equal(total.sums.value, whole.sums.value)
            np.testing.assert_array_equal(total.gram.value, whole.gram.value)
        np.testing.assert_allclose(total.sums.value, whole.sums.value, **tol)
        np.testing.assert_allclose(total.gram.value, whole.gram.value, **tol)


@each
def test_threads_change_no_bit_of_a_pass(kind, rng):
    X, weights = rows(rng, MANY), rng.random(MANY)
    one = maps(X, np.float32)[kind]
    coef = rng.normal(size=(one.width + 1, 2))
    alone = blocked(one, X, True, BLOCK).map_reduce(coef, summed(weights))
    together = blocked(one, X, True, BLOCK, n_threads=3).map_reduce(coef, summed(weights))
    np.testing.assert_array_equal(together.sums.value, alone.sums.value)
    np.testing.assert_array_equal(together.gram.value, alone.gram.value)


@each
@pytest.mark.parametrize("kept_rows", [0, MANY])
def test_grams_of_some_rows_of_a_part_are_theirs(kind, kept_rows, rng):
    X = rows(rng, MANY)
    one = maps(X)[kind]
    (_, part) = cut_at(one, X, [45], kept_rows)
    chosen, weights = np.array([0, 3, 50, 51, 184]), rng.random(5)
    expected = blocked(one, X, True, BLOCK).gram(weights, 45 + chosen)
    for _ in range(2):  # the second time from what was kept
        np.testing.assert_allclose(part.gram(weights, chosen), expected, atol=1e-10)
        part.values(np.ones((part.width, 1)))


def test_a_block_of_no_weight_has_no_say_however_wild(rng):
    X = rows(rng, N)
    X[:14] *= 1e200
    weights = (np.arange(N) >= 14).astype(float)
    features = blocked(IdentityMap(np.zeros(4)), X)
    with np.errstate(over="ignore"):
        result = features.map_reduce(np.zeros((5, 1)), summed(weights))
    np.testing.assert_allclose(features.whiten_gram(result.gram.value), features.gram(weights))
