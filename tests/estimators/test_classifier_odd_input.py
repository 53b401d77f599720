"""Odd but legal: it ends, without exception or overflow, and gives finite probabilities."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from estimators.cases import blobs, flipped_blobs
from untaint import SubquantileClassifier

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

KERNELS = ["linear", "poly", "rbf", "laplacian"]
each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_contamination = pytest.mark.parametrize("contamination", [0, 0.2, "auto"])
each_size = pytest.mark.parametrize("sizes", [(25, 15), (15, 15, 10)], ids=len)


def fitted(X, y, sample_weight=None, **params):
    """Fit, and expect nothing but finite numbers and every class."""
    model = SubquantileClassifier(**params).fit(X, y, sample_weight=sample_weight)
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isfinite(model.dual_coef_).all()
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.outlier_scores_).all()
    assert np.isfinite(model.loss_threshold_)
    assert (np.bincount(np.unique(y, return_inverse=True)[1], model.inlier_mask_) > 0).all()
    return model


@each_kernel
@each_contamination
@each_size
def test_constant_columns(kernel, contamination, sizes):
    X, y, _, _ = flipped_blobs(sizes)
    fitted(np.column_stack([X, np.full(40, 3.0)]), y, kernel=kernel, contamination=contamination)


@each_kernel
@each_contamination
@each_size
def test_all_columns_constant(kernel, contamination, sizes):
    _, y = blobs(sizes)
    model = fitted(np.full((40, 3), 2.0), y, kernel=kernel, contamination=contamination)
    assert np.ptp(model.predict_proba(np.full((40, 3), 2.0)), axis=0).max() < 1e-9


@pytest.mark.filterwarnings("ignore:SubquantileClassifier stopped")
@each_kernel
@each_contamination
@each_size
def test_duplicates_with_labels_that_disagree(kernel, contamination, sizes, rng):
    X, y, _, _ = flipped_blobs(sizes)
    fitted(
        np.repeat(X[::8], 8, axis=0), rng.permutation(y), kernel=kernel, contamination=contamination
    )


@each_contamination
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_very_few_rows(kernel, contamination, n):
    X, _ = blobs((3, 2))
    y = np.arange(n) % 2
    if contamination == 0.2 and n < 5:
        with pytest.raises(ValueError, match="too few rows to trim"):
            fitted(X[:n], y, kernel=kernel, contamination=contamination)
    else:
        fitted(X[:n], y, kernel=kernel, contamination=contamination)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_every_row_a_class_of_its_own(n):
    X, _ = blobs((3, 2))
    for kernel in ("linear", "rbf"):
        for contamination in (0, "auto"):
            fitted(X[:n], np.arange(n), kernel=kernel, contamination=contamination)


@each_kernel
@pytest.mark.parametrize("contamination", [0, 0.2])
@each_size
@pytest.mark.parametrize("size", [1e-300, 1e-100, 1e50])
def test_features_of_any_size(kernel, contamination, sizes, size):
    X, y, _, _ = flipped_blobs(sizes)
    fitted(size * X, y, kernel=kernel, contamination=contamination)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "laplacian"])
@each_size
def test_a_few_rows_beyond_all_bounds(kernel, sizes):
    X, y = blobs(sizes, distance=6.0)
    X[::10] = np.array([1e150, -1e150, 1e200, 1e300])[:, None]
    model = fitted(X, y, kernel=kernel, contamination=0.1, gamma=0.2)
    near = np.abs(X[:, 0]) < 1e3
    assert (model.predict(X[near]) == y[near]).mean() > 0.9


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@each_size
def test_all_rows_of_the_largest_size(kernel, sizes):
    X, y, _, _ = flipped_blobs(sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # squares overflow, the fit does not
        fitted(1e300 * X, y, kernel=kernel, contamination=0.2)


@pytest.mark.parametrize(("kernel", "alpha"), [("linear", 0), ("linear", 1e-8), ("rbf", 1e-8)])
@each_size
def test_separable_classes_without_a_ridge(kernel, alpha, sizes):
    X, y = blobs(sizes, distance=12.0)
    for contamination in (0, 0.1):
        model = fitted(X, y, kernel=kernel, alpha=alpha, contamination=contamination)
        assert (model.predict(X) == y).all()


@each_size
def test_largest_contamination(sizes):
    X, y = blobs(sizes)
    for kernel in ("linear", "rbf"):
        model = fitted(X, y, kernel=kernel, contamination=0.49, smoothing=None)
        assert model.inlier_mask_.sum() == 20


@each_size
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_more_columns_than_rows(sizes, form, rng):
    X = rng.normal(size=(40, 100)) * (rng.random((40, 100)) < 0.3)
    _, y = blobs(sizes)
    for kernel in ("linear", "rbf"):
        fitted(form(X), y, kernel=kernel, contamination=0.2)


def test_sparse_rows_without_an_entry():
    _, y = blobs((25, 15))
    for kernel in ("linear", "rbf"):
        fitted(sp.csr_matrix((40, 50)), y, kernel=kernel, contamination=0.2)


def test_widely_different_weights():
    X, y = blobs((25, 15))
    weights = np.random.default_rng(0).permutation(np.logspace(-6, 6, 40))
    for kernel in ("linear", "rbf"):
        fitted(X, y, sample_weight=weights, kernel=kernel, contamination=0)


def test_many_classes(rng):
    X = rng.normal(size=(120, 2))
    model = fitted(X, np.arange(120) % 20, contamination=0)
    assert model.predict_proba(X).shape == (120, 20)


@pytest.mark.parametrize("dtype", [np.float16, np.longdouble, int, bool])
def test_other_number_types(dtype):
    X, y = blobs((25, 15))
    assert fitted(X.astype(dtype), y, contamination=0.2).dual_coef_.dtype == np.float64


def test_pure_noise_is_fitted_all_the_same(rng):
    X = rng.normal(size=(100, 3))
    for n_classes in (2, 3):
        for contamination in (0.2, 0.4, "auto"):
            fitted(X, rng.integers(0, n_classes, 100), contamination=contamination)
