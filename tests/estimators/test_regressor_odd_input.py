"""Odd but legal: it ends, without exception or overflow, and predicts finite numbers."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from estimators.cases import assert_close, smooth
from untaint import SubquantileRegressor
from untaint.exceptions import FeatureScaleWarning

pytestmark = pytest.mark.filterwarnings("error")

KERNELS = ["linear", "poly", "rbf", "laplacian", "exponential", "rational_quadratic"]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_contamination = pytest.mark.parametrize("contamination", [0, 0.2, "auto"])


def fitted(X, y, sample_weight=None, **params):
    """Fit, and expect nothing but finite numbers."""
    model = SubquantileRegressor(**params).fit(X, y, sample_weight=sample_weight)
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.dual_coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.loss_threshold_)
    assert not np.isnan(model.outlier_scores_).any()
    assert model.inlier_mask_.any()
    return model


@each_kernel
@each_contamination
@pytest.mark.parametrize("value", [0.0, 7.5])
def test_constant_target(kernel, contamination, value):
    X, _ = smooth(40)
    model = fitted(X, np.full(40, value), kernel=kernel, contamination=contamination)
    assert_close(model.predict(X), value, 1e-9)


@each_kernel
@each_contamination
def test_constant_columns(kernel, contamination):
    X, y = smooth(40)
    X[:, 1:] = 3.0
    fitted(X, y, kernel=kernel, contamination=contamination)


@each_kernel
@each_contamination
def test_all_columns_constant(kernel, contamination):
    _, y = smooth(40)
    model = fitted(np.full((40, 3), 2.0), y, kernel=kernel, contamination=contamination)
    assert np.ptp(model.predict(np.full((40, 3), 2.0))) < 1e-9


@each_kernel
@each_contamination
def test_duplicate_rows_only(kernel, contamination):
    X, y = smooth(4)
    fitted(np.repeat(X, 10, axis=0), np.repeat(y, 10), kernel=kernel, contamination=contamination)


@each_kernel
@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("contamination", [0, "auto"])
def test_very_few_rows(kernel, n, contamination):
    X, y = smooth(n)
    fitted(X, y, kernel=kernel, contamination=contamination)


@pytest.mark.parametrize("solver", ["exact", "iterative", "newton"])
@pytest.mark.parametrize("n", [3, 4, 7])
def test_few_rows_and_much_trimming(solver, n):
    X, y = smooth(n)
    for kernel in ("linear", "rbf"):
        fitted(X, y, kernel=kernel, solver=solver, contamination=0.4)


@each_kernel
def test_one_column(kernel):
    x = np.linspace(0, 3, 50)[:, None]
    fitted(x, np.sin(x).ravel(), kernel=kernel, contamination=0.2)


@each_kernel
@each_contamination
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_more_columns_than_rows(kernel, contamination, form, rng):
    X = rng.normal(size=(30, 100)) * (rng.random((30, 100)) < 0.3)
    y = X[:, 0] + rng.normal(size=30)
    fitted(form(X), y, kernel=kernel, contamination=contamination)


def test_sparse_rows_without_an_entry(rng):
    X = sp.csr_matrix((30, 50))
    for kernel in ("linear", "rbf"):
        fitted(X, rng.normal(size=30), kernel=kernel, contamination=0.2)


@each_kernel
@pytest.mark.parametrize(
    ("size", "contamination"), [(1e-300, 0), (1e-100, 0.2), (1e100, 0), (1e100, 0.2)]
)
def test_targets_of_any_size(kernel, contamination, size):
    X, y = smooth(40)
    model = fitted(X, size * y, kernel=kernel, contamination=contamination, gamma=0.2)
    plain = fitted(X, y, kernel=kernel, contamination=contamination, gamma=0.2)
    assert_close(model.predict(X) / size, plain.predict(X), 1e-6)


@each_kernel
@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e100, 1e150])
def test_features_of_any_size(kernel, size):
    X, y = smooth(40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FeatureScaleWarning)  # squares of 1e-160 are zero
        fitted(size * X, y, kernel=kernel, contamination=0.2)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "exponential", "rational_quadratic"])
@pytest.mark.parametrize("size", [1e-100, 1e100])
def test_median_scale_takes_up_the_size_of_the_features(kernel, size):
    X, y = smooth(40)
    model = fitted(size * X, y, kernel=kernel, contamination=0)
    plain = fitted(X, y, kernel=kernel, contamination=0)
    assert_close(model.predict(size * X), plain.predict(X), 1e-6)


@each_kernel
def test_a_few_huge_targets(kernel):
    X, y = smooth(40)
    plain = fitted(X[4:], y[4:], kernel=kernel, contamination=0, gamma=0.2)
    y[:4] = [1e150, -1e150, 1e200, -1e300]
    model = fitted(X, y, kernel=kernel, contamination=0.1, gamma=0.2)
    assert_close(model.predict(X[4:]), plain.predict(X[4:]), 1e-8)
    assert not model.inlier_mask_[:4].any()


@each_kernel
def test_a_few_huge_rows(kernel):
    X, y = smooth(40)
    X[:4] = np.array([1e50, -1e100, 1e100, 1e100])[:, None]
    model = fitted(X, y, kernel=kernel, contamination=0.1, gamma=0.2)
    assert np.abs(model.predict(X[4:])).max() < 10


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian", "exponential"])
def test_a_few_rows_beyond_all_bounds(kernel):
    X, y = smooth(40)
    X[:4] = np.array([1e150, -1e150, 1e200, 1e300])[:, None]
    model = fitted(X, y, kernel=kernel, contamination=0.1, gamma=0.2)
    assert np.abs(model.predict(X[4:])).max() < 10


@each_kernel
def test_no_ridge_at_all(kernel):
    X, y = smooth(40)
    X = np.vstack([X, X[:10]])
    y = np.r_[y, y[:10] + 0.1]
    for contamination in (0, 0.2):
        fitted(X, y, kernel=kernel, alpha=0, contamination=contamination)


def test_no_ridge_and_the_linear_kernel_is_least_squares():
    X, y = smooth(40)
    model = fitted(X, y, kernel="linear", alpha=0, contamination=0)
    design = np.column_stack([X, np.ones(40)])
    expected = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert_close(model.predict(X), expected, 1e-8)


def test_huge_ridge_is_the_mean():
    X, y = smooth(40)
    for kernel in ("linear", "rbf"):
        model = fitted(X, y, kernel=kernel, alpha=1e15, contamination=0)
        assert_close(model.predict(X), y.mean(), 1e-8)


@each_kernel
def test_largest_contamination(kernel):
    X, y = smooth(100)
    model = fitted(X, y, kernel=kernel, contamination=0.49)
    assert model.inlier_mask_.sum() == 51


def test_widely_different_weights():
    X, y = smooth(40)
    weights = np.logspace(-8, 8, 40)
    for kernel in ("linear", "rbf"):
        fitted(X, y, sample_weight=weights, kernel=kernel, contamination=0.2)


def test_one_row_of_positive_weight():
    X, y = smooth(20)
    weights = np.zeros(20)
    weights[3] = 1
    for kernel in ("linear", "rbf"):
        model = fitted(X, y, sample_weight=weights, kernel=kernel)
        assert_close(model.predict(X[[3]]), y[3], 1e-9)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble])
def test_other_float_types(dtype):
    X, y = smooth(40)
    model = fitted(X.astype(dtype), y.astype(dtype), contamination=0.2)
    assert model.dual_coef_.dtype == np.float64


def test_booleans_both_sides(rng):
    X, y = rng.random((40, 3)) < 0.5, rng.random(40) < 0.5
    fitted(X, y, contamination=0.2)


def test_indefinite_precomputed_kernel(rng):
    """Not a kernel, but the user's: the answer may be poor, it must be finite."""
    K = rng.normal(size=(30, 30))
    K = K + K.T
    fitted(K, rng.normal(size=30), kernel="precomputed", contamination=0.2)


def test_zero_precomputed_kernel(rng):
    y = rng.normal(size=30)
    for solver in ("exact", "iterative", "gradient"):
        model = fitted(np.zeros((30, 30)), y, kernel="precomputed", solver=solver, contamination=0)
        assert_close(model.predict(np.zeros((1, 30))), y.mean(), 1e-9)


def test_many_outputs(rng):
    X, y = smooth(40)
    Y = y[:, None] + rng.normal(size=(40, 50))
    assert fitted(X, Y, contamination=0.2).predict(X).shape == (40, 50)


def test_outputs_of_very_different_size():
    X, y = smooth(60)
    Y = np.column_stack([1e-8 * y, 1e8 * X[:, 0]])
    model = fitted(X, Y, contamination=0, alpha=0.1, solver="iterative")
    alone = fitted(X, Y[:, 0], contamination=0, alpha=0.1)
    assert_close(model.predict(X)[:, 0] * 1e8, alone.predict(X) * 1e8, 1e-6)
