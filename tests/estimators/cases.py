"""Problems and comparisons that the tests of the batch estimators share."""

import numpy as np

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
