r"""Weighted ridge on explicit features: normal equations of p unknowns.

.. math:: (\Phi^T W \Phi + \alpha I)\, c = \Phi^T W (y - b), \qquad b = \bar y - \bar\phi^T c

with weighted means for the unpenalised intercept. This is the linear kernel when there are more
rows than columns, and the Nystroem approximation of any other.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem
from .gram import IncrementalGram
from .ridge_exact import solve_definite
from .woodbury import newton_inverse


@final
class PrimalRidge(RidgeSystem):
    """Ridge on features, whose Gram matrix follows the weights.

    Parameters
    ----------
    features : dense or CSR of shape (n, p)
        Centred if they can be: it changes nothing but rounding.
    fit_intercept : bool
    gram : IncrementalGram, optional
        To share one with another user of the same features.

    Examples
    --------
    >>> import numpy as np
    >>> system = PrimalRidge(np.array([[-1.0], [1.0]]))
    >>> system.solve(np.array([[0.0], [4.0]]), np.ones(2), alpha=2.0).predictions.ravel()
    array([1., 3.])
    """

    def __init__(
        self, features: Any, fit_intercept: bool = True, gram: IncrementalGram | None = None
    ) -> None:
        self.features = features
        self.fit_intercept = fit_intercept
        self.gram = gram if gram is not None else IncrementalGram(features)

    def solve(
        self,
        y: FloatArray,
        weights: FloatArray,
        alpha: float,
        start: Fit | None = None,
        tol: float = 1e-8,
    ) -> Fit:
        """Minimiser for these weights; see :meth:`RidgeSystem.solve`."""
        G, s = self.gram.at(weights)
        total = float(weights.sum())
        targets = np.where(weights[:, None] > 0, y, 0.0)
        weighted = weights[:, None] * targets
        right = self._rmatvec(weighted).astype(float)
        A = G.copy()
        if self.fit_intercept:
            mean = weighted.sum(axis=0) / total
            A -= np.outer(s / total, s)
            right -= np.outer(s, mean)
        coef = solve_definite(A, alpha, right)
        intercept = mean - s / total @ coef if self.fit_intercept else np.zeros(y.shape[1])
        predictions = self._columns(coef) + intercept
        return Fit(coef, intercept, predictions, float(np.sum(coef * coef)))

    def times(self, dual: FloatArray) -> FloatArray:
        """Phi Phi^T, without the matrix."""
        return np.asarray(self._columns(self._rmatvec(dual)), dtype=float)

    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """The inverse itself."""
        return newton_inverse(self.gram, hessian, n_outputs, alpha)

    def inner(self, a: Fit, b: Fit) -> float:
        """Of the coefficients."""
        return float(np.vdot(a.coef, b.coef))

    def from_dual(self, dual: FloatArray, smooth: FloatArray, intercept: FloatArray) -> Fit:
        """By the coefficients of the features."""
        coef = np.asarray(self._rmatvec(dual), dtype=float)
        return Fit(coef, intercept, smooth + intercept, float(np.vdot(coef, coef)), dual)

    def _rmatvec(self, dual: FloatArray) -> FloatArray:
        return np.asarray(self.features.T @ dual.astype(self.features.dtype))

    def _columns(self, coef: FloatArray) -> FloatArray:
        return np.asarray(self.features @ coef.astype(self.features.dtype))
