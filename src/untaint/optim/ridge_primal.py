r"""Weighted ridge on explicit features: normal equations of p unknowns.

.. math:: (\Phi^T W \Phi + \alpha I)\, c = \Phi^T W (y - b), \qquad b = \bar y - \bar\phi^T c

with weighted means for the unpenalised intercept. It serves the linear kernel with more rows than
columns, and the Nystroem approximation of any other kernel.
"""

from typing import Any, final

import numpy as np
from scipy.linalg import LinAlgError, cho_solve

from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem
from .definite import definite_factor, least_norm
from .gram import IncrementalGram
from .mixed_precision import product
from .woodbury import newton_inverse


@final
class PrimalRidge(RidgeSystem):
    """Ridge regression on features (n, p), dense or CSR; centred ones round less."""

    def __init__(
        self, features: Any, fit_intercept: bool = True, gram: IncrementalGram | None = None
    ) -> None:
        self.features, self.fit_intercept = features, fit_intercept
        self.gram = gram if gram is not None else IncrementalGram(features)

    def _solve(
        self, y: FloatArray, weights: FloatArray, alpha: float, start: Fit | None, tol: float
    ) -> Fit:
        A, total = self.gram.at(weights).copy(), float(weights.sum())
        weighted = weights[:, None] * np.where(weights[:, None] > 0, y, 0.0)
        right, s = product(self.features.T, weighted), product(self.features.T, weights)
        if self.fit_intercept:
            mean = weighted.sum(axis=0) / total
            A -= np.outer(s / total, s)
            right -= np.outer(s, mean)
        A.flat[:: len(A) + 1] += alpha
        try:
            coef = cho_solve(definite_factor(A), right, check_finite=False)
        except LinAlgError:
            coef = least_norm(A, right)
        intercept = mean - s / total @ coef if self.fit_intercept else np.zeros(y.shape[1])
        predictions = product(self.features, coef) + intercept
        return Fit(coef, intercept, predictions, float(np.sum(coef * coef)))

    def times(self, dual: FloatArray) -> FloatArray:
        """Return Phi Phi^T times dual coefficients, without the matrix."""
        return product(self.features, product(self.features.T, dual))

    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """Return the exact inverse."""
        return newton_inverse(self.features, hessian, n_outputs, alpha)

    def inner(self, a: Fit, b: Fit) -> float:
        """Return the inner product of the coefficients."""
        return float(np.vdot(a.coef, b.coef))

    def from_dual(self, dual: FloatArray, smooth: FloatArray, intercept: FloatArray) -> Fit:
        """Return the fit with the coefficients of the features."""
        coef = product(self.features.T, dual)
        return Fit(coef, intercept, smooth + intercept, float(np.vdot(coef, coef)), dual)
