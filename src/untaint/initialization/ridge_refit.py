r"""Concentration steps of ridge regression in closed form, by deletion costs.

Let e be the residual that the fit to all other samples leaves at a sample, and v the variance of
that prediction in units of the noise. If the sample joins the others, their objective rises by
:math:`e^2 / (1 + v)`. With r the residual of the fit at hand, w the sample's weight in it and
:math:`q = \phi^T (G + \alpha I)^{-1} \phi`,

.. math:: e = r / (1 - w q), \qquad v = q / (1 - w q), \qquad z^2 = e^2 / (1 + \min(v, 1)).

Kept and trimmed samples are measured alike, so that a sample of high leverage cannot stay because
it attracts the fit. Steps by costs need not lower the trimmed objective, which ranks candidates.
"""

from collections.abc import Sequence
from typing import final

import numpy as np
from scipy.linalg import lapack

from .._typing import BoolArray, FloatArray
from ..optim.gram import by_blocks
from ..optim.leave_one_out import deletion_residuals
from ..optim.ridge_path import MAX_PREDICTIVE_VARIANCE, weighted_gram
from .continuation import Candidate, SubsetRefit

REWEIGHTINGS = 5
C_STEPS_PER_ALPHA = 3


@final
class RidgeRefit(SubsetRefit):
    """Ridge regression on the samples of the lowest deletion costs."""

    curvature = 2.0

    def start(
        self, columns: FloatArray, alpha: float, quantiles: Sequence[float], members: BoolArray
    ) -> list[FloatArray]:
        """Trim by quantile regressions of the members, by iteratively reweighted least squares."""
        own, level = np.where(members, self.sample_weight, 0.0), np.array(quantiles)[:, None]
        # The constant fits come first: least squares would follow the largest targets.
        inside, w = self.y[members], own[members]
        constants = [weighted_quantile(inside, w, quantile) for quantile in quantiles]
        residuals = self.y - np.array(constants)[:, None, :]
        sizes, side = _sizes(residuals), _sides(residuals, level)
        median = 0.5 * (1.0 - self.rule.contamination)  # of the samples to be kept
        for _ in range(REWEIGHTINGS):
            scales = weighted_quantile(sizes[:, members].T, w, median)
            valid = np.flatnonzero((scales > 0) & (scales < np.inf))
            if len(valid) == 0:
                break
            unit = 1.4826 * scales[valid, None]
            weights = own * side[valid] * 0.05 / np.maximum(sizes[valid] / unit, 0.1)
            # A fit of few degrees of freedom has small leverages: no deletion formula here.
            beta = np.array([_coefficients(columns, self.y, one, alpha) for one in weights])
            residuals = self.y - columns @ beta
            sizes[valid], side[valid] = _sizes(residuals), _sides(residuals, level[valid])
        trimmed = np.where(members, sizes * side, np.inf)
        return [self.rule.weights(losses, self.sample_weight) for losses in trimmed]

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
        """Return the costs z^2, infinite or no numbers where they overflow."""
        half = _half_inverse(_penalised(weighted_gram(columns, weights), alpha))
        coef = half.T @ (columns.T @ (weights[:, None] * self.y))

        def costs_of(rows: slice) -> FloatArray:
            scaled = columns[rows] @ half
            q = np.einsum("ij,ij->i", scaled, scaled)
            parts = (weights[rows], self.sample_weight[rows], q)
            errors, variances = deletion_residuals(self.y[rows] - scaled @ coef, *parts)
            squares = np.einsum("ij,ij->i", errors, errors)
            return squares / (1.0 + np.minimum(variances, MAX_PREDICTIVE_VARIANCE))

        return np.concatenate(by_blocks(costs_of, *columns.shape))


def _sizes(residuals: FloatArray) -> FloatArray:
    """Return the norms of the residuals of all outputs, (..., n, k)."""
    return np.sqrt(np.einsum("...j,...j->...", residuals, residuals))


def weighted_quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Return a quantile of each column, of samples that count ``weights`` times."""
    if len(weights) and (weights == weights[0]).all():
        reached = np.cumsum(weights)
        rank = int(np.argmax(reached >= level * reached[-1]))
        return np.partition(values, rank, axis=0)[rank]
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    ranks = np.argmax(reached >= level * reached[-1], axis=0)
    return np.take_along_axis(values, order, axis=0)[ranks, np.arange(values.shape[1])]


def _sides(residuals: FloatArray, quantiles: FloatArray) -> FloatArray:
    """Return the weights of positive and negative residuals, 1 and 1 for the median."""
    return 2.0 * np.where(residuals.sum(axis=-1) > 0, quantiles, 1.0 - quantiles)


def _coefficients(
    columns: FloatArray, y: FloatArray, weights: FloatArray, alpha: float
) -> FloatArray:
    """Return the ridge coefficients, the first unpenalised."""
    weighted = columns * weights[:, None]
    A, moments = _penalised(columns.T @ weighted, alpha), weighted.T @ y
    _, beta, failed = lapack.dposv(A, moments, lower=1)  # small: SciPy's wrappers cost more
    return np.linalg.pinv(A, hermitian=True) @ moments if failed else beta


def _penalised(A: FloatArray, alpha: float) -> FloatArray:
    """Add the penalty to a Gram matrix in place; the first unknown is hardly penalised."""
    first = float(A[0, 0])
    A.flat[:: len(A) + 1] += max(alpha, 1e-12 * float(A.trace()))
    A[0, 0] = first + 1e-10 * max(first, np.finfo(float).tiny)
    return A


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
