"""The list of rows: complete, ordered, and right about what is wrong."""

import builtins

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError

from baselines.cases import EVERY, REGRESSORS, TRIMMERS, name, problem_of, quietly
from estimators.cases import blobs, flipped
from untaint.baselines import ConsistentRegressor, SeverClassifier, SeverRegressor, TiltedClassifier

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

each = pytest.mark.parametrize("model", EVERY, ids=name)
COLUMNS = ["row", "score", "kept", "flagged", "observed", "expected", "kind", "features"]


def columns_of(model):
    return [*COLUMNS, "suggested"] if is_classifier(model) else COLUMNS


def by_row(table):
    return table.set_index("row").sort_index()


@each
def test_columns_types_and_order(model):
    X, y, bad = problem_of(model)
    fit = quietly(clone(model), X, y)
    table = fit.audit()
    assert list(table.columns) == columns_of(model)
    assert sorted(table["row"]) == list(range(80))
    assert table["kept"].dtype == table["flagged"].dtype == bool
    assert (table["kept"] == ~table["flagged"]).all()
    assert table["score"].dtype == float
    assert not table["flagged"][table["flagged"].cummin() != table["flagged"]].any()
    for part in (table[table["flagged"]], table[table["kept"]]):
        assert part["score"].is_monotonic_decreasing
    assert set(table["kind"]) <= {"", "target", "features", "both"}
    np.testing.assert_array_equal(table["kind"] != "", table["flagged"])
    ordered = by_row(table)
    np.testing.assert_array_equal(ordered["flagged"], ~fit.inlier_mask_)
    assert ordered["flagged"][bad].all()
    np.testing.assert_array_equal(ordered["score"], fit.outlier_scores_)
    np.testing.assert_array_equal(ordered["observed"], y)
    np.testing.assert_array_equal(ordered["expected"], fit.predict(X))
    if is_classifier(model):
        np.testing.assert_array_equal(ordered["suggested"], fit.predict(X))


@pytest.fixture
def no_pandas(monkeypatch):
    """Call it, and pandas cannot be imported any more."""
    actual = builtins.__import__

    def without(name, *args, **kwargs):
        if name.split(".")[0] == "pandas":
            raise ImportError(name)
        return actual(name, *args, **kwargs)

    return lambda: monkeypatch.setattr(builtins, "__import__", without)


@each
def test_structured_array_where_pandas_is_missing(model, no_pandas):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    frame = {name: values.to_numpy() for name, values in fit.audit().items()}
    no_pandas()
    table = fit.audit()
    assert isinstance(table, np.ndarray) and table.shape == (80,)
    assert list(table.dtype.names) == columns_of(model)
    for column in columns_of(model):
        np.testing.assert_array_equal(table[column], frame[column])


@pytest.mark.parametrize("model", REGRESSORS, ids=name)
def test_several_outputs_without_pandas(model, no_pandas):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, np.column_stack([y, y]))
    assert fit.audit()["expected"].iloc[0].shape == (2,)
    no_pandas()
    table = fit.audit()
    assert table["observed"].shape == table["expected"].shape == (80, 2)


def rows_with_outlying_features(model):
    """Three rows with features out of all proportion and targets to match nothing."""
    X, y, bad = problem_of(model)
    X[[5, 25, 45], 1] = [1e4, -2e4, 3e4]
    return X, y, bad


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_feature_outliers_that_are_flagged_are_named_by_their_features(kernel):
    X, y, bad = rows_with_outlying_features(SeverRegressor())
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = SeverRegressor(contamination=0.2, kernel=kernel).fit(frame, y)
    table = by_row(model.audit())
    feature_outlier = [row for row in (5, 25, 45) if table["flagged"][row]]
    assert kernel == "rbf" or feature_outlier
    assert (table["kind"][feature_outlier] == "features").all()
    assert (table["features"][[5, 25, 45]] == "b").all()
    flagged_targets = bad & table["flagged"].to_numpy()
    assert (table["kind"][flagged_targets] == "target").all()


def test_rows_outlying_in_features_and_target_are_both():
    X, y, _ = problem_of(SeverRegressor())
    X[5, 1], y[5] = 1e4, 1e5
    table = by_row(SeverRegressor(contamination=0.2).fit(X, y).audit())
    assert table["kind"][5] == "both"
    assert table["features"][5] == "1"


def test_wrong_labels_come_with_a_suggestion():
    X, y = blobs([50, 50], distance=6.0)
    labels, bad = flipped(y, 0.1)
    names = np.array(["cat", "dog"])
    for model in (SeverClassifier(), TiltedClassifier()):
        table = by_row(model.fit(X, names[labels]).audit())
        np.testing.assert_array_equal(table["flagged"], bad)
        np.testing.assert_array_equal(table["suggested"][bad], names[y][bad])
        assert (table["kind"][bad] == "target").all()


def test_precomputed_kernel_has_no_features_to_name():
    X, y, _ = problem_of(SeverRegressor())
    model = SeverRegressor(kernel="precomputed").fit(X @ X.T, y)
    table = by_row(model.audit())
    assert (table["features"] == "").all()
    np.testing.assert_array_equal(table["kind"] == "target", ~model.inlier_mask_)


@each
def test_audit_before_fit(model):
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        clone(model).audit()


@each
def test_audit_changes_nothing_in_the_estimator(model):
    X, y, _ = problem_of(model)
    fit = quietly(clone(model), X, y)
    before = dict(vars(fit))
    fit.audit()
    assert all(vars(fit)[key] is before[key] for key in before)


@pytest.mark.parametrize("model", [m for m in TRIMMERS if not is_classifier(m)], ids=name)
def test_rows_that_all_tie_may_all_be_trimmed_in_part(model):
    """Two of five are kept, and nothing tells the five apart."""
    X = np.zeros((5, 2)) if isinstance(model, SeverRegressor) else np.arange(10.0).reshape(5, 2)
    fit = quietly(clone(model).set_params(contamination=0.45), X, np.ones(5))
    assert fit.contamination_ == pytest.approx(0.6)
    assert len(fit.audit()) == 5


def test_corrected_rows_are_expected_where_the_fit_is():
    X, y, bad = problem_of(ConsistentRegressor())
    model = ConsistentRegressor().fit(X, y)
    table = by_row(model.audit())
    np.testing.assert_allclose((table["observed"] - table["expected"])[bad], model.corruption_[bad])
