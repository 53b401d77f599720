r"""Robust Mahalanobis distances of rows, by the minimum covariance determinant (MCD).

.. math:: d_i = \sqrt{(x_i - \mu)^T \Sigma^{-1} (x_i - \mu)}

with location and covariance of the half of the rows whose covariance has the smallest determinant
(Rousseeuw and Van Driessen, *A fast algorithm for the minimum covariance determinant estimator*,
Technometrics 41, 1999). Of normal rows, 97.5 % are closer than the root of the chi-squared
quantile. With fewer than five rows for each feature, the covariance is taken as diagonal.
"""

import warnings
from typing import Any

import numpy as np
from scipy.special import chdtri
from sklearn.covariance import MinCovDet

from .._typing import FloatArray

# The covariance is estimated from so many rows at most.
MOST_ROWS = 2000
# Rows for each feature that a full covariance takes, and the most features it is estimated for.
ROWS_A_FEATURE, MOST_FEATURES = 5, 50
# Values are clipped to so many deviations, so that squares are finite.
FARTHEST = 1e6
MOST_CELLS = 20_000_000


def robust_distances(X: Any) -> tuple[FloatArray, float]:
    """Return the distance of each row, and the cutoff that 97.5 % of normal rows are below.

    Parameters
    ----------
    X : array, sparse matrix or data frame of shape (n, d)
        Numeric columns of a frame are used; missing values count as their column's median.

    Returns
    -------
    distances : array of shape (n,)
    cutoff : float
    """
    Z = _standardised(numbers(X))
    n, d = Z.shape
    cutoff = float(np.sqrt(chdtri(d, 0.025)))
    if d > MOST_FEATURES or n < ROWS_A_FEATURE * d or not Z.any():
        return np.sqrt(np.square(Z).sum(axis=1)), cutoff
    rng = np.random.default_rng(0)
    sample = Z if n <= MOST_ROWS else Z[rng.choice(n, MOST_ROWS, replace=False)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # covariances that are not of full rank
        fitted = MinCovDet(random_state=0).fit(sample)
    return np.sqrt(np.maximum(fitted.mahalanobis(Z), 0.0)), cutoff


def numbers(X: Any) -> FloatArray:
    """Return the numeric columns of X that hold any, with medians for missing values."""
    if hasattr(X, "select_dtypes"):
        X = X.select_dtypes("number").to_numpy(dtype=float, na_value=np.nan)
    elif hasattr(X, "get_columns"):  # a polars frame
        numeric = [c.to_numpy() for c in X.get_columns() if c.dtype.is_numeric()]
        X = np.column_stack(numeric) if numeric else np.empty((X.shape[0], 0))
    cells = int(np.prod(np.shape(X)))
    if hasattr(X, "toarray") and cells <= MOST_CELLS:
        X = X.toarray()
    try:
        array = np.asarray(X, dtype=float)
    except (TypeError, ValueError):
        array = np.empty(0)
    if array.ndim == 2:
        array = array[:, ~np.isnan(array).all(axis=0)]
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(
            "X should be rows with at least one numeric column, "
            f"of at most {MOST_CELLS:,} cells if sparse."
        )
    missing = np.isnan(array)
    return np.where(missing, np.nanmedian(array, axis=0), array) if missing.any() else array


def _standardised(X: FloatArray) -> FloatArray:
    """Return columns less their medians, over robust deviations."""
    centred = X - np.median(X, axis=0)
    scale = 1.4826 * np.median(abs(centred), axis=0)
    mean = abs(centred).mean(axis=0)
    scale = np.where(scale > 0, scale, np.where(mean > 0, mean, 1.0))
    return np.clip(centred / scale, -FARTHEST, FARTHEST)
