r"""Weighted kernel ridge by one Cholesky factorisation.

With D = diag(sqrt(w)) the dual coefficients are a = D u, where

.. math:: (D K D + \alpha I) u = D (y - b), \qquad d^T u = 0, \quad d = \sqrt w,

where the last equation belongs to the unpenalised intercept b. Rows of weight zero drop out.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem, by_output
from .definite import definite_factor, least_norm, scaled_matrix


@final
@dataclass(eq=False)
class ExactRidge(RidgeSystem):
    """Kernel ridge regression in the dual, solved to rounding."""

    K: FloatArray
    fit_intercept: bool = True

    def _solve(
        self, y: FloatArray, weights: FloatArray, alpha: float, start: Fit | None, tol: float
    ) -> Fit:
        rows = np.flatnonzero(weights > 0)
        d = np.sqrt(weights[rows]).astype(self.K.dtype)
        A = scaled_matrix(self.K, rows, d, alpha)
        right = d[:, None] * y[rows]
        try:
            factor = definite_factor(A)
            both = cho_solve(factor, np.column_stack([right, d]), check_finite=False)
            u, v = both[:, :-1], both[:, -1:]
            if self.fit_intercept:
                u = u - v * ((d @ u) / (d @ v))
        except LinAlgError:
            u = self._least_norm(A, right, d)
        coef = np.zeros(y.shape, dtype=u.dtype)
        coef[rows] = d[:, None] * u
        return self.with_intercept(coef, self.K @ coef, y, weights)

    def times(self, dual: FloatArray) -> FloatArray:
        """Return K times dual coefficients, in double precision."""
        return np.asarray(self.K @ dual.astype(self.K.dtype), dtype=float)

    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """Return the exact inverse for one output, that of each output alone for several."""
        entries = [hessian.entry(j, j) for j in range(n_outputs)]
        return by_output([self._newton_inverse(weights, alpha) for weights in entries])

    def _newton_inverse(self, weights: FloatArray, alpha: float) -> Precondition:
        """Apply (W K + alpha I)^{-1} = (I - D (D K D + alpha I)^{-1} D K) / alpha, D^2 = W."""
        d = np.sqrt(weights).astype(self.K.dtype)
        try:
            factor = definite_factor(scaled_matrix(self.K, np.arange(len(d)), d, alpha))
        except LinAlgError:
            return lambda v: v / alpha

        def apply(v: FloatArray) -> FloatArray:
            solved = cho_solve(factor, d[:, None] * self.times(v), check_finite=False)
            return (v - d[:, None] * solved) / alpha

        return apply

    def _least_norm(self, A: FloatArray, right: FloatArray, d: FloatArray) -> FloatArray:
        """Return the minimiser of least norm, orthogonal to d if there is an intercept."""
        if self.fit_intercept:
            unit = d / np.linalg.norm(d)
            right = right - np.outer(unit, unit @ right)
            A = A - np.outer(unit, unit @ A)
            A = A - np.outer(A @ unit, unit)
        return least_norm(A, right)
