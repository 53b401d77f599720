r"""Weighted kernel ridge by one Cholesky factorisation.

With D = diag(sqrt(w)) the dual coefficients are a = D u, where

.. math:: (D K D + \alpha I) u = D (y - b), \qquad d^T u = 0, \quad d = \sqrt w,

the last equation being the one that an unpenalised intercept b adds. Rows of weight zero drop out.
"""

from __future__ import annotations

from typing import final

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh

from .._typing import FloatArray
from .base import Fit, RidgeSystem


@final
class ExactRidge(RidgeSystem):
    """Dual ridge on a kernel matrix, solved to rounding.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric, positive semi-definite.
    fit_intercept : bool

    Examples
    --------
    >>> import numpy as np
    >>> system = ExactRidge(np.eye(2), fit_intercept=False)
    >>> system.solve(np.array([[2.0], [4.0]]), np.ones(2), ridge=1.0).predictions.ravel()
    array([1., 2.])
    """

    def __init__(self, K: FloatArray, fit_intercept: bool = True) -> None:
        self.K = K
        self.fit_intercept = fit_intercept

    def solve(
        self,
        y: FloatArray,
        weights: FloatArray,
        ridge: float,
        start: Fit | None = None,
        tol: float = 1e-8,
    ) -> Fit:
        """Minimiser for these weights; see :meth:`RidgeSystem.solve`."""
        rows = np.flatnonzero(weights > 0)
        d = np.sqrt(weights[rows]).astype(self.K.dtype)
        A = symmetric_part(self.K, rows, d)
        solutions = solve_definite(A, ridge, np.column_stack([d[:, None] * y[rows], d]))
        u, v = solutions[:, :-1], solutions[:, -1:]
        intercept = np.zeros(y.shape[1], dtype=u.dtype)
        if self.fit_intercept:
            intercept = (d @ u) / (d @ v)
            u = u - v * intercept
        coef = np.zeros(y.shape, dtype=u.dtype)
        coef[rows] = d[:, None] * u
        smooth = self.K @ coef
        squared_norm = max(0.0, float(np.einsum("ij,ij->", coef, smooth)))
        return Fit(coef, intercept, smooth + intercept, squared_norm)


def symmetric_part(K: FloatArray, rows: np.ndarray, d: FloatArray) -> FloatArray:
    """D K D restricted to some rows, a fresh array."""
    A: FloatArray = K.copy() if len(rows) == len(K) else K[np.ix_(rows, rows)]
    if not (d == 1).all():
        A *= d
        A *= d[:, None]
    return A


def solve_definite(A: FloatArray, ridge: float, right: FloatArray) -> FloatArray:
    """Solve (A + ridge I) x = right, overwriting A; least norm when that is singular."""
    n = len(A)
    A.flat[:: n + 1] += ridge
    try:
        factor = cho_factor(A, lower=True, check_finite=False)
        return cho_solve(factor, right, check_finite=False)
    except LinAlgError:
        # Repeated rows without a ridge, or a matrix that rounding has made indefinite.
        values, vectors = eigh(A, check_finite=False)
        limits = np.finfo(A.dtype)
        floor = n * float(limits.eps) * max(float(np.abs(values).max()), float(limits.tiny))
        inverse = np.where(values > floor, 1.0 / np.where(values > floor, values, 1.0), 0.0)
        return vectors @ (inverse[:, None].astype(A.dtype) * (vectors.T @ right))
