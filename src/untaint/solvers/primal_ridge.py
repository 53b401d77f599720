r"""Weighted ridge on explicit features: normal equations of p unknowns.

.. math:: (\Phi^T W \Phi + \alpha I)\, c = \Phi^T W (y - b), \qquad b = \bar y - \bar\phi^T c

with weighted means for the unpenalised intercept. This is the linear kernel when there are more
rows than columns, and the Nystroem approximation of any other.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .base import Fit, RidgeSystem
from .exact_ridge import solve_definite
from .gram import WeightedGram


@final
class PrimalRidge(RidgeSystem):
    """Ridge on features, whose Gram matrix follows the weights.

    Parameters
    ----------
    features : dense or CSR of shape (n, p)
        Centred if they can be: it changes nothing but rounding.
    fit_intercept : bool
    gram : WeightedGram, optional
        To share one with another user of the same features.

    Examples
    --------
    >>> import numpy as np
    >>> system = PrimalRidge(np.array([[-1.0], [1.0]]))
    >>> system.solve(np.array([[0.0], [4.0]]), np.ones(2), ridge=2.0).predictions.ravel()
    array([1., 3.])
    """

    def __init__(
        self, features: Any, fit_intercept: bool = True, gram: WeightedGram | None = None
    ) -> None:
        self.features = features
        self.fit_intercept = fit_intercept
        self.gram = gram if gram is not None else WeightedGram(features)

    def solve(
        self,
        y: FloatArray,
        weights: FloatArray,
        ridge: float,
        start: Fit | None = None,
        tol: float = 1e-8,
    ) -> Fit:
        """Minimiser for these weights; see :meth:`RidgeSystem.solve`."""
        G, s = self.gram.at(weights)
        total = float(weights.sum())
        targets = np.where(weights[:, None] > 0, y, 0.0)
        weighted = weights[:, None] * targets
        right = np.asarray(self.features.T @ weighted.astype(self.features.dtype), dtype=float)
        A = G.copy()
        if self.fit_intercept:
            mean = weighted.sum(axis=0) / total
            A -= np.outer(s / total, s)
            right -= np.outer(s, mean)
        coef = solve_definite(A, ridge, right)
        intercept = mean - s / total @ coef if self.fit_intercept else np.zeros(y.shape[1])
        predictions = self.features @ coef.astype(self.features.dtype) + intercept
        return Fit(coef, intercept, np.asarray(predictions), float(np.sum(coef * coef)))
