r"""Rows that were measured several times, some of them once only, and the noise seen from that.

Row i has :math:`m_i` measurements with the mean :math:`\bar x_i`, whose noise is :math:`\Sigma /
m_i`. The scatter about these means, pooled over all rows, estimates the covariance,

.. math:: \hat\Sigma = \frac{\sum_i \sum_k (x_{ik} - \bar x_i) (x_{ik} - \bar x_i)^T}
          {\sum_i (m_i - 1)},

which is then also that of the rows that were measured once. Every fold of the stream has an
estimate of its own (:mod:`.moments`), so that the standard errors by which a correction is selected
contain the uncertainty of the covariance.
"""

from __future__ import annotations

from typing import Any

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
    copy = check_copy(estimator, X_copy, X, gaps=True)
    assert copy is not None
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


def measurements(X: FloatArray, copies: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the deviations of all measurements of each row (k, n, d), and their numbers (n,).

    A measurement that does not exist has no deviation.
    """
    values = np.concatenate([X[None], copies])
    exists = ~np.isnan(values[:, :, 0])
    counts = exists.sum(axis=0).astype(float)
    mean = np.where(exists[..., None], values, 0.0).sum(axis=0) / counts[:, None]
    return np.where(exists[..., None], values - mean, 0.0), counts


def mean_of_copies(copies: FloatArray) -> FloatArray:
    """Return the mean of the copies of each row, NaN where there are none."""
    exists = ~np.isnan(copies[:, :, :1])
    counts = exists.sum(axis=0)
    total = np.where(exists, copies, 0.0).sum(axis=0)
    return np.where(counts > 0, total / np.maximum(counts, 1), np.nan)
