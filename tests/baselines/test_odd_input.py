"""Rows that are few, alike, constant or huge."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning

from baselines.cases import CLASSIFIERS, EVERY, LINEAR, REGRESSORS, name, problem_of, quietly
from estimators.cases import assert_close, raw
from untaint.baselines import (
    ConsistentRegressor,
    HardThresholdRegressor,
    ReweightedRegressor,
    SeverRegressor,
    TiltedRegressor,
)

pytestmark = pytest.mark.filterwarnings("error")

each = pytest.mark.parametrize("model", EVERY, ids=name)
each_regressor = pytest.mark.parametrize("model", REGRESSORS, ids=name)


def untrimmed(model):
    model = clone(model)
    return model.set_params(contamination=0) if hasattr(model, "contamination") else model


def assert_sane(fit, X):
    assert np.isfinite(raw(fit, X)).all()
    assert np.isfinite(fit.outlier_scores_).all()
    assert np.isfinite(fit.objective_path_).all()
    assert len(fit.audit()) == X.shape[0]


@each_regressor
@pytest.mark.parametrize("n", [1, 2, 3])
def test_one_two_and_three_rows(model, n):
    X, y, _ = problem_of(model)
    assert_sane(quietly(untrimmed(model), X[1 : n + 1], y[1 : n + 1]), X[1 : n + 1])


@pytest.mark.parametrize("model", CLASSIFIERS, ids=name)
def test_two_and_three_labelled_rows(model):
    X, y, _ = problem_of(model)
    rows = [1, 2, 3]  # of classes 0, 1, 1
    for count in (2, 3):
        assert_sane(untrimmed(model).fit(X[rows[:count]], y[rows[:count]]), X[rows[:count]])


@each_regressor
@pytest.mark.parametrize("n", [3, 4, 5])
def test_few_rows_of_which_some_are_trimmed(model, n):
    X, y, _ = problem_of(model)
    model = clone(model)
    if hasattr(model, "contamination"):
        model.set_params(contamination=0.4)
    assert_sane(quietly(model, X[1 : n + 1], y[1 : n + 1]), X[1 : n + 1])


@each
def test_a_constant_column_changes_nothing(model):
    X, y, _ = problem_of(model)
    wider = np.column_stack([X, np.full(80, 7.0)])
    one, other = quietly(clone(model), X, y), quietly(clone(model), wider, y)
    if "Sever" not in repr(model):
        np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)
    assert_close(raw(other, wider), raw(one, X), 1e-5, np.abs(raw(one, X)).max())


@each
@pytest.mark.parametrize("value", [0.0, 3.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_features_that_are_all_alike(model, value, fit_intercept):
    _, y, _ = problem_of(model)
    X = np.full((80, 2), value)
    fit = quietly(clone(model).set_params(fit_intercept=fit_intercept), X, y)
    assert_sane(fit, X)
    assert np.ptp(raw(fit, X)) == 0


@each_regressor
@pytest.mark.parametrize("value", [0.0, 5.0])
def test_targets_that_are_all_alike(model, value):
    X, _, _ = problem_of(model)
    fit = clone(model).fit(X, np.full(80, value))
    assert_close(fit.predict(X), value, 1e-7)
    assert_sane(fit, X)


@each_regressor
def test_rows_that_are_copies(model):
    X, y, bad = problem_of(model)
    X, y, bad = np.repeat(X, 3, axis=0), np.repeat(y, 3), np.repeat(bad, 3)
    fit = quietly(clone(model), X, y)
    assert_sane(fit, X)
    assert not fit.inlier_mask_[bad].any()
    np.testing.assert_array_equal(fit.inlier_mask_[::3], fit.inlier_mask_[1::3])


@each
def test_more_columns_than_rows(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 50))
    y = (X[:, 0] > 0).astype(int) if is_classifier(model) else X[:, 0]
    assert_sane(quietly(clone(model), X, y), X)


@pytest.mark.parametrize("model", LINEAR, ids=name)
def test_more_columns_than_rows_and_no_ridge_fit_exactly(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 50))
    fit = untrimmed(model).fit(X, X[:, 0])
    assert_close(fit.predict(X), X[:, 0], 1e-7)


@pytest.mark.parametrize("model", LINEAR, ids=name)
@pytest.mark.parametrize("size", [1e-150, 1e-50, 1e50, 1e150])
def test_linear_targets_of_any_size(model, size):
    X, y, _ = problem_of(model)
    one, other = quietly(clone(model), X, y), quietly(clone(model), X, size * y)
    assert_close(other.predict(X) / size, one.predict(X), 1e-4)
    np.testing.assert_array_equal(other.inlier_mask_, one.inlier_mask_)


@pytest.mark.parametrize("model", [SeverRegressor(), TiltedRegressor()], ids=name)
@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_kernel_targets_of_any_size(model, size):
    X, y, _ = problem_of(model)
    assert_sane(quietly(clone(model), X, size * y), X)


@each
@pytest.mark.parametrize("size", [1e-150, 1e-50, 1e50, 1e100])
def test_features_of_any_size(model, size):
    X, y, _ = problem_of(model)
    assert_sane(quietly(clone(model), size * X, y), size * X)


@each_regressor
def test_one_huge_target(model):
    X, y, _ = problem_of(model)
    y[5] = 1e100
    fit = quietly(clone(model).set_params(alpha=0.1), X, y)
    assert_sane(fit, X)
    assert not fit.inlier_mask_[5]
    assert fit.outlier_scores_.argmax() == 5


@each
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_one_huge_row(model):
    X, y, _ = problem_of(model)
    X[5, 0] = 1e50
    fit = clone(model).fit(X, y)
    assert np.isfinite(raw(fit, X)).all()


@pytest.mark.parametrize(
    "model",
    [
        HardThresholdRegressor(),
        ConsistentRegressor(),
        ReweightedRegressor(),
        SeverRegressor(kernel="linear"),
    ],
    ids=name,
)
def test_a_row_whose_square_is_beyond_all_numbers(model):
    """No fit, but a clear sentence, or a fit all the same."""
    X, y, _ = problem_of(model)
    X[5, 0] = 1e150
    try:
        fit = clone(model).fit(X, y)
    except ValueError as error:
        assert "X" in str(error)
    except ConvergenceWarning:
        pass
    else:
        assert np.isfinite(fit.predict(X)).all()
