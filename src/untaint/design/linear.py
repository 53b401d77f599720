r"""The design of the linear kernel: the columns of X, and normal equations.

.. math:: (\Phi^T W \Phi + \alpha I)\, c = \Phi^T W y, \qquad \Phi = X - 1 m^T,

with W the diagonal matrix of the sample weights and m the coordinate-wise median of X where an
intercept absorbs it, which keeps the sums of squares accurate.
"""

from functools import cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from .._typing import FloatArray
from .._validation import in_double
from ..optim.base import Fit, RidgeSystem
from ..optim.low_rank import nystroem_features
from ..optim.ridge_primal import PrimalRidge
from ..screening.radius import centre
from .base import SystemDesign, measured_from


@final
class LinearDesign(SystemDesign):
    """The design of the linear kernel, whose features are the columns of X."""

    @cached_property
    def centre(self) -> FloatArray:
        """The centre that is subtracted from dense rows if an intercept is fitted, else zero."""
        X = self.X
        return centre(X, self.sample_weight) if self.fit_intercept else np.zeros(X.shape[1])

    @cached_property
    def features(self) -> Any:
        """The centred columns; sparse columns are not centred."""
        return measured_from(self.centre, in_double(self.X))

    def dense_features(self, count: int) -> FloatArray:
        """Return the columns if there are at most ``count``, else Nystroem features."""
        if self.X.shape[1] <= count:
            dense = self.features.toarray() if sparse.issparse(self.features) else self.features
            return np.asarray(dense, dtype=float)
        landmarks = self.representatives(count).rows
        columns = self.features[landmarks] @ self.features.T
        if sparse.issparse(columns):
            columns = columns.toarray()
        return nystroem_features(np.asarray(columns), landmarks)

    def system(self) -> RidgeSystem:
        """Return the system of the normal equations."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """Return the system of the normal equations, for any number of outputs."""
        return [self.system()]

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Return the coefficients of the uncentred columns, and their intercept."""
        return fit.coef, fit.intercept - self.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the dual coefficients of the fit, w (y - f) / alpha for the squared loss.

        Under a norm constraint alpha is the ridge parameter that is equivalent to it.
        """
        if fit.dual is not None:
            return fit.dual
        slopes = weights[:, None] * np.where(weights[:, None] > 0, y - fit.predictions, 0.0)
        projection = np.asarray(self.features.T @ slopes)
        alpha = float(np.sum(projection * fit.coef)) / max(fit.squared_norm, np.finfo(float).tiny)
        G, total = self.gram.at(weights), np.asarray(self.features.T @ weights)
        length = np.linalg.norm(projection)
        clear = length > 1e-9 * np.sqrt(np.trace(G)) * np.linalg.norm(slopes)
        # Residuals that are rounding errors have no meaningful direction.
        if clear and np.linalg.norm(projection - alpha * fit.coef) <= 1e-6 * length:
            return slopes / alpha
        # With alpha = 0 any combination of the kept samples that gives the coefficients is valid.
        mean = total / weights.sum() if self.fit_intercept else np.zeros(len(total))
        inner = np.linalg.lstsq(G - np.outer(mean, total), fit.coef, rcond=None)[0]
        return weights[:, None] * (np.asarray(self.features @ inner) - mean @ inner)
