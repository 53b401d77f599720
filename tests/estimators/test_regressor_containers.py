"""The fit depends on the numbers, not on what they are kept in."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from estimators.cases import assert_close, assert_same_fit, grossly_corrupted, smooth
from untaint import SubquantileRegressor

KERNELS = ["linear", "poly", "rbf", "laplacian", "exponential", "rational_quadratic"]


def mostly_zero(n, d, seed=0):
    """Rows of which most entries are zero, with a tenth of the targets far off."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.3)
    y = X @ rng.normal(size=d) + np.sin(X[:, 0]) + 2 + 0.1 * rng.normal(size=n)
    y[: n // 10] += 50 * rng.choice([-1, 1], n // 10)
    return X, y


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("contamination", [0, 0.1])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_sparse_equals_dense(kernel, contamination, fit_intercept):
    X, y = mostly_zero(150, 8)
    model = SubquantileRegressor(
        contamination=contamination,
        kernel=kernel,
        gamma=0.2,
        alpha=0.5,
        fit_intercept=fit_intercept,
    )
    dense = model.fit(X, y)
    expected, mask = dense.predict(X), dense.inlier_mask_
    sparse = model.fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.inlier_mask_, mask)
    assert_close(sparse.predict(sp.csr_matrix(X)), expected, 1e-7)
    assert_close(sparse.predict(X), expected, 1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_sparse_equals_dense_with_more_columns_than_rows(kernel, solver):
    X, y = mostly_zero(80, 300)
    model = SubquantileRegressor(contamination=0.1, kernel=kernel, solver=solver, alpha=0.5)
    expected = model.fit(X, y).predict(X)
    mask = model.inlier_mask_
    sparse = model.fit(sp.csr_matrix(X), y)
    np.testing.assert_array_equal(sparse.inlier_mask_, mask)
    assert_close(sparse.predict(sp.csr_matrix(X)), expected, 1e-5)


@pytest.mark.parametrize("form", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array])
def test_every_sparse_format_is_the_same(form):
    X, y = mostly_zero(100, 6)
    model = SubquantileRegressor(contamination=0.1, kernel="linear")
    expected = model.fit(X, y).predict(X)
    assert_close(model.fit(form(X), y).predict(form(X)), expected, 1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gamma_of_the_data_is_the_same_for_sparse_rows(kernel):
    X, y = mostly_zero(120, 8)
    model = SubquantileRegressor(contamination=0.1, kernel=kernel, gamma="median")
    dense = model.fit(X, y).kernel_
    sparse = model.fit(sp.csr_matrix(X), y).kernel_
    assert getattr(sparse, "gamma", 1.0) == pytest.approx(getattr(dense, "gamma", 1.0))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
def test_float32_stays_float32_and_close_to_float64(kernel, contamination):
    X, y, _ = grossly_corrupted(200)
    double = SubquantileRegressor(contamination=contamination, kernel=kernel, gamma=0.2).fit(X, y)
    single = SubquantileRegressor(contamination=contamination, kernel=kernel, gamma=0.2)
    single.fit(X.astype(np.float32), y.astype(np.float32))
    predictions = single.predict(X.astype(np.float32))
    assert predictions.dtype == single.X_fit_.dtype == np.float32
    assert single.dual_coef_.dtype == np.asarray(single.intercept_).dtype == np.float64
    if kernel == "linear":
        assert single.coef_.dtype == np.float64
    np.testing.assert_array_equal(single.inlier_mask_, double.inlier_mask_)
    assert_close(predictions, double.predict(X), 1e-3)


@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_float32_with_targets_far_from_zero(solver):
    X, y, _ = grossly_corrupted(200)
    model = SubquantileRegressor(contamination=0.2, solver=solver, alpha=0.1)
    expected = model.fit(X, y + 100).predict(X)
    single = model.fit(X.astype(np.float32), (y + 100).astype(np.float32))
    assert_close(single.predict(X.astype(np.float32)), expected, 2e-3)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, bool, object])
def test_other_numbers_are_taken_as_float64(dtype, rng):
    X = rng.integers(0, 2, size=(80, 6))
    y = X @ np.arange(6) + rng.integers(0, 2, 80)
    model = SubquantileRegressor(contamination=0.1)
    expected = model.fit(X.astype(float), y.astype(float)).predict(X.astype(float))
    other = model.fit(X.astype(dtype), y)
    assert other.dual_coef_.dtype == np.float64
    np.testing.assert_array_equal(other.predict(X.astype(dtype)), expected)


def test_integer_and_object_targets_are_numbers():
    X, y = smooth(60)
    y = np.round(10 * y)
    model = SubquantileRegressor(contamination=0.1)
    expected = model.fit(X, y).predict(X)
    np.testing.assert_array_equal(model.fit(X, y.astype(int)).predict(X), expected)
    np.testing.assert_array_equal(model.fit(X, y.astype(object)).predict(X), expected)
    np.testing.assert_array_equal(model.fit(X, list(y)).predict(X), expected)


@pytest.mark.parametrize(
    "arranged",
    [
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.ascontiguousarray(a[::-1])[::-1],
        lambda a: np.lib.stride_tricks.as_strided(a, writeable=False),
        lambda a: a.tolist(),
    ],
    ids=["fortran", "every other row", "backwards", "read-only", "lists"],
)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_memory_layout_is_immaterial(arranged, kernel, solver):
    X, y, _ = grossly_corrupted(90)
    model = SubquantileRegressor(contamination=0.2, kernel=kernel, solver=solver)
    expected, mask = model.fit(X, y).predict(X), model.inlier_mask_
    model.fit(arranged(X), arranged(y))
    np.testing.assert_array_equal(model.inlier_mask_, mask)
    assert_close(model.predict(arranged(X)), expected, 1e-6)


@pytest.mark.parametrize("solver", ["exact", "iterative"])
def test_precomputed_matrix_in_any_layout(solver):
    X, y, _ = grossly_corrupted(90)
    K = np.exp(-0.2 * ((X[:, None] - X) ** 2).sum(-1))
    model = SubquantileRegressor(contamination=0.2, kernel="precomputed", solver=solver)
    expected = model.fit(K, y).predict(K)
    for other in (np.asfortranarray(K), np.repeat(K, 2, axis=0)[::2], K.tolist()):
        assert_close(model.fit(other, y).predict(other), expected, 1e-7)


def frame_of(library, X):
    names = [f"column {j}" for j in range(X.shape[1])]
    if library == "pandas":
        return pd.DataFrame(X, columns=names)
    return pl.DataFrame(X, schema=names)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_equal_arrays_and_leave_their_names(library):
    X, y, _ = grossly_corrupted(80)
    frame = frame_of(library, X)
    series = pd.Series(y) if library == "pandas" else pl.Series(y)
    by_array = SubquantileRegressor(contamination=0.2).fit(X, y)
    by_frame = SubquantileRegressor(contamination=0.2).fit(frame, series)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        predictions = by_frame.predict(frame)
    np.testing.assert_array_equal(predictions, by_array.predict(X))
    np.testing.assert_array_equal(by_frame.inlier_mask_, by_array.inlier_mask_)
    assert list(by_frame.feature_names_in_) == list(frame.columns)
    assert not hasattr(by_array, "feature_names_in_")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_index_of_a_frame_is_immaterial():
    X, y, _ = grossly_corrupted(80)
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(80)[::-1])
    by_frame = SubquantileRegressor(contamination=0.2).fit(frame, pd.Series(y, index=range(80)))
    by_array = SubquantileRegressor(contamination=0.2).fit(X, y)
    assert_same_fit(by_frame, by_array, X, tol=0)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
def test_frame_of_several_targets():
    X, y, _ = grossly_corrupted(80)
    Y = pd.DataFrame({"first": y, "second": X[:, 0]})
    model = SubquantileRegressor(contamination=0.2).fit(frame_of("pandas", X), Y)
    assert model.predict(X).shape == (80, 2)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_renamed_and_reordered_columns_are_refused(library):
    X, y = smooth(40)
    frame = frame_of(library, X)
    model = SubquantileRegressor(contamination=0).fit(frame, y)
    renamed = frame_of(library, X)
    renamed.columns = [*"wxyz"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(renamed)
    with pytest.raises(ValueError, match="must be in the same order"):
        model.predict(frame[frame.columns[::-1]])


def test_names_on_one_side_only_are_warned_about():
    X, y = smooth(40)
    frame = frame_of("pandas", X)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        SubquantileRegressor(contamination=0).fit(frame, y).predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        SubquantileRegressor(contamination=0).fit(X, y).predict(frame)


def test_names_are_forgotten_by_a_fit_without_them():
    X, y = smooth(40)
    model = SubquantileRegressor(contamination=0).fit(frame_of("pandas", X), y)
    assert not hasattr(model.fit(X, y), "feature_names_in_")


def test_one_column_of_targets_keeps_its_shape():
    X, y = smooth(60)
    flat = SubquantileRegressor(contamination=0.1).fit(X, y)
    column = SubquantileRegressor(contamination=0.1).fit(X, y[:, None])
    assert column.predict(X).shape == (60, 1)
    assert column.dual_coef_.shape == (60, 1)
    assert column.intercept_.shape == (1,)
    np.testing.assert_array_equal(column.predict(X)[:, 0], flat.predict(X))
