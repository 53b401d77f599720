"""Feature outliers are found on the scale that shows them, and usual rows are not flagged."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from untaint.cleaning.outlying import ALL_ROWS, beyond_gap, find_outlying

# The width of a factor of four, where a deviation is a factor of e.
LOGS = float(np.log(4))


def numeric(X):
    return np.ones(X.shape[1], dtype=bool)


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
def test_real_tables_are_not_flagged(load):
    X = load(return_X_y=True)[0]
    assert not find_outlying(X, numeric(X), seed=0).feature_outlier.any()


@pytest.mark.parametrize("factor", [1000.0, 0.001])
def test_another_unit_is_found_upwards_and_downwards(factor):
    X = load_breast_cancer(return_X_y=True)[0].copy()
    wrong = np.random.default_rng(0).random(len(X)) < 0.08
    X[wrong, 3] *= factor
    found = find_outlying(X, numeric(X), seed=0)
    np.testing.assert_array_equal(found.feature_outlier, wrong)
    assert all(3 in found.outlying_features[row] for row in np.flatnonzero(wrong))


def test_a_feature_that_is_not_numeric_keeps_its_scale():
    X = np.column_stack([np.r_[np.full(190, 1e-9), np.ones(10)], np.linspace(1, 2, 200)])
    assert not find_outlying(X, np.array([False, True]), seed=0).feature_outlier.any()


def test_many_rows_are_screened_by_a_sample():
    X = np.random.default_rng(0).normal(1600, 60, size=(ALL_ROWS + 1000, 3))
    X[[5, 12_345], 1] /= 1000
    assert np.flatnonzero(find_outlying(X, numeric(X), seed=0).feature_outlier).tolist() == [
        5,
        12_345,
    ]


def test_rows_are_not_changed():
    X = np.random.default_rng(0).uniform(1, 2, size=(50, 2))
    before = X.copy()
    find_outlying(X, numeric(X), seed=0)
    np.testing.assert_array_equal(X, before)


def test_a_long_tail_without_a_gap_is_whole():
    z = np.r_[np.random.default_rng(0).standard_normal(500), np.arange(3, 40, 2.5)]
    assert not beyond_gap(z, LOGS).any()


def test_a_gap_must_be_a_factor_and_deviations_wide():
    z = np.r_[np.random.default_rng(0).standard_normal(500), 12.0]
    assert beyond_gap(z, LOGS).tolist() == [False] * 500 + [True]
    assert not beyond_gap(z, 20 * LOGS).any()  # 12 deviations, and less than twice as much
    assert beyond_gap(-z, LOGS)[-1]


def test_one_half_is_not_wrong_because_of_the_other():
    z = np.r_[np.zeros(60), np.full(40, 20.0)] + np.linspace(0, 0.1, 100)
    assert not beyond_gap(z, LOGS).any()


def test_a_code_for_a_fault_lies_beyond_a_gap_that_is_wider_than_all_the_rest():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(300, 3))
    X[:40, 1] = -30
    found = find_outlying(X, numeric(X), seed=0)
    assert np.flatnonzero(found.feature_outlier).tolist() == list(range(40))
    assert all(odd[0] == 1 for odd in found.outlying_features.values())
