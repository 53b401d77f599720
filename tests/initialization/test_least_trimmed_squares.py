"""Least trimmed squares, compared with every set of rows."""

from __future__ import annotations

import numpy as np
import pytest

from tests.naive.least_trimmed_squares import least_trimmed_squares, sum_of_squares
from untaint.initialization.forward_search import forward_path
from untaint.initialization.least_trimmed_squares import (
    lts_path,
    lts_rows,
    trimmed_sizes,
    well_conditioned,
)


def problem(n, d, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.normal(size=n)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [0, 1, 2])
def test_the_search_at_the_largest_number_of_trimmed_rows_finds_the_best_set(d, seed):
    X, y = problem(11, d, seed)
    columns = well_conditioned(X, fit_intercept=True)
    path = lts_path(columns, y)
    best, left_out = least_trimmed_squares(columns, y, int(path.trimmed[-1]))
    np.testing.assert_allclose(path.squares[-1], best, rtol=1e-8)
    assert np.flatnonzero(~path.kept[-1]).tolist() == list(left_out)
    np.testing.assert_array_equal(lts_rows(columns, y), path.kept[-1])


@pytest.mark.parametrize("seed", range(4))
def test_every_sum_belongs_to_its_rows_and_falls_with_the_number_trimmed(seed):
    X, y = problem(30, 3, seed)
    columns = well_conditioned(X, fit_intercept=True)
    path = lts_path(columns, y)
    for k, squares, kept in zip(path.trimmed, path.squares, path.kept, strict=True):
        assert kept.sum() == 30 - k
        expected = sum_of_squares(np.column_stack([np.ones(30), X])[kept], y[kept])
        np.testing.assert_allclose(squares, expected, rtol=1e-8)
    assert np.all(np.diff(path.squares) < 0)


def test_the_path_leaves_out_rows_that_mask_one_another():
    X, y = problem(30, 2, 0)
    X[:8], y[:8] = X[:8] + 10.0, y[:8] + 15.0
    path = lts_path(well_conditioned(X, fit_intercept=True), y)
    kept = path.kept[path.trimmed.tolist().index(8)]
    assert np.flatnonzero(~kept).tolist() == list(range(8))


def test_sizes_are_dense_where_few_rows_are_trimmed():
    sizes = trimmed_sizes(300, 4)
    assert sizes[:17].tolist() == list(range(17))
    assert sizes[-1] == 148 and np.all(np.diff(sizes) > 0) and len(sizes) < 40
    assert trimmed_sizes(5, 5).tolist() == [0]


def test_columns_have_the_span_of_the_features_without_redundant_ones():
    X, _ = problem(20, 3, 0)
    X[:3] *= 1e4
    redundant = np.column_stack([X, X[:, 0] - 2.0 * X[:, 1], np.full(20, 7.0)])
    columns = well_conditioned(redundant, fit_intercept=True)
    assert columns.shape == (20, 4)
    design = np.column_stack([np.ones(20), X])
    fitted = columns @ np.linalg.lstsq(columns, design, rcond=None)[0]
    np.testing.assert_allclose(fitted, design, rtol=1e-6, atol=1e-6)
    assert np.linalg.cond(columns[3:]) < 100


def test_no_intercept_means_no_constant_column():
    X, _ = problem(20, 2, 0)
    columns = well_conditioned(X, fit_intercept=False)
    assert columns.shape == (20, 2)
    residual = np.ones(20) - columns @ np.linalg.lstsq(columns, np.ones(20), rcond=None)[0]
    assert np.linalg.norm(residual) > 1


@pytest.mark.parametrize("alpha", [1e-6, 1.0])
def test_a_forward_search_keeps_the_rows_that_raise_the_objective_least(alpha):
    X, y = problem(16, 2, 1)
    y[:3] += 30.0
    start = np.arange(16) >= 6
    path = forward_path(X, y, start, alpha)
    assert path.trimmed.tolist() == list(range(7))
    for k, squares, kept in zip(path.trimmed, path.squares, path.kept, strict=True):
        assert kept.sum() == 16 - k
        centred, target = X[kept] - X[kept].mean(axis=0), y[kept] - y[kept].mean()
        padded = np.vstack([centred, np.sqrt(alpha) * np.eye(2)])
        np.testing.assert_allclose(squares, sum_of_squares(padded, np.r_[target, 0.0, 0.0]))
    assert np.flatnonzero(~path.kept[3]).tolist() == [0, 1, 2]
