"""What cannot be right is refused, saying what was expected and what was found."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from estimators.cases import blobs
from untaint import SubquantileClassifier

pytestmark = pytest.mark.filterwarnings("error")

X, Y = blobs((20, 15))
NAMES = np.array(["cat", "dog"])[Y]


def refused(message, X=X, y=Y, sample_weight=None, error=ValueError, **params):
    """Fit, and expect all parts of the message, in order."""
    pattern = ".*".join(re.escape(part) for part in message.split(" ... "))
    with pytest.raises(error, match=re.compile(pattern, re.DOTALL)):
        SubquantileClassifier(**params).fit(X, y, sample_weight=sample_weight)


# --- labels ----------------------------------------------------------------------------------


@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_one_class_only(contamination):
    for label in (0, "cat", True):
        refused("y must hold at least two classes, got only one class", y=[label] * 35)


@pytest.mark.parametrize("labels", [Y, NAMES], ids=["numbers", "names"])
def test_messages_name_classes_as_the_user_does(labels):
    single = np.r_[labels[:1], labels[labels != labels[0]]]
    found = repr(single[:1].tolist()[0])
    refused(
        f"too few rows to trim: class {found} has 1",
        X=X[: len(single)],
        y=single,
        contamination=0.2,
    )
    refused(f"got only one class: {found}", X=X[:20], y=labels[:20])
    weights = (labels != labels[0]).astype(float)
    refused(f"got only zeros for class {found}", y=labels, sample_weight=weights)


def test_class_of_a_single_row():
    y = np.r_[5, Y[1:]]
    refused(
        "too few rows to trim: class ... has 1, and contamination=0.2 needs at least 2 in each "
        "class; give more rows, leave the class out, or set contamination=0",
        y=y,
        contamination=0.2,
    )
    for contamination in (0, "auto"):
        assert len(SubquantileClassifier(contamination=contamination).fit(X, y).classes_) == 3
    # A weight of two is two rows.
    weights = np.where(y == 5, 2.0, 1.0)
    SubquantileClassifier(contamination=0.2).fit(X, y, sample_weight=weights)


def test_numbers_that_are_no_labels():
    refused("Unknown label type: continuous", y=X[:, 0])


def test_several_columns_of_labels():
    refused("y should be a 1d array, got an array of shape (35, 2)", y=np.column_stack([Y, Y]))
    refused("dim 3", y=np.ones((35, 2, 2)))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_labels(value):
    y = Y.astype(float)
    y[3] = value
    refused("Input y contains " + ("NaN" if np.isnan(value) else "infinity"), y=y)


MISSING = {
    "NaN among names": np.array([np.nan, *NAMES[1:]], dtype=object),
    "pandas": pd.Series([pd.NA, *NAMES[1:]]),
    "categories": pd.Series([None, *NAMES[1:]], dtype="category"),
}


@pytest.mark.parametrize("labels", MISSING.values(), ids=MISSING)
def test_missing_names(labels):
    refused("contains NaN", y=labels)


@pytest.mark.parametrize(
    "labels",
    [np.array([None, *NAMES[1:]], dtype=object), pl.Series([None, *NAMES[1:].tolist()])],
    ids=["None", "polars"],
)
def test_labels_that_are_none(labels):
    refused("y ... missing", y=labels)


def test_no_labels_at_all():
    refused("requires y to be passed, but the target y is None", y=None)
    refused("inconsistent numbers of samples: [35, 30]", y=Y[:30])


# --- weights ---------------------------------------------------------------------------------


def test_class_weight_of_an_unknown_class():
    refused("class_weight names the class 5, which y does not hold", class_weight={0: 1.0, 5: 1.0})
    refused("class_weight names the class 'cow'", y=NAMES, class_weight={"cow": 2.0})


@pytest.mark.parametrize("weight", [-1.0, 0, float("nan"), float("inf"), "much", None, True])
def test_class_weight_of_a_wrong_value(weight):
    refused(
        f"class_weight[0] must be a finite number greater than 0, got {weight!r}",
        class_weight={0: weight},
    )


@pytest.mark.parametrize("given", ["balancd", 3, [1.0, 2.0], True])
def test_class_weight_of_a_wrong_type(given):
    refused(f'class_weight must be a dict, "balanced" or None, got {given!r}', class_weight=given)


def test_sample_weights_that_cannot_be():
    weights = np.ones(35)
    weights[7] = -2.5
    refused("sample_weight must not be negative ... -2.5", sample_weight=weights)
    weights[7] = np.nan
    refused("Input sample_weight contains NaN", sample_weight=weights)
    refused("sample_weight.shape == (30,), expected (35,)", sample_weight=np.ones(30))
    refused("sample_weight must be positive for at least one row", sample_weight=np.zeros(35))
    refused(
        "sample_weight must be positive for at least one row of each class",
        sample_weight=(Y == 0).astype(float),
    )


# --- parameters ------------------------------------------------------------------------------


@pytest.mark.parametrize("contamination", [-0.1, 0.5, 1, "lots", True, float("nan"), None])
def test_contamination(contamination):
    refused(
        f'contamination must be a number in [0, 0.5) or "auto", got {contamination!r}',
        contamination=contamination,
    )


def test_too_few_rows_to_trim():
    refused(
        "too few rows to trim: contamination=0.02 of n_samples = 35 ... at least 50 rows",
        contamination=0.02,
    )


@pytest.mark.parametrize("smoothing", [0, -1, float("nan"), "soft", True])
def test_smoothing(smoothing):
    refused(
        f"smoothing must be a finite number greater than 0 ... got {smoothing!r}",
        smoothing=smoothing,
    )


@pytest.mark.parametrize(
    ("name", "value", "suggestion"),
    [
        ("solver", "exakt", "exact"),
        ("kernel", "rfb", "rbf"),
        ("acceleration", "nestrov", "nesterov"),
        ("init", "zero", "zeros"),
    ],
)
def test_misspelt_choices(name, value, suggestion):
    refused(
        f"{name} must be one of ... got {value!r} ... Did you mean {suggestion!r}?", **{name: value}
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", -1),
        ("norm_bound", 0),
        ("momentum", 1),
        ("tol", 0),
        ("n_starts", 0),
        ("max_iter", 2.5),
        ("n_jobs", 0),
        ("gamma", -1.0),
        ("learning_rate", "fast"),
        ("memory_limit", "plenty"),
        ("fit_intercept", "no"),
    ],
)
def test_parameters_of_a_wrong_value(name, value):
    refused(f"{name} must be ... got {value!r}", **{name: value})


# --- rows ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_and_infinite_numbers(value):
    found = "NaN" if np.isnan(value) else "infinity"
    X_bad = X.copy()
    X_bad[3, 1] = value
    refused(f"Input X contains {found}", X=X_bad)
    refused(f"Input X contains {found}", X=sp.csr_matrix(X_bad))
    model = SubquantileClassifier(contamination=0).fit(X, Y)
    for evaluate in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match=f"Input X contains {found}"):
            evaluate(X_bad)


def test_rows_that_are_none():
    refused("could not convert string to float", X=np.array([["a", "b"]] * 35))
    refused("Expected 2D array, got 1D array instead", X=X[:, 0])
    refused("0 sample(s)", X=X[:0], y=Y[:0])
    refused("0 feature(s)", X=X[:, :0])
    refused("Complex data not supported", X=X + 1j)
    refused("X must be the square kernel matrix", kernel="precomputed")


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function", "score"])
def test_before_fit(method):
    arguments = (X, Y) if method == "score" else (X,)
    with pytest.raises(NotFittedError, match="SubquantileClassifier instance is not fitted yet"):
        getattr(SubquantileClassifier(), method)(*arguments)
    with pytest.raises(NotFittedError):
        SubquantileClassifier().diagnostics()


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_other_number_of_columns_at_predict(kernel):
    model = SubquantileClassifier(contamination=0, kernel=kernel).fit(X, Y)
    for other in (X[:, :1], np.hstack([X, X]), sp.csr_matrix(X[:, :1])):
        with pytest.raises(ValueError, match=rf"X has {other.shape[1]} features.*expecting 2"):
            model.predict(other)


def test_refused_fit_leaves_the_estimator_as_it_was():
    model = SubquantileClassifier(contamination=0).fit(X, NAMES)
    expected = model.predict_proba(X)
    for y in (np.zeros(35), X[:, 0], Y[:9]):
        with pytest.raises(ValueError, match=r"classes|continuous|inconsistent"):
            model.fit(X, y)
    np.testing.assert_array_equal(model.classes_, ["cat", "dog"])
    np.testing.assert_array_equal(model.predict_proba(X), expected)
