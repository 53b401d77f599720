r"""Weighted ridge regression on features, for every alpha from one eigendecomposition.

With the features centred by the weights (the effect of an unpenalised intercept) and
:math:`\Phi^T W \Phi = V \Lambda V^T`, :math:`Z = \Phi V`,

.. math:: f = b + Z (\Lambda + \alpha)^{-1} Z^T W (y - b), \qquad
          q_i = 1 / \textstyle\sum w + \sum_j z_{ij}^2 / (\lambda_j + \alpha).

The variances q give leave-one-out residuals in closed form (:mod:`.leave_one_out`).
"""

from abc import ABC, abstractmethod
from functools import cached_property, reduce
from typing import Any, final

import numpy as np

from .._typing import FloatArray, IntArray
from .gram import by_blocks
from .leave_one_out import deletion_residuals

# Largest predictive variance by which a residual is standardised, in units of the noise.
MAX_PREDICTIVE_VARIANCE = 1.0
# Largest leverage of a row in its own prediction.
MAX_LEVERAGE = 1.0 - 1e-12


class LooRidge(ABC):
    """Leave-one-out residuals of ridge fits to features with given weights."""

    def __init__(self, weights: FloatArray, fit_intercept: bool) -> None:
        self.weights, self.fit_intercept = weights, fit_intercept
        self.total = float(weights.sum())

    @cached_property
    def inside(self) -> slice | IntArray:
        """The rows of positive weight: others may have values of any size."""
        return rows_inside(self.weights)

    def intercept(self, y: FloatArray) -> FloatArray:
        """Return the intercepts, (k,), of targets: their means, or zero."""
        if not self.fit_intercept:
            return np.zeros(y.shape[1])
        return self.weights[self.inside] @ y[self.inside] / self.total

    @abstractmethod
    def fitted(self, weighted: FloatArray, alpha: float) -> FloatArray:
        """Return fitted values less the intercept, for weighted targets."""

    @abstractmethod
    def variances(self, alpha: float) -> FloatArray:
        """Return the variance of each fitted value less the intercept's."""

    def leave_one_out(
        self, y: FloatArray, alpha: float, sample_weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the residual (n, k) of each row under the fit to all others, and its variance.

        The variances (n,) are in units of the noise. For copies see :func:`.deletion_residuals`.
        """
        w, inside = self.weights, self.inside
        base, weighted = self.intercept(y), np.zeros(y.shape)
        weighted[inside] = w[inside, None] * (y[inside] - base)
        residuals = y - base - self.fitted(weighted, alpha)
        variances = self.variances(alpha)
        if self.fit_intercept:
            variances += 1.0 / self.total
        return deletion_residuals(residuals, w, sample_weight, variances, MAX_LEVERAGE)

    def standardized(
        self, y: FloatArray, alpha: float, sample_weight: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return standardized leave-one-out residuals, and their standard deviations.

        A deviation is in units of the noise and at least one. The bound on the predictive
        variance keeps an isolated row from explaining any residual by its own isolation.
        """
        residuals, variances = self.leave_one_out(y, alpha, sample_weight)
        deviations = np.sqrt(1.0 + np.minimum(variances, MAX_PREDICTIVE_VARIANCE))
        return residuals / deviations[:, None], deviations

    def mean_square(self, y: FloatArray, alpha: float, sample_weight: FloatArray) -> float:
        """Return the weighted mean of the squared leave-one-out residuals."""
        residuals, _ = self.leave_one_out(y, alpha, sample_weight)
        return self._mean(residuals[self.inside])

    def mean_squares(
        self, y: FloatArray, alphas: FloatArray, sample_weight: FloatArray
    ) -> FloatArray:
        """Return such means at each alpha."""
        return np.array([self.mean_square(y, alpha, sample_weight) for alpha in alphas])

    def _mean(self, residuals: FloatArray) -> float:
        """Return the weighted mean of the squares of rows inside."""
        squares = np.einsum("ij,ij->i", residuals, residuals)
        return float(self.weights[self.inside] @ squares) / self.total


@final
class RidgePath(LooRidge):
    """Leave-one-out residuals of fits to features (n, m), for given weights and any alpha."""

    def __init__(self, features: Any, weights: FloatArray, fit_intercept: bool = True) -> None:
        super().__init__(weights, fit_intercept)
        features = np.asarray(features, dtype=float)
        centred = features - weighted_mean(features, weights, fit_intercept)
        gram = weighted_gram(centred, weights)
        # NumPy's decomposition, unlike SciPy's, lets other threads run.
        values, vectors = np.linalg.eigh(gram)
        # All directions: rows of weight zero have variance in those that others lack.
        self.values = np.maximum(values, 0.0)
        self.rotated = centred @ vectors
        self._squares = self.rotated**2

    def fitted(self, weighted: FloatArray, alpha: float) -> FloatArray:
        """Return fitted values less the intercept, for weighted targets."""
        projection = weighted_sums(self.rotated, weighted, self.weights)
        return self.rotated @ (projection / (self.values + alpha)[:, None])

    def mean_squares(
        self, y: FloatArray, alphas: FloatArray, sample_weight: FloatArray
    ) -> FloatArray:
        """Return the weighted means of squared leave-one-out residuals at each alpha.

        All alphas share two products of matrices.
        """
        inside, base = self.inside, self.intercept(y)
        w, copies, centred = self.weights[inside], sample_weight[inside], y[inside] - base
        shrunk = 1.0 / (self.values[:, None] + alphas)
        rotated = self.rotated[inside]
        projection = rotated.T @ (w[:, None] * centred)
        fitted = rotated @ (projection[:, :, None] * shrunk[:, None, :]).reshape(len(shrunk), -1)
        fitted = fitted.reshape(*centred.shape, len(alphas))
        variances = self._squares[inside] @ shrunk
        if self.fit_intercept:
            variances += 1.0 / self.total
        # As in deletion_residuals, for all alphas at a time.
        copy = (w / np.maximum(copies, 1.0))[:, None]
        others = 1.0 - np.minimum(copy * variances, MAX_LEVERAGE)
        residuals = (centred[:, :, None] - fitted) / others[:, None, :]
        return w @ np.einsum("ika,ika->ia", residuals, residuals) / self.total

    def variances(self, alpha: float) -> FloatArray:
        """Return the variance of each fitted value less the intercept's."""
        return self._squares @ (1.0 / (self.values + alpha))


def weighted_sums(features: FloatArray, weighted: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the sums of the rows times (n, k) numbers, over rows of positive weight."""

    def sums_of(rows: slice) -> FloatArray:
        inside = rows_inside(weights[rows])
        return features[rows][inside].T @ weighted[rows][inside]

    return reduce(np.add, by_blocks(sums_of, *features.shape))


def weighted_mean(features: FloatArray, weights: FloatArray, fit_intercept: bool) -> FloatArray:
    """Return the mean of the features, or zero without an intercept, which takes it up."""
    if not fit_intercept:
        return np.zeros(features.shape[1])
    return weighted_sums(features, weights[:, None], weights)[:, 0] / float(weights.sum())


def weighted_gram(
    features: FloatArray, weights: FloatArray, mean: FloatArray | None = None
) -> FloatArray:
    """Return the weighted sum of the outer products of the rows, less their mean if it is given."""

    def gram_of(rows: slice) -> FloatArray:
        inside = rows_inside(weights[rows])
        own = features[rows][inside] if mean is None else features[rows][inside] - mean
        half = own * np.sqrt(weights[rows][inside])[:, None]
        return half.T @ half

    return reduce(np.add, by_blocks(gram_of, *features.shape))


def rows_inside(weights: FloatArray) -> slice | IntArray:
    """Return the rows of positive weight, as a slice if they are all rows.

    Indices take the rows of a matrix in a fifth of the time of a mask.
    """
    inside = weights > 0
    return slice(None) if inside.all() else np.flatnonzero(inside)
