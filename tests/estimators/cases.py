"""Problems and comparisons that the tests of the batch estimators share."""

import numpy as np
import pytest
from sklearn.base import clone

from untaint.datasets import contaminate, make_smooth


def smooth(n, n_features=4, seed=0):
    """Rows of a smooth surface with a deviation of about one."""
    return make_smooth(n, n_features=n_features, random_state=seed)


def corrupted(n, *, share=0.2, kind="label", n_features=4, seed=0):
    """The same rows, a share of them corrupted, and the mask of those."""
    X, y = smooth(n, n_features, seed)
    return contaminate(X, y, epsilon=share, kind=kind, random_state=seed)


def grossly_corrupted(n, *, share=0.2, n_features=4, seed=0):
    """Rows of which a share is so wrong that every sensible fit gives up the same ones."""
    X, y = smooth(n, n_features, seed)
    rng = np.random.default_rng(seed)
    bad = np.zeros(n, dtype=bool)
    bad[rng.choice(n, round(share * n), replace=False)] = True
    y[bad] += rng.choice([-1.0, 1.0], bad.sum()) * rng.uniform(20.0, 30.0, bad.sum())
    return X, y, bad


def rmse(model, X, y):
    return float(np.sqrt(np.mean(np.square(model.predict(X) - y))))


def assert_close(actual, expected, tol, scale=1.0):
    """Largest difference at most ``tol`` in units of ``scale``."""
    np.testing.assert_allclose(actual, expected, rtol=0, atol=tol * scale)


def assert_same_fit(one, other, X, *, tol=1e-8):
    """Two fits to the same rows keep the same ones and predict alike."""
    np.testing.assert_array_equal(one.inlier_mask_, other.inlier_mask_)
    expected = other.predict(X)
    assert_close(one.predict(X), expected, tol, max(1.0, float(np.abs(expected).max())))


def assert_weights_are_copies(model, X, y, weights):
    """Fit once with weights and once with the rows repeated as often."""
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = clone(model).fit(X, y, sample_weight=weights)
    repeated = clone(model).fit(X[rows], y[rows])
    assert weighted.contamination_ == pytest.approx(repeated.contamination_)
    np.testing.assert_array_equal(weighted.inlier_mask_[rows], repeated.inlier_mask_)
    scale = max(1.0, np.abs(y[weighted.inlier_mask_]).max())
    assert_close(weighted.predict(X), repeated.predict(X), 1e-7, scale)
    assert_close(weighted.outlier_scores_[rows], repeated.outlier_scores_, 1e-6, 100)
    assert weighted.loss_threshold_ == pytest.approx(repeated.loss_threshold_, rel=1e-5)
    np.testing.assert_allclose(
        weighted.objective_path_[-1], repeated.objective_path_[-1], rtol=1e-7
    )
