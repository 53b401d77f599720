"""Feature outliers among very many rows are found by a model of a subsample."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from untaint.design.subsample import draw_rows
from untaint.screening.by_subsample import screen_by_sample
from untaint.screening.radius import distances_from
from untaint.screening.screen import screen

N = 6000


def sampled(X, weights=None, count=1500):
    weights = np.ones(X.shape[0]) if weights is None else weights
    return screen_by_sample(X, np.unique(draw_rows(weights, count)))


def planted(X, rng, fraction=0.02):
    """Which rows are to be spoilt."""
    return rng.random(len(X)) < fraction


def correlated(rng, n=N):
    common = rng.normal(size=(n, 1))
    return np.hstack([common + 0.05 * rng.normal(size=(n, 1)) for _ in range(4)])


ORDINARY = {
    "normal": lambda rng: rng.normal(size=(N, 4)),
    "uniform": lambda rng: rng.uniform(size=(N, 4)),
    "skewed": lambda rng: rng.lognormal(size=(N, 3)),
    "counts": lambda rng: rng.poisson(2.0, size=(N, 3)).astype(float),
    "flags": lambda rng: (rng.random((N, 3)) < 0.3).astype(float),
    "related": correlated,
    "far from zero": lambda rng: 1e6 + rng.normal(size=(N, 3)),
    "one column": lambda rng: rng.normal(size=(N, 1)),
}


@pytest.mark.parametrize("kind", ORDINARY)
def test_ordinary_rows_are_left_alone(kind, rng):
    assert sampled(ORDINARY[kind](rng)).feature_outlier.mean() < 0.01


@pytest.mark.parametrize("kind", ["normal", "uniform", "related", "far from zero"])
@pytest.mark.parametrize("fraction", [0.0005, 0.02, 0.2])
def test_rows_a_hundred_times_too_large_are_found_wherever_they_are(kind, fraction, rng):
    X = ORDINARY[kind](rng)
    feature_outlier = planted(X, rng, fraction)
    X[feature_outlier] *= 100.0
    # A product with 100 may leave a row small: those that it moved out.
    out = feature_outlier & (
        np.abs(X - np.median(X, axis=0)).max(axis=1) > 30 * X[~feature_outlier].std()
    )
    found = sampled(X)
    assert found.feature_outlier[out].mean() > 0.99
    assert found.feature_outlier[~feature_outlier].mean() < 0.02


@pytest.mark.parametrize(
    "fraction",
    [
        0.0005,
        0.02,
        0.2,
    ],
)
def test_outlying_numbers_of_the_only_column_are_found(fraction, rng):
    X = ORDINARY["one column"](rng)
    X[planted(X, rng, fraction)] *= 100.0
    out = np.abs(X[:, 0]) > 40.0
    assert screen(X, np.ones(N)).feature_outlier[out].all()
    assert sampled(X).feature_outlier[out].mean() > 0.99


@pytest.mark.parametrize("column", [0, 3])
def test_one_outlying_number_is_enough_and_is_named(column, rng):
    X = rng.normal(size=(N, 4))
    X[4321, column] = 300.0
    found = sampled(X)
    np.testing.assert_array_equal(np.flatnonzero(found.feature_outlier), [4321])
    np.testing.assert_array_equal(found.outlying_features([4321])[0], [column])


def test_a_row_that_breaks_the_relation_between_features_is_found(rng):
    X = correlated(rng)
    X[777] = [1.0, -1.0, 1.0, -1.0]
    assert sampled(X).feature_outlier[777]
    assert screen(X, np.ones(N)).feature_outlier[777]


def test_agrees_with_the_screen_of_all_rows(rng):
    X = rng.standard_t(4, size=(N, 3))
    X[planted(X, rng)] *= 50.0
    whole, part = screen(X, np.ones(N)).feature_outlier, sampled(X).feature_outlier
    assert np.mean(whole != part) < 0.01
    extreme = np.abs(X).max(axis=1) > 100
    assert (whole & part)[extreme].all()


def test_a_sample_of_all_rows_says_what_the_screen_says(rng):
    X = rng.normal(size=(800, 3))
    X[::40] *= 60.0
    found = screen_by_sample(X, np.arange(800))
    np.testing.assert_array_equal(found.feature_outlier, screen(X, np.ones(800)).feature_outlier)


@pytest.mark.parametrize("convert", [sp.csr_array, sp.csr_matrix])
def test_sparse_rows_are_screened_too(convert, rng):
    X = rng.normal(size=(N, 6)) * (rng.random((N, 6)) < 0.4)
    feature_outlier = planted(X, rng) & (np.abs(X).max(axis=1) > 0.5)
    X[feature_outlier] *= 1000.0
    found = sampled(convert(X))
    assert found.feature_outlier[feature_outlier].all()
    assert found.feature_outlier[~feature_outlier].mean() < 0.02


def test_single_precision_finds_the_same_rows(rng):
    X = rng.normal(size=(N, 4))
    X[planted(X, rng)] *= 100.0
    single = sampled(X.astype(np.float32)).feature_outlier
    assert np.mean(single != sampled(X).feature_outlier) < 0.001


def test_rows_in_another_order_are_screened_alike(rng):
    X = rng.normal(size=(N, 4))
    feature_outlier = planted(X, rng)
    X[feature_outlier] *= 100.0
    order = rng.permutation(N)
    assert np.mean(sampled(X[order]).feature_outlier != sampled(X).feature_outlier[order]) < 0.005


def test_the_largest_numbers_are_no_failure(rng):
    X = rng.normal(size=(N, 3))
    X[5] = 1e300
    X[6, 1] = -1e308
    with np.errstate(all="raise", under="ignore"):
        found = sampled(X)
    np.testing.assert_array_equal(np.flatnonzero(found.feature_outlier), [5, 6])
    assert np.isfinite(found.outlyingness).all()


def test_columns_that_do_not_vary_are_no_failure(rng):
    X = np.hstack([np.full((N, 1), 7.0), rng.normal(size=(N, 1))])
    assert sampled(X).feature_outlier.mean() < 0.01
    assert not sampled(np.ones((N, 2))).feature_outlier.any()


@pytest.mark.parametrize("block_rows", [1, 7, 1000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_distances_are_the_same_in_any_blocks(block_rows, dtype, rng):
    X, middle = rng.normal(size=(50, 3)).astype(dtype), rng.normal(size=3)
    expected = np.linalg.norm(X - middle, axis=1)
    tol = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(distances_from(X, middle, block_rows), expected, rtol=tol)
    np.testing.assert_allclose(
        distances_from(sp.csr_array(X), np.zeros(3), block_rows),
        np.linalg.norm(X, axis=1),
        rtol=tol,
    )
