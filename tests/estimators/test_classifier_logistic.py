"""Without trimming, this is kernel logistic regression."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import pairwise_kernels

from estimators.cases import assert_close, blobs, flipped_blobs, naive_logistic
from untaint import SubquantileClassifier

SIZES = [(60, 40), (50, 40, 30), (30, 30, 20, 20)]
each_size = pytest.mark.parametrize("sizes", SIZES, ids=len)
each_intercept = pytest.mark.parametrize("fit_intercept", [True, False])


def logistic(alpha, **params):
    """scikit-learn's, solved well."""
    return LogisticRegression(C=1 / (2 * alpha), tol=1e-10, max_iter=100_000, **params)


def assert_equals_sklearn(X, y, weights, alpha, **params):
    model = SubquantileClassifier(contamination=0, kernel="linear", alpha=alpha, **params)
    model.fit(X, y, sample_weight=weights)
    expected = logistic(alpha, **params).fit(X, y, sample_weight=weights)
    assert_close(model.predict_proba(X), expected.predict_proba(X), 1e-5)
    assert_close(model.coef_, expected.coef_, 1e-4, np.abs(expected.coef_).max())
    assert model.coef_.shape == expected.coef_.shape
    assert model.intercept_.shape == expected.intercept_.shape
    assert_close(
        model.decision_function(X),
        expected.decision_function(X),
        1e-4,
        np.abs(expected.decision_function(X)).max(),
    )


@each_size
@each_intercept
@pytest.mark.parametrize("alpha", [1e-3, 0.1, 1.0, 30.0])
def test_linear_kernel_equals_sklearn(sizes, fit_intercept, alpha):
    X, y = blobs(sizes, distance=2.0, n_features=3)
    assert_equals_sklearn(X, y, None, alpha, fit_intercept=fit_intercept)


@each_size
@each_intercept
@pytest.mark.parametrize("class_weight", [None, {0: 3.0, 1: 0.5}, "balanced"], ids=str)
def test_linear_kernel_equals_sklearn_with_weights(sizes, fit_intercept, class_weight, rng):
    X, y = blobs(sizes, distance=2.0, n_features=3)
    weights = rng.uniform(0.0, 2.0, len(y))
    options = {"fit_intercept": fit_intercept, "class_weight": class_weight}
    assert_equals_sklearn(X, y, weights, 0.5, **options)
    assert_equals_sklearn(X, y, None, 0.5, **options)


def test_more_columns_than_rows_equal_sklearn(rng):
    X = rng.normal(size=(40, 90))
    for y in (X[:, 0] > 0, np.digitize(X[:, 0], [-0.5, 0.5])):
        assert_equals_sklearn(X, y, None, 1.0)


@pytest.mark.parametrize("sizes", SIZES[:2], ids=len)
@each_intercept
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_kernels_equal_a_general_minimiser(sizes, fit_intercept, kernel, rng):
    X, y, _, _ = flipped_blobs(tuple(size // 2 for size in sizes))
    weights = rng.uniform(0.5, 2.0, len(y))
    K = pairwise_kernels(X, metric=kernel, gamma=0.3)
    model = SubquantileClassifier(
        contamination=0, kernel=kernel, gamma=0.3, alpha=0.2, fit_intercept=fit_intercept
    ).fit(X, y, sample_weight=weights)
    expected = naive_logistic(K, y, 0.2, weights, fit_intercept)
    assert_close(model.predict_proba(X), expected, 1e-4)


@pytest.mark.parametrize("smoothing", ["auto", None, 0.5])
def test_smoothing_is_immaterial_without_trimming(smoothing):
    X, y, _, _ = flipped_blobs((30, 25, 20))
    plain = SubquantileClassifier(contamination=0).fit(X, y)
    smooth = SubquantileClassifier(contamination=0, smoothing=smoothing).fit(X, y)
    np.testing.assert_array_equal(smooth.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_huge_ridge_gives_the_frequencies(kernel):
    for sizes in ((60, 20), (40, 30, 10)):
        X, y = blobs(sizes)
        model = SubquantileClassifier(contamination=0, kernel=kernel, alpha=1e12).fit(X, y)
        expected = np.tile(np.array(sizes) / len(y), (len(y), 1))
        assert_close(model.predict_proba(X), expected, 1e-6)
