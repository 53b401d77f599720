"""The fit depends on the numbers, not on what they are kept in."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from estimators.cases import assert_close, assert_same_fit, flipped_blobs
from untaint import SubquantileClassifier

SIZES = [(60, 40), (40, 35, 25)]
each_size = pytest.mark.parametrize("sizes", SIZES, ids=len)


def mostly_zero(n_classes, n=150, d=8):
    """Rows of which most entries are zero, a tenth of them labelled wrongly."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    scores = X @ rng.normal(size=(d, n_classes)) * 3
    y = scores.argmax(axis=1)
    y[: n // 10] = (y[: n // 10] + 1) % n_classes
    return X, y


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("contamination", [0, 0.1])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_equals_dense(kernel, contamination, n_classes):
    X, y = mostly_zero(n_classes)
    model = SubquantileClassifier(contamination=contamination, kernel=kernel, gamma=0.2, tol=1e-10)
    expected, mask = model.fit(X, y).predict_proba(X), model.inlier_mask_
    for form in (sp.csr_matrix, sp.csc_matrix, sp.csr_array):
        model.fit(form(X), y)
        np.testing.assert_array_equal(model.inlier_mask_, mask)
        assert_close(model.predict_proba(form(X)), expected, 1e-5)
        assert_close(model.predict_proba(X), expected, 1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_rows_with_more_columns_than_rows(n_classes):
    X, y = mostly_zero(n_classes, 60, 200)
    model = SubquantileClassifier(contamination=0.1, kernel="linear", tol=1e-10)
    expected = model.fit(X, y).predict_proba(X)
    assert_close(model.fit(sp.csr_matrix(X), y).predict_proba(sp.csr_matrix(X)), expected, 1e-5)


@each_size
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("contamination", [0, 0.15])
def test_float32_stays_float32_and_close_to_float64(sizes, kernel, contamination):
    X, y, _, _ = flipped_blobs(sizes, distance=7.0)
    settings = {"contamination": contamination, "kernel": kernel, "gamma": 0.2, "smoothing": None}
    double = SubquantileClassifier(**settings).fit(X, y)
    single = SubquantileClassifier(**settings).fit(X.astype(np.float32), y)
    scores = single.decision_function(X.astype(np.float32))
    assert scores.dtype == single.X_fit_.dtype == np.float32
    assert single.dual_coef_.dtype == np.float64
    assert single.predict_proba(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    assert_close(single.predict_proba(X.astype(np.float32)), double.predict_proba(X), 1e-3)


@each_size
@pytest.mark.parametrize(
    "arranged",
    [np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], np.ndarray.tolist],
    ids=["Fortran", "strided", "lists"],
)
def test_layout_in_memory_is_immaterial(sizes, arranged):
    X, y, _, _ = flipped_blobs(sizes)
    plain = SubquantileClassifier(contamination=0.2).fit(X, y)
    other = SubquantileClassifier(contamination=0.2).fit(arranged(X), arranged(y))
    assert_same_fit(other, plain, X, tol=1e-6)


def test_read_only_arrays():
    X, y, _, _ = flipped_blobs((40, 40))
    X.flags.writeable = y.flags.writeable = False
    for kernel in ("linear", "rbf"):
        SubquantileClassifier(contamination=0.2, kernel=kernel).fit(X, y).predict(X)


def frame_of(library, X):
    names = [f"column {j}" for j in range(X.shape[1])]
    return pd.DataFrame(X, columns=names) if library == "pandas" else pl.DataFrame(X, schema=names)


@each_size
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_equal_arrays_and_leave_their_names(sizes, library):
    X, y, _, _ = flipped_blobs(sizes)
    frame = frame_of(library, X)
    series = pd.Series(y) if library == "pandas" else pl.Series(y)
    by_array = SubquantileClassifier(contamination=0.2).fit(X, y)
    by_frame = SubquantileClassifier(contamination=0.2).fit(frame, series)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        probabilities = by_frame.predict_proba(frame)
    assert_close(probabilities, by_array.predict_proba(X), 1e-8)
    assert list(by_frame.feature_names_in_) == list(frame.columns)
    assert not hasattr(by_array, "feature_names_in_")


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_renamed_reordered_and_unseen_columns_are_refused(library, method):
    X, y, _, _ = flipped_blobs((30, 30))
    frame = frame_of(library, X)
    evaluate = getattr(SubquantileClassifier(contamination=0).fit(frame, y), method)
    renamed = frame_of(library, X)
    renamed.columns = [*"xy"]
    with pytest.raises(ValueError, match="feature names should match"):
        evaluate(renamed)
    with pytest.raises(ValueError, match="must be in the same order"):
        evaluate(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match=r"(?s)unseen at fit time.*column 2"):
        evaluate(frame_of(library, np.column_stack([X, X[:, 0]])))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        evaluate(X)
