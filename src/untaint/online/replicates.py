r"""Rows that were measured several times, some of them once only, and the noise seen from that.

Row i has :math:`m_i` measurements with the mean :math:`\bar x_i`, whose noise is :math:`\Sigma /
m_i`. The scatter about these means, pooled over all rows, estimates the covariance,

.. math:: \hat\Sigma = \frac{\sum_i \sum_k (x_{ik} - \bar x_i) (x_{ik} - \bar x_i)^T}
          {\sum_i (m_i - 1)},

which is then also that of the rows that were measured once. Every fold of the stream has an
estimate of its own (:mod:`.moments`), so that the standard errors by which a correction is selected
contain the uncertainty of the covariance.

If the true features of some rows are known, they take the place of the mean, without noise, and the
deviations from them enter the sums with as many degrees of freedom as there are measurements. If
the covariance is known up to a factor, the factor is :math:`\mathrm{tr}(\Sigma_0^+ \hat\Sigma) /
\mathrm{rank}\,\Sigma_0`.
"""

from typing import Any, NamedTuple

import numpy as np

from .._typing import FloatArray
from .._validation import check_copy
from .scaling import Scaling, scale_copy


def check_copies(
    estimator: Any,
    X_copy: Any,
    X: FloatArray,
    scaling: Scaling | None,
    *,
    gaps: bool,
    allow_equal: bool = False,
) -> FloatArray | None:
    """Return the copies of X as None, one array (n, d), or several (k, n, d).

    Where a row has no such copy, all of its entries are NaN, and several copies are returned.
    """
    if X_copy is None:
        return None
    several = isinstance(X_copy, (list, tuple)) and len(X_copy) > 0 and np.ndim(X_copy[0]) == 2
    if several and gaps:
        raise ValueError('X_copy must be one array with missing="random", got a list.')
    copies = [
        _check_one(estimator, scale_copy(copy, scaling), X, gaps)
        for copy in (X_copy if several else [X_copy])
    ]
    if not allow_equal and len(X) > 1 and any(_are_equal(X, copy) for copy in copies):
        raise ValueError(
            "X_copy must be a second measurement with noise of its own, got the rows of X again."
        )
    if several or (not gaps and np.isnan(copies[0]).any()):
        return np.stack(copies)
    return copies[0]


def _check_one(estimator: Any, X_copy: Any, X: FloatArray, gaps: bool) -> FloatArray:
    copy = check_copy(estimator, X_copy, X)
    missing = np.isnan(copy)
    if not gaps and (missing.any(axis=1) != missing.all(axis=1)).any():
        raise ValueError(
            "X_copy must hold finite numbers, or NaN in the whole row where a row has no such "
            "copy, got rows of which a part is NaN."
        )
    return copy


def _are_equal(X: FloatArray, copy: FloatArray) -> bool:
    """Return whether all rows that have a copy equal it, and there is more than one of them."""
    measured = ~np.isnan(copy).all(axis=1)
    return int(measured.sum()) > 1 and np.array_equal(copy[measured], X[measured], equal_nan=True)


class Measurements(NamedTuple):
    """Measurements are what several copies, and known true features, say about rows."""

    mean: FloatArray  # (n, d), the true features where they are known
    deviations: FloatArray  # (n, k, d), zero where there is no such measurement
    freedom: FloatArray  # (n,), degrees of freedom of the deviations
    per_copy: FloatArray  # (n,), the noise of the mean over that of one copy


def measurements(X: FloatArray, copies: FloatArray, X_true: FloatArray | None) -> Measurements:
    """Return the means of all measurements of each row, and their deviations from these."""
    values = np.concatenate([X[None], copies])
    exists = ~np.isnan(values[:, :, 0])
    counts = exists.sum(axis=0).astype(float)
    mean = np.where(exists[..., None], values, 0.0).sum(axis=0) / counts[:, None]
    freedom, per_copy = counts - 1.0, 1.0 / counts
    if X_true is not None:
        known = ~np.isnan(X_true[:, 0])
        mean = np.where(known[:, None], X_true, mean)
        freedom, per_copy = freedom + known, np.where(known, 0.0, per_copy)
    deviations = np.where(exists[..., None], values - mean, 0.0)
    return Measurements(mean, np.ascontiguousarray(deviations.swapaxes(0, 1)), freedom, per_copy)


def estimate_covariance(
    scatter: FloatArray, freedom: FloatArray, shape: FloatArray | None
) -> FloatArray:
    """Return the covariances (..., d, d) that pooled scatter estimates, zero without any."""
    cov = scatter / np.maximum(freedom, np.finfo(float).tiny)[..., None, None]
    if shape is None:
        return cov
    inverse = np.linalg.pinv(shape, hermitian=True)
    rank = max(1, round(float(np.trace(inverse @ shape))))
    factor = np.einsum("ij,...ji->...", inverse, cov) / rank
    return factor[..., None, None] * shape


def check_true_features(estimator: Any, X_true: Any, X: FloatArray) -> FloatArray | None:
    """Return the true features of some rows, NaN in the other rows, or None."""
    if X_true is None:
        return None
    try:
        return _check_one(estimator, X_true, X, False)
    except ValueError as error:
        raise ValueError(str(error).replace("X_copy", "X_true")) from None


def mean_of_copies(copies: FloatArray) -> FloatArray:
    """Return the mean of the copies of each row, NaN where there are none."""
    exists = ~np.isnan(copies[:, :, :1])
    counts = exists.sum(axis=0)
    total = np.where(exists, copies, 0.0).sum(axis=0)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)
