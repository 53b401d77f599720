"""Feature outliers: what is found, and which clean data are left alone."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes, load_digits, load_iris, load_wine

from untaint import datasets
from untaint.screening.screen import screen

N = 600


def spoiled(X, fraction, spoil, rng):
    """X with some rows spoiled, and the mask of these."""
    bad = np.zeros(len(X), dtype=bool)
    bad[rng.choice(len(X), round(fraction * len(X)), replace=False)] = True
    Z = X.copy()
    spoil(Z, bad)
    return Z, bad


def times(factor):
    def spoil(X, bad):
        X[bad] *= factor

    return spoil


def far_point(X, bad):
    X[bad] = X.mean(axis=0) + 10 * X.std(axis=0)


def huge(X, bad):
    X[bad] = 1e12


def assert_found(X, bad, found=1.0, false_alarms=0.0):
    feature_outlier = screen(X).feature_outlier
    assert feature_outlier[bad].mean() >= found
    assert feature_outlier[~bad].mean() <= false_alarms


# --- what is found ---


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("d", [4, 13])
def test_inflated_rows_are_found(fraction, d, rng):
    X, bad = spoiled(rng.normal(size=(N, d)), fraction, times(100.0), rng)
    assert_found(X, bad, found=0.99)


@pytest.mark.parametrize("fraction", [0.1, 0.4])
def test_rows_ten_times_too_large_are_mostly_found(fraction, rng):
    X, bad = spoiled(rng.normal(size=(N, 8)), fraction, times(10.0), rng)
    assert_found(X, bad, found=0.85)


@pytest.mark.parametrize("fraction", [0.1, 0.45])
def test_inflated_rows_that_are_not_centred_are_found(fraction, rng):
    X, bad = spoiled(5.0 + rng.normal(size=(N, 6)), fraction, times(100.0), rng)
    assert_found(X, bad)


@pytest.mark.parametrize("fraction", [0.05, 0.2, 0.4])
@pytest.mark.parametrize("d", [1, 8])
def test_one_far_point_repeated_is_found(fraction, d, rng):
    X, bad = spoiled(rng.normal(size=(N, d)), fraction, far_point, rng)
    assert_found(X, bad)


@pytest.mark.parametrize("fraction", [1 / N, 0.4])
@pytest.mark.parametrize("heavy", [False, True])
def test_huge_rows_are_found(fraction, heavy, rng):
    X = rng.standard_t(2, size=(N, 5)) if heavy else rng.normal(size=(N, 5))
    X, bad = spoiled(X, fraction, huge, rng)
    assert_found(X, bad)


@pytest.mark.parametrize("kind", ["inflated", "far point"])
def test_feature_outliers_of_binary_data_are_found(kind, rng):
    X = (rng.random((400, 100)) < rng.beta(0.5, 3.0, size=100)).astype(float)
    X, bad = spoiled(X, 0.3, times(100.0) if kind == "inflated" else far_point, rng)
    bad &= X.any(axis=1)
    assert_found(X, bad)


def test_one_feature_out_of_range_is_found_and_named(rng):
    X = rng.normal(size=(N, 7))
    features = rng.integers(0, 7, size=12)
    X[np.arange(12), features] += 20 * np.ptp(X)
    found = screen(X)
    np.testing.assert_array_equal(np.flatnonzero(found.feature_outlier), np.arange(12))
    named = found.outlying_features(np.arange(12))
    np.testing.assert_array_equal([outlying[0] for outlying in named], features)


@pytest.mark.parametrize("sentinel", [-999.0, 0.0])
def test_sentinels_are_found(sentinel, rng):
    X = np.c_[rng.normal(170.0, 10.0, size=N), rng.normal(size=(N, 3))]
    X[:6, 0] = sentinel
    found = screen(X)
    np.testing.assert_array_equal(found.feature_outlier, np.arange(N) < 6)
    assert all(outlying[0] == 0 for outlying in found.outlying_features(np.arange(6)))


def body(n, rng):
    """Height, weight, age and arm length: related, as far as they are."""
    height = rng.normal(170.0, 10.0, size=n)
    weight = 70 + 0.6 * (height - 170) + 6 * rng.normal(size=n)
    return np.c_[height, weight, rng.integers(18, 80, n), 0.45 * height + rng.normal(size=n)]


def test_another_unit_is_found(rng):
    X = body(N, rng)
    X[:20, 0] /= 2.54
    assert_found(X, np.arange(N) < 20)


def test_swapped_features_are_found(rng):
    X = body(N, rng)
    X[:20, :2] = X[:20, 1::-1]
    assert_found(X, np.arange(N) < 20)


def test_a_broken_relation_is_found_though_every_feature_is_in_range(rng):
    x = rng.uniform(-1.0, 1.0, size=N)
    X = np.c_[x, 2 * x, -x] + 0.01 * rng.normal(size=(N, 3))
    X[:3] = [[0.9, -1.8, -0.9], [-0.8, -1.6, -0.9], [0.7, 1.4, 0.7]]
    np.testing.assert_array_equal(screen(X).feature_outlier, np.arange(N) < 3)


def test_several_kinds_at_once_do_not_hide_one_another(rng):
    X = rng.normal(size=(N, 6))
    X[:60] *= 100
    X[60:120] = 1e12
    X[120:125, 2] = 1e5
    assert_found(X, np.arange(N) < 125, found=0.99)


# --- clean data ---


def heavy(rng):
    yield "t2", rng.standard_t(2, size=(N, 8))
    yield "t3", rng.standard_t(3, size=(N, 8))
    yield "elliptical t2", rng.normal(size=(N, 8)) / np.sqrt(rng.chisquare(2, size=(N, 1)))
    yield "cauchy", rng.standard_cauchy(size=(N, 4))
    yield "lognormal", rng.lognormal(0.0, 1.0, size=(N, 6))
    yield "lognormal 1.5", rng.lognormal(0.0, 1.5, size=(N, 6))
    yield "pareto counts", np.floor(rng.pareto(1.5, size=(N, 5)))


def discrete(rng):
    yield "counts", rng.poisson(0.1, size=(N, 10)).astype(float)
    yield "mostly zero", rng.exponential(size=(N, 15)) * (rng.random((N, 15)) < 0.05)
    categories = np.eye(8)[rng.choice(8, size=N, p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.01, 0.005, 0.005])]
    yield "one-hot", categories
    yield "one-hot and numbers", np.c_[categories, rng.normal(size=(N, 3))]
    yield "fingerprints", (rng.random((N, 200)) < rng.beta(0.5, 3.0, size=200)).astype(float)
    yield (
        "levels",
        rng.choice([1.0, 2.0, 3.0, 4.0, 9.0], p=[0.6, 0.2, 0.1, 0.06, 0.04], size=(N, 5)),
    )
    X = rng.normal(size=(N, 6))
    X[: N // 2] = X[0]
    yield "half of the rows the same", X
    yield "grid", np.stack(np.meshgrid(np.arange(25.0), np.arange(25.0)), axis=-1).reshape(-1, 2)


def structured(rng):
    yield "normal", rng.normal(size=(N, 5))
    yield "more columns than rows", rng.standard_t(3, size=(60, 150))
    z = rng.standard_t(3, size=(N, 2))
    yield "correlated", z @ rng.normal(size=(2, 8)) + 0.05 * rng.normal(size=(N, 8))
    yield "exactly related", np.c_[z, z @ rng.normal(size=(2, 3))]
    yield "composition", rng.dirichlet([5.0, 3.0, 1.0, 0.3, 0.05], size=N)
    t = rng.uniform(-2.0, 2.0, size=N)
    yield "curve", np.c_[t, t**2, t**3, np.exp(t)] + 0.02 * rng.normal(size=(N, 4))
    X = rng.normal(size=(N, 6))
    X[: N // 10] += 6.0
    yield "a cluster of a tenth", X
    sizes = (240, 180, 120, 40, 20)
    blobs = [rng.normal(size=(k, 4)) + 12 * rng.normal(size=4) for k in sizes]
    yield "five clusters", np.concatenate(blobs)
    s = np.linspace(0.0, 1.0, N)
    yield "trend", np.c_[100 * s, np.sin(25 * s), np.cumsum(rng.normal(size=N)), s**2]


@pytest.mark.parametrize("family", [heavy, discrete, structured])
@pytest.mark.parametrize("seed", range(3))
def test_clean_rows_are_not_flagged(family, seed):
    for name, X in family(np.random.default_rng(seed)):
        spread = X.std(axis=0)
        for values in (X, (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)):
            assert screen(values).feature_outlier.mean() < 0.004, name


@pytest.mark.parametrize("load", [load_diabetes, load_digits, load_iris, load_wine])
def test_real_rows_are_not_flagged(load):
    assert not screen(load().data).feature_outlier.any()


REAL = ["boston", "breast_cancer", "concrete", "drug", "glass", "heart_disease", "segment"]
REAL += ["vehicle", "wine_quality"]
# Two glasses with much potassium, and a dozen vehicles of odd proportions, are far from all others.
ALONE = {"glass": 0.02, "vehicle": 0.015}


@pytest.mark.skipif("UNTAINT_DATA" not in os.environ, reason="needs the real files")
@pytest.mark.parametrize("name", REAL)
def test_benchmark_rows_are_flagged_only_if_spoiled(name, rng):
    X, _ = getattr(datasets, f"fetch_{name}")(return_X_y=True)
    X = X[~np.isnan(X).any(axis=1)][:1500]
    assert not screen(X).feature_outlier.any()
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    assert not screen(X).feature_outlier.any()
    for fraction in (0.1, 0.4):
        for spoil in (times(100.0), far_point, huge):
            Z, bad = spoiled(X, fraction, spoil, rng)
            assert_found(Z, bad, found=0.99, false_alarms=ALONE.get(name, 0.005))


# --- promises ---


def mixed(n, rng):
    """Rows of every sort of feature, some of them outlying."""
    X = np.c_[
        rng.normal(size=n),
        rng.lognormal(size=n),
        rng.poisson(0.3, size=n),
        rng.integers(0, 2, size=n),
        rng.normal(size=n),
    ]
    X[:, 4] = X[:, 0] + 0.05 * X[:, 4]
    X[: n // 10] *= 100
    X[-2:, 1] = 1e6
    return X


@given(seed=st.integers(0, 10_000), n=st.integers(20, 80))
@settings(max_examples=25, deadline=None)
def test_a_weight_is_as_many_copies(seed, n):
    rng = np.random.default_rng(seed)
    X, copies = mixed(n, rng), rng.integers(0, 4, size=n)
    weighted = screen(X, copies.astype(float))
    repeated = screen(np.repeat(X, copies, axis=0))
    np.testing.assert_array_equal(
        np.repeat(weighted.feature_outlier, copies), repeated.feature_outlier
    )
    np.testing.assert_allclose(
        np.repeat(weighted.outlyingness, copies), repeated.outlyingness, rtol=1e-6
    )
    assert not weighted.feature_outlier[copies == 0].any()


@given(seed=st.integers(0, 10_000), n=st.integers(20, 200))
@settings(max_examples=25, deadline=None)
def test_the_order_of_rows_does_not_matter(seed, n):
    rng = np.random.default_rng(seed)
    X, order = mixed(n, rng), rng.permutation(n)
    first, second = screen(X), screen(X[order])
    np.testing.assert_array_equal(first.feature_outlier[order], second.feature_outlier)
    np.testing.assert_allclose(first.outlyingness[order], second.outlyingness, rtol=1e-6)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_units_and_origins_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X = mixed(200, rng)
    units = 10.0 ** rng.integers(-6, 7, size=5) * rng.choice([-1.0, 1.0], size=5)
    moved = (X + rng.integers(-100, 100, size=5)) * units
    first, second = screen(X), screen(moved)
    np.testing.assert_array_equal(first.feature_outlier, second.feature_outlier)
    np.testing.assert_allclose(first.outlyingness, second.outlyingness, rtol=1e-4)


def test_few_rows_are_not_flagged():
    X = np.r_[np.linspace(0.0, 1.0, 18), 1e12][:, None]
    assert not screen(X).feature_outlier.any()
    assert screen(X, np.full(19, 2.0)).feature_outlier[-1]
    assert [len(outlying) for outlying in screen(X).outlying_features([0, 18])] == [0, 0]


@pytest.mark.parametrize("X", [np.ones((50, 3)), np.zeros((50, 2)), np.empty((50, 0))])
def test_rows_that_do_not_differ_are_not_odd(X):
    found = screen(X)
    assert not found.feature_outlier.any()
    assert not found.outlyingness.any()


def test_feature_outliers_have_an_outlyingness_above_one(rng):
    found = screen(mixed(300, rng))
    assert found.feature_outlier.any()
    assert (found.outlyingness >= 0).all()
    np.testing.assert_array_equal(found.feature_outlier, found.outlyingness > 1)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows_are_screened_as_well(convert, rng):
    X = rng.exponential(size=(N, 40)) * (rng.random((N, 40)) < 0.1)
    assert not screen(convert(X)).feature_outlier.any()
    X[:60] *= 1000
    X[60, 5] = 1e7
    bad = (np.arange(N) <= 60) & X.any(axis=1)
    # A row with one or two small entries may well be clean.
    assert_found(convert(X), bad, found=0.75)
    assert screen(convert(X)).outlying_features([60])[0][0] == 5


def test_the_largest_numbers_do_not_overflow(rng):
    X = rng.normal(size=(100, 3))
    X[:5], X[5:10], X[10, 0] = 1.7e308, -1.7e308, 1e200
    with np.errstate(all="raise", under="ignore"):
        found = screen(X)
        found.outlying_features(np.flatnonzero(found.feature_outlier))
    np.testing.assert_array_equal(found.feature_outlier, np.arange(100) < 11)


def test_single_precision_and_pickling(rng):
    X = mixed(300, rng)
    X[-2:, 1] = 1e6
    found = screen(X.astype(np.float32))
    np.testing.assert_array_equal(found.feature_outlier, screen(X).feature_outlier)
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(
        again.outlying_features([299])[0], found.outlying_features([299])[0]
    )


def test_the_rows_are_not_changed(rng):
    X = mixed(100, rng)
    X[0] = 1e200
    before = X.copy()
    screen(X)
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("size", [1e-308, 1e-310])
def test_columns_whose_scale_has_no_inverse_are_constant(size):
    X = np.random.default_rng(0).normal(size=(60, 3))
    expected = screen(X * [0.0, 1.0, 1.0], np.ones(60))
    found = screen(X * [size, 1.0, 1.0], np.ones(60))
    np.testing.assert_array_equal(found.outlyingness, expected.outlyingness)
