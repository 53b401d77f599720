"""Competitors meet where they should, and undo noise where they can."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.noisy import competitors
from benchmarks.noisy.methods import METHODS, installed, naive_of
from benchmarks.noisy.rows import add_noise

W = np.array([1.0, -2.0, 0.5])


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    return add_noise(X, X @ W + 3.0 + 0.3 * rng.normal(size=4000), level=0.5, seed=0)


def error(model, rows):
    return rows.rmse(model) / rows.rmse(competitors.ridge(rows.X_clean, rows.y))


def test_rows_have_the_noise_asked_for_and_clean_test_rows(rows):
    np.testing.assert_allclose(rows.noise_cov, 0.25)
    np.testing.assert_allclose(np.var(rows.A - rows.X_clean, axis=0), 0.25, rtol=0.1)
    np.testing.assert_allclose(np.corrcoef((rows.A - rows.B).T), np.eye(3), atol=0.1)
    assert error(competitors.ridge(rows.X_clean, rows.y), rows) == 1.0


def test_a_constant_column_has_no_noise():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=50), np.ones(50)])
    rows = add_noise(X, X[:, 0], level=0.5, seed=0)
    assert rows.noise_cov.tolist() == pytest.approx([0.25, 0.0])
    line = competitors.total_least_squares(rows.A, rows.y, rows.noise_cov)
    assert line.coef[1] == 0.0


def test_all_rivals_know_more_than_the_naive_fit(rows):
    naive = error(competitors.ridge(rows.A, rows.y), rows)
    mean = error(competitors.ridge((rows.A + rows.B) / 2, rows.y), rows)
    tls = error(competitors.total_least_squares(rows.A, rows.y, rows.noise_cov), rows)
    simex = error(competitors.simex(rows.A, rows.y, rows.noise_cov, np.random.default_rng(0)), rows)
    rc = error(competitors.regression_calibration(rows.A, rows.y, rows.noise_cov), rows)
    assert max(tls, simex, mean, rc) < naive


def test_orthogonal_distances_are_total_least_squares_when_the_model_is_linear(rows):
    pytest.importorskip("odrpack")
    some = slice(0, 500)
    line, other = (
        fit(rows.A[some], rows.y[some], rows.noise_cov)
        for fit in (competitors.total_least_squares, competitors.orthogonal_distance)
    )
    np.testing.assert_allclose(line.coef, other.coef, rtol=1e-3)
    assert line.intercept == pytest.approx(other.intercept, abs=1e-3)


def test_extrapolation_without_noise_changes_nothing(rows):
    fitted = competitors.ridge(rows.A, rows.y)
    line = competitors.simex(rows.A, rows.y, np.zeros(3), np.random.default_rng(0))
    np.testing.assert_allclose(line.predict(rows.X_test), fitted.predict(rows.X_test), atol=1e-8)


def test_river_comes_near_the_naive_fit_in_one_pass(rows):
    pytest.importorskip("river")
    line = competitors.river(rows.A, rows.y)
    np.testing.assert_allclose(line.coef, competitors.ridge(rows.A, rows.y).coef_, atol=0.15)


def test_methods_without_their_package_are_left_out(monkeypatch):
    monkeypatch.setattr("benchmarks.noisy.methods.find_spec", lambda name: None)
    assert set(METHODS) - set(installed()) == {"river", "odrpack"}


def test_every_method_is_compared_with_the_naive_fit_of_its_rows():
    assert naive_of("untaint-two") == "naive-two"
    assert naive_of("simex") == "naive"
