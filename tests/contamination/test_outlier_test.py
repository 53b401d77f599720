"""The tests of few rows: their distribution in clean samples, and what they find."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tests.naive.least_trimmed_squares import deletion_t
from untaint.contamination.outlier_test import (
    can_test,
    find_outliers,
    gain_of_trimming,
    is_contaminated,
    p_values,
)
from untaint.initialization.least_trimmed_squares import lts_path, well_conditioned
from untaint.optim.subset_fit import fit_subset


def run(X, y, **kwargs):
    columns = well_conditioned(X, fit_intercept=True)
    path = lts_path(columns, y)

    def fit(kept):
        return fit_subset(columns, y, kept, 1e-9, False)

    return find_outliers(fit, path.trimmed, path.squares, path.kept[-1], **kwargs)


def clean_paths(n, d, count):
    rng = np.random.default_rng([n, d, 5])
    for _ in range(count):
        columns = well_conditioned(rng.normal(size=(n, d)), fit_intercept=True)
        yield lts_path(columns, rng.normal(size=n))


@pytest.mark.parametrize(("n", "d"), [(13, 2), (20, 5), (40, 1), (70, 8)])
def test_formulas_agree_with_simulated_gains(n, d):
    paths = list(clean_paths(n, d, 150))
    gains = np.log([path.squares[0] / path.squares[1:] for path in paths])
    mean, deviation = gain_of_trimming(paths[0].trimmed[1:], n, d + 1)
    assert np.all(np.abs(gains.mean(axis=0) - mean) < 0.5 * deviation)
    assert np.all(np.abs(np.log(gains.std(axis=0) / deviation)) < 0.35)
    rejected = [is_contaminated(path.trimmed, path.squares, n, d + 1) for path in paths]
    assert np.mean(rejected) <= 0.15


def test_outputs_share_the_level():
    paths = list(clean_paths(30, 2, 200))
    one, five = (
        np.mean([is_contaminated(path.trimmed, path.squares, 30, 3, k) for path in paths])
        for k in (1, 5)
    )
    assert five < one


@pytest.mark.parametrize("kept", [np.arange(12), np.arange(2, 12)])
def test_p_values_are_those_of_deletion_residuals(kept):
    rng = np.random.default_rng(0)
    columns, y = np.column_stack([np.ones(12), rng.normal(size=(12, 2))]), rng.normal(size=12)
    mask = np.isin(np.arange(12), kept)
    found = p_values(fit_subset(columns, y, mask, 1e-12, False), mask)
    for i in range(12):
        t, dof = deletion_t(columns, y, kept, i)
        np.testing.assert_allclose(found[i], 2 * stats.t.sf(abs(t), dof), rtol=1e-6)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_outliers_are_found_however_many(count):
    rng = np.random.default_rng(count)
    X, y = rng.normal(size=(24, 2)), rng.normal(size=24)
    y[:count] += 15.0
    assert np.flatnonzero(~run(X, y).kept).tolist() == list(range(count))


def test_the_scale_is_that_of_the_kept_rows():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(24, 2)), rng.normal(size=24)
    y[:4] += 1000.0
    result = run(X, y)
    columns = np.column_stack([np.ones(20), X[4:]])
    coef = np.linalg.lstsq(columns, y[4:], rcond=None)[0]
    expected = np.sqrt(np.sum((y[4:] - columns @ coef) ** 2) / 17)
    np.testing.assert_allclose(result.scale, expected, rtol=1e-6)


def test_a_bound_on_the_noise_keeps_rows_of_a_near_exact_fit():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1))
    y = 3.0 * X[:, 0] + 1e-4 * rng.normal(size=20)
    y[0] += 0.01
    assert not run(X, y).kept[0]
    assert run(X, y, least_scale=0.1).kept.all()


def test_rows_on_a_line_are_kept_and_those_beside_it_found():
    X = np.arange(12.0)[:, None]
    y = 3.0 * X[:, 0] + 1.0
    assert run(X, y, least_scale=1e-3).kept.all()
    y[5] += 4.0
    assert np.flatnonzero(~run(X, y, least_scale=1e-3).kept).tolist() == [5]


def test_a_fit_has_to_leave_degrees_of_freedom():
    assert can_test(8, 4) and can_test(13, 6)
    assert not can_test(7, 4) and not can_test(13, 7)
