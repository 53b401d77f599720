r"""Concentration steps of ridge regression in closed form, by deletion costs.

Let e be the residual that the fit to all other samples leaves at a sample, and v the variance of
that prediction in units of the noise. If the sample joins the others, their objective rises by
:math:`e^2 / (1 + v)`. With r the residual of the fit at hand, w the sample's weight in it and
:math:`q = \phi^T (G + \alpha I)^{-1} \phi`,

.. math:: e = r / (1 - w q), \qquad v = q / (1 - w q), \qquad z^2 = e^2 / (1 + \min(v, 1)).

Kept and trimmed samples are measured alike, so that a sample of high leverage cannot stay because
it attracts the fit. Steps by costs need not lower the trimmed objective, which ranks candidates.
"""

from __future__ import annotations

from typing import final

import numpy as np
from scipy.linalg import lapack

from .._typing import BoolArray, FloatArray
from ..optim.leave_one_out import deletion_residuals
from ..optim.ridge_path import MAX_PREDICTIVE_VARIANCE
from .continuation import Candidate, SubsetRefit

REWEIGHTINGS = 5
C_STEPS_PER_ALPHA = 3


@final
class RidgeRefit(SubsetRefit):
    """Ridge regression on the samples of the lowest deletion costs."""

    curvature = 2.0

    def start(
        self, columns: FloatArray, alpha: float, quantile: float, members: BoolArray
    ) -> FloatArray:
        """Trim by a quantile regression of the members, by iteratively reweighted least squares."""
        own = np.where(members, self.sample_weight, 0.0)
        # The constant fit comes first: least squares would follow the largest targets.
        residuals = self.y - weighted_quantile(self.y[members], own[members], quantile)
        sizes, side = self._sizes(residuals), _sides(residuals, quantile)
        median = 0.5 * (1.0 - self.rule.contamination)  # of the samples to be kept
        for _ in range(REWEIGHTINGS):
            scale = weighted_quantile(sizes[members, None], own[members], median)[0]
            if not 0 < scale < np.inf:
                break
            weights = own * side * 0.05 / np.maximum(sizes / (1.4826 * scale), 0.1)
            # A fit of few degrees of freedom has small leverages: no deletion formula here.
            beta = _coefficients(columns, self.y, weights, alpha)
            residuals = self.y - columns @ beta
            sizes, side = self._sizes(residuals), _sides(residuals, quantile)
        return self.rule.weights(np.where(members, sizes * side, np.inf), self.sample_weight)

    def extend(self, columns: FloatArray, alpha: float, weights: FloatArray) -> FloatArray:
        """Trim all samples by their costs under the fit to some."""
        return self.trim(self._costs(columns, alpha, weights))

    def c_steps(self, columns: FloatArray, alpha: float, start: Candidate) -> Candidate:
        """Fit and trim by cost, until the weights repeat."""
        weights = start.weights
        for _ in range(C_STEPS_PER_ALPHA):
            previous, weights = weights, self.trim(self._costs(columns, alpha, weights))
            if np.array_equal(previous, weights):
                break
        return Candidate(weights)

    def objective(self, columns: FloatArray, alpha: float, candidate: Candidate) -> float:
        """Return the trimmed objective of the fit to the candidate's weights."""
        beta = _coefficients(columns, self.y, candidate.weights, alpha)
        losses = self.loss.value(self.y, columns @ beta)
        return self.rule.value(losses, self.sample_weight) + alpha * float(np.sum(beta[1:] ** 2))

    def _costs(self, columns: FloatArray, alpha: float, weights: FloatArray) -> FloatArray:
        """Return the costs z^2, infinite where they overflow."""
        A, moments = _normal_equations(columns, self.y, weights, alpha)
        half = _half_inverse(A)
        scaled = columns @ half
        q = np.einsum("ij,ij->i", scaled, scaled)
        residuals = self.y - scaled @ (half.T @ moments)
        errors, variances = deletion_residuals(residuals, weights, self.sample_weight, q)
        squares = self.loss.value(errors, np.zeros_like(errors))
        costs = squares / (1.0 + np.minimum(variances, MAX_PREDICTIVE_VARIANCE))
        return np.nan_to_num(costs, copy=False, nan=np.inf, posinf=np.inf)

    def _sizes(self, residuals: FloatArray) -> FloatArray:
        return np.sqrt(self.loss.value(residuals, np.zeros_like(residuals)))


def weighted_quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Return a quantile of each column, of samples that count ``weights`` times."""
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    ranks = np.argmax(reached >= level * reached[-1], axis=0)
    return np.take_along_axis(values, order, axis=0)[ranks, np.arange(values.shape[1])]


def _sides(residuals: FloatArray, quantile: float) -> FloatArray:
    """Return the weights of positive and negative residuals, 1 and 1 for the median."""
    return 2.0 * np.where(residuals.sum(axis=1) > 0, quantile, 1.0 - quantile)


def _coefficients(
    columns: FloatArray, y: FloatArray, weights: FloatArray, alpha: float
) -> FloatArray:
    """Return the ridge coefficients, the first unpenalised."""
    A, moments = _normal_equations(columns, y, weights, alpha)
    _, beta, failed = lapack.dposv(A, moments, lower=1)  # small: SciPy's wrappers cost more
    return np.linalg.pinv(A, hermitian=True) @ moments if failed else beta


def _normal_equations(
    columns: FloatArray, y: FloatArray, weights: FloatArray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """Return the matrix and the right-hand side of the ridge coefficients."""
    weighted = columns * weights[:, None]
    A = columns.T @ weighted
    penalty = np.full(len(A), max(alpha, 1e-12 * float(A.trace())))
    penalty[0] = 1e-10 * max(float(A[0, 0]), np.finfo(float).tiny)
    A.flat[:: len(A) + 1] += penalty
    return A, weighted.T @ y


def _half_inverse(A: FloatArray) -> FloatArray:
    """Return a matrix whose product with its transpose is the inverse of A, or its pseudo-inverse.

    It is triangular, unless A is singular.
    """
    factor, failed = lapack.dpotrf(A, lower=1, clean=1)
    if failed:
        values, vectors = np.linalg.eigh(A)
        least = len(A) * np.finfo(float).eps * float(np.abs(values).max())
        return vectors[:, values > least] / np.sqrt(values[values > least])
    inverse, _ = lapack.dtrtri(factor, lower=1, overwrite_c=1)
    return np.asarray(inverse.T)
