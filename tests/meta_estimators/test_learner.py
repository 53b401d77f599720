"""Fits to weighted rows, and predictions of rows that a fit did not see."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info, threadpool_limits

from untaint.meta_estimators.folds import distinct_rows, make_folds
from untaint.meta_estimators.learner import (
    Learner,
    WeightedRows,
    predicts_out_of_bag,
    weight_parameter,
)

N = 40


@pytest.fixture
def data(rng):
    X = rng.normal(size=(N, 3))
    return X, X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=N)


def all_rows(y, weights=None):
    weights = np.ones(len(y)) if weights is None else weights
    return WeightedRows(np.arange(len(y)), y, weights, weights)


def test_out_of_fold_predictions_are_those_of_cross_validation(data):
    X, y = data
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    found = Learner(Ridge(), X, N, folds).out_of_fold(all_rows(y))
    np.testing.assert_allclose(found[:, 0], cross_val_predict(Ridge(), X, y, cv=folds))


def test_a_forest_predicts_out_of_bag(data):
    X, y = data
    forest = RandomForestRegressor(50, oob_score=True, random_state=0)
    found = Learner(forest, X, N, None).out_of_fold(all_rows(y))
    np.testing.assert_allclose(found[:, 0], forest.fit(X, y).oob_prediction_)


def test_rows_of_next_to_no_weight_are_left_out(data):
    X, y = data
    weights = np.ones(N)
    weights[:10] = 0.01
    fitted = Learner(LinearRegression(), X, N, None).fit(all_rows(y, weights))
    np.testing.assert_allclose(fitted.coef_, LinearRegression().fit(X[10:], y[10:]).coef_)


def test_a_learner_without_weights_has_the_rows_that_are_probably_right(data):
    X, y = data
    weights = np.full(N, 0.6)
    weights[:10] = 0.4
    fitted = Learner(KNeighborsRegressor(), X, N, None).fit(all_rows(y, weights))
    np.testing.assert_array_equal(fitted._fit_X, X[10:])


def test_rows_that_no_fold_tests_have_no_prediction(data):
    X, y = data
    folds = [(np.arange(20), np.arange(20, N))]
    found = Learner(Ridge(), X, N, folds).out_of_fold(all_rows(y))
    np.testing.assert_array_equal(np.isnan(found[:, 0]), np.arange(N) < 20)


def test_a_class_that_a_fold_lacks_has_no_probability(rng):
    X, codes = rng.normal(size=(9, 2)), np.array([0, 1, 0, 1, 0, 1, 0, 1, 2])
    folds = [(np.arange(8), np.array([8])), (np.arange(1, 9), np.array([0]))]
    learner = Learner(LogisticRegression(), X, 9, folds, method="predict_proba")
    found = learner.out_of_fold(all_rows(codes, np.ones(9)), np.arange(3))
    assert found[8, 2] == 0
    np.testing.assert_allclose(found[[0, 8]].sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (Ridge(), "sample_weight"),
        (make_pipeline(StandardScaler(), Ridge()), "ridge__sample_weight"),
        (make_pipeline(StandardScaler(), KNeighborsRegressor()), None),
        (GridSearchCV(Ridge(), {"alpha": [1.0]}), "sample_weight"),
        (TransformedTargetRegressor(Ridge()), "sample_weight"),
        (KNeighborsRegressor(), None),
        (MultiOutputRegressor(Ridge()), "sample_weight"),
        (MultiOutputRegressor(KNeighborsRegressor()), None),
    ],
)
def test_weights_go_where_they_are_taken(estimator, name):
    assert weight_parameter(estimator) == name


def test_only_forests_that_draw_rows_predict_out_of_bag():
    assert predicts_out_of_bag(RandomForestRegressor())
    assert not predicts_out_of_bag(ExtraTreesRegressor())
    assert not predicts_out_of_bag(BaggingRegressor())
    assert not predicts_out_of_bag(Ridge())


def test_copies_of_a_row_are_in_one_fold(data):
    X, y = data
    order = np.r_[np.arange(N), np.arange(10), np.arange(5)]
    folds = make_folds(5, X[order], y[order], None, 0)
    for _, test in folds:
        copies = np.isin(order, order[test])
        np.testing.assert_array_equal(np.flatnonzero(copies), test)


def test_folds_of_copies_are_those_of_weights(data):
    X, y = data
    order = np.r_[np.arange(N), np.arange(10)]
    for (_, one), (_, other) in zip(
        make_folds(5, X, y, None, 0), make_folds(5, X[order], y[order], None, 0), strict=True
    ):
        np.testing.assert_array_equal(one, np.unique(order[other]))


def test_every_fold_has_every_class(rng):
    codes = rng.permutation(np.repeat([0, 1, 2], [60, 30, 5]))
    for _, test in make_folds(5, rng.normal(size=(95, 2)), codes, None, 0, codes):
        assert set(codes[test]) == {0, 1, 2}


def test_equal_rows_of_frames_are_found():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, None, 1.0, None], "b": list("xyxy")})
    _, place = distinct_rows(frame, np.zeros(4))
    np.testing.assert_array_equal(place, [0, 1, 0, 1])


def test_equal_rows_of_numbers_are_found(rng):
    X, y = rng.integers(0, 3, size=(200, 3)).astype(float), rng.integers(0, 2, size=200)
    first, place = distinct_rows(X, y)
    rows = np.column_stack([X, y])
    np.testing.assert_array_equal(rows[first][place], rows)
    assert len(first) == len(np.unique(rows, axis=0))
    assert (np.diff(first) > 0).all()


class ThreadCounter(LinearRegression):
    """A learner that notes how many threads of OpenMP its fit may use."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        own = [part["num_threads"] for part in threadpool_info() if part["user_api"] == "openmp"]
        self.seen.append(max(own, default=1))
        return super().fit(X, y, sample_weight)


def test_fits_to_few_rows_keep_to_one_thread(data, monkeypatch):
    X, y = data
    monkeypatch.setattr(ThreadCounter, "seen", [])
    folds = list(KFold(4).split(X))
    with threadpool_limits(2, "openmp"):
        Learner(ThreadCounter(), X, N, folds).out_of_fold(all_rows(y))
        monkeypatch.setattr("untaint.meta_estimators.learner.SINGLE_THREAD_ROWS", N - 1)
        Learner(ThreadCounter(), X, N, folds).fit(all_rows(y))
    assert ThreadCounter.seen == [1, 1, 1, 1, 2]
