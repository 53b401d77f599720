"""Rows, and what it means that a fit to chunks is the fit in memory."""

from functools import cache

import dask.array as da
import numpy as np

import untaint
from untaint import distributed

# More than come to the client while few are taken for many.
N = 6000
LINEAR = {"kernel": "linear", "contamination": 0.15, "random_state": 0}
NYSTROEM = {
    "approximation": "nystroem",
    "n_components": 20,
    "gamma": 0.2,
    "contamination": 0.15,
    "random_state": 0,
}
# What has a value for each row of a fit in memory, and none for rows in chunks.
FUNCTION = ("coef_", "intercept_", "feature_coef_", "kernel_", "n_iter_", "converged_")
NUMBERS = (
    "loss_threshold_",
    "contamination_",
    "contamination_interval_",
    "class_thresholds_",
    "class_contamination_",
    "objective_path_",
)


@cache
def rows():
    """Rows, and targets of which some 15 % are moved."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3))
    y = np.sin(X[:, 0]) + X @ [1.0, -2.0, 0.5] + 0.5 * rng.normal(size=N)
    y[rng.random(N) < 0.15] += 4.0
    return X, y


@cache
def labelled(k=2):
    """Round classes, and labels of which some 10 % are wrong."""
    rng = np.random.default_rng(k)
    truth = rng.integers(0, k, N)
    angles = 2 * np.pi * np.arange(k) / k
    X = 2.0 * np.column_stack([np.cos(angles), np.sin(angles)])[truth] + rng.normal(size=(N, 2))
    return X, np.where(rng.random(N) < 0.1, (truth + 1) % k, truth)


def chunked(values, size=1750):
    """The same as a Dask array; size may list those of all chunks."""
    values = np.asarray(values)
    return da.from_array(values, chunks=(size, *values.shape[1:]))


def unsized(array):
    """The same in chunks of unknown size."""
    return array[da.ones(array.shape[0], chunks=array.chunks[0], dtype=bool)]


def pair(kind, params, X, y, weights=None, size=1750, **options):
    """The fit in memory and the fit to chunks."""
    here = getattr(untaint, kind)(**params).fit(X, y, weights)
    given = None if weights is None else chunked(weights, size)
    there = getattr(distributed, kind)(**params)
    return here, there.fit(chunked(X, size), chunked(y, size), given, **options)


def assert_same_function(there, here, rtol=0.0):
    """Assert equal functions, to the last bit by default."""
    for name in FUNCTION:
        assert hasattr(there, name) == hasattr(here, name), name
        if name != "kernel_" and hasattr(here, name):
            one, other = getattr(there, name), getattr(here, name)
            np.testing.assert_allclose(one, other, rtol=rtol, atol=0.0, err_msg=name)
            assert np.asarray(one).dtype == np.asarray(other).dtype, name
    assert repr(there.kernel_) == repr(here.kernel_)
    if hasattr(here, "dual_coef_") and not hasattr(here, "coef_"):
        np.testing.assert_allclose(there.dual_coef_, here.dual_coef_, rtol=rtol, atol=0.0)
        np.testing.assert_array_equal(there.X_fit_, here.X_fit_)


def assert_same(there, here, *, rtol=0.0, tol=1e-9, score_tol=None, without=()):
    """The same function, rows kept, scores and thresholds."""
    assert_same_function(there, here, rtol)
    if score_tol is None:  # features of single precision are rounded by blocks
        score_tol = 1e-9 if hasattr(here, "coef_") else 1e-4
    for name in NUMBERS:
        if hasattr(here, name) and name not in without:
            one, other = getattr(there, name), getattr(here, name)
            np.testing.assert_allclose(one, other, rtol=tol, atol=1e-15, err_msg=name)
    kept, scores = da.compute(there.inlier_mask_, there.outlier_scores_)
    np.testing.assert_array_equal(kept, here.inlier_mask_)
    np.testing.assert_allclose(scores, here.outlier_scores_, rtol=score_tol, atol=score_tol)
