r"""Trimmed fits on a ladder of ridges, each row judged by what it costs the others.

Let e be the residual that the fit to all other rows leaves at a row, and v the variance of that fit
there, in units of the noise. If the row joins the others, their objective rises by
:math:`e^2 / (1 + v)`. With r the residual of the fit at hand, w the row's weight in it and
:math:`q = \phi^T (G + \alpha I)^{-1} \phi`,

.. math:: e = r / (1 - w q), \qquad v = q / (1 - w q), \qquad z^2 = e^2 / (1 + \min(v, 1)).

Kept and given-up rows are measured alike, so neither is stuck where it is. The bound on v denies a
lonely row most of the excuse that nobody knows better.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np
from scipy.linalg import eigh, lapack
from scipy.optimize import brentq

from .._typing import BoolArray, FloatArray, IntArray
from ..losses import SquaredLoss
from ..weighting.trimmed import Trimmed

REWEIGHTINGS = 5
C_STEPS_PER_ALPHA = 3
ALPHA_STEP = 10.0
# Columns of the features that a ridge shrinks to less than this share say nothing at its rung.
NEGLIGIBLE = 0.1
# Largest predictive variance that excuses a row's error.
MAX_PREDICTIVE_VARIANCE = 1.0


@final
class RidgeContinuation:
    """Trimmed ridge fits on features, from a stiff ridge down to the one asked for."""

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        sample_weight: FloatArray,
        near: BoolArray,
        contamination: float,
        alpha: float,
    ) -> None:
        self.y = np.asarray(y, dtype=float)
        self.sample_weight = sample_weight
        self.near = near
        self.size = max(float(sample_weight.sum()), len(y))
        self.alpha = alpha
        self.rule = Trimmed(contamination)
        self.loss = SquaredLoss()
        frame = np.where(near, sample_weight, 0.0)
        self.values, rotate = principal_rotation(np.asarray(features, dtype=float), frame)
        self.rotated = np.column_stack([np.ones(len(y)), rotate(features)])

    def alpha_for_dof(self, dof: float) -> float:
        """Ridge at which the fit has so many degrees of freedom, or the one asked for if larger."""
        most = max(1.0, self.size / 10.0)
        return max(self.alpha, alpha_of_dof(self.values, min(dof, most)))

    def coarse_start(self, dof: float, quantile: float, members: BoolArray) -> FloatArray:
        """Weights after a stiff quantile fit, by reweighted least squares."""
        alpha = self.alpha_for_dof(dof)
        own = np.where(members, self.sample_weight, 0.0)
        # From the constant fit: a least-squares one would have to forget the wildest targets.
        residuals = self.y - weighted_quantile(self.y[members], own[members], quantile)
        scaled = self._sizes(residuals)
        side = self._sides(residuals, quantile)
        for _ in range(REWEIGHTINGS):
            middle = weighted_quantile(scaled[members, None], own[members], self._middle())[0]
            if not 0 < middle < np.inf:
                break
            weights = own * side * 0.05 / np.maximum(scaled / (1.4826 * middle), 0.1)
            # So stiff a fit bends to no row: its residuals need no correction.
            columns, beta, _ = self._solve(weights, alpha)
            residuals = self.y - columns @ beta
            scaled, side = self._sizes(residuals), self._sides(residuals, quantile)
        return self.rule.weights(np.where(members, scaled * side, np.inf), self.sample_weight)

    def follow_path(self, weights: FloatArray, alpha: float, last: float) -> FloatArray:
        """Settle at ever smaller ridges, the first and the last included."""
        weights = self.c_steps(weights, alpha)
        while alpha > last:
            alpha = max(alpha / ALPHA_STEP, last)
            weights = self.c_steps(weights, alpha)
        return weights

    def extend(self, inside: IntArray, weights: FloatArray, alpha: float) -> FloatArray:
        """Weights of all rows here, from weights found on some of them at some ridge."""
        extended = np.zeros(len(self.y))
        extended[inside] = weights
        return self.trim(self.costs(extended, alpha))

    def best(self, candidates: list[FloatArray], alpha: float, count: int) -> list[FloatArray]:
        """At most so many different ones, of the lowest trimmed objectives."""
        distinct: list[FloatArray] = []
        for weights in candidates:
            if not any(np.array_equal(weights, known) for known in distinct):
                distinct.append(weights)
        if len(distinct) > count:
            distinct.sort(key=lambda weights: self.objective(weights, alpha))
        return distinct[:count]

    def c_steps(self, weights: FloatArray, alpha: float) -> FloatArray:
        """Fit and trim by cost, a few times."""
        for _ in range(C_STEPS_PER_ALPHA):
            previous, weights = weights, self.trim(self.costs(weights, alpha))
            if np.array_equal(previous, weights):
                break
        return weights

    def trim(self, costs: FloatArray) -> FloatArray:
        """Weights of the plausible rows that cost least."""
        return self.rule.weights(np.where(self.near, costs, np.inf), self.sample_weight)

    def objective(self, weights: FloatArray, alpha: float) -> float:
        """Trimmed objective of the fit to these weights."""
        columns, beta, _ = self._solve(weights, alpha)
        losses = self.loss.value(self.y, columns @ beta)
        norm = float(np.sum(beta[1:] ** 2))
        return self.rule.value(losses, self.sample_weight) + alpha * norm

    def costs(self, weights: FloatArray, alpha: float) -> FloatArray:
        """Costs z^2 of all rows; a row beyond all bounds costs infinity."""
        columns, beta, inverse = self._solve(weights, alpha)
        residuals = self.y - columns @ beta
        q = np.einsum("ij,ij->i", columns @ inverse, columns)
        # Of a row that stands for several copies, one copy is left out.
        own = weights / np.maximum(self.sample_weight, 1.0)
        others = 1.0 - np.minimum(own * q, 1.0 - 1e-9)
        errors = self.loss.value(residuals / others[:, None], np.zeros_like(residuals))
        costs = errors / (1.0 + np.minimum(q / others, MAX_PREDICTIVE_VARIANCE))
        return np.nan_to_num(costs, copy=False, nan=np.inf, posinf=np.inf)

    def _solve(
        self, weights: FloatArray, alpha: float
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Ridge fit with an intercept in the leading columns that matter at this ridge.

        Returns these columns, the coefficients and the inverse of the regularised Gram matrix.
        """
        width = max(1, int(np.count_nonzero(self.values > NEGLIGIBLE * alpha)))
        columns = self.rotated[:, : width + 1]
        weighted = columns * weights[:, None]
        A = columns.T @ weighted
        penalty = np.full(width + 1, max(alpha, 1e-12 * float(A.trace())))
        penalty[0] = 1e-10 * max(float(A[0, 0]), np.finfo(float).tiny)
        A.flat[:: width + 2] += penalty
        inverse = _inverse(A)
        return columns, inverse @ (weighted.T @ self.y), inverse

    def _sizes(self, residuals: FloatArray) -> FloatArray:
        return np.sqrt(self.loss.value(residuals, np.zeros_like(residuals)))

    def _sides(self, residuals: FloatArray, quantile: float) -> FloatArray:
        """How much an error counts by its sign: 1 and 1 for the median."""
        return 2.0 * np.where(residuals.sum(axis=1) > 0, quantile, 1.0 - quantile)

    def _middle(self) -> float:
        """Quantile in the middle of the rows that are to be kept."""
        return 0.5 * (1.0 - self.rule.contamination)


def alpha_of_dof(values: FloatArray, dimension: float) -> float:
    """Ridge at which a fit has so many degrees of freedom, given its Gram matrix's spectrum."""
    positive = values[values > 0]
    if len(positive) <= dimension:
        return 0.0

    def excess(log_ridge: float) -> float:
        return float(np.sum(positive / (positive + np.exp(log_ridge)))) - dimension

    low = float(np.log(positive.min())) - 20.0
    high = float(np.log(positive.max())) + 20.0
    return float(np.exp(brentq(excess, low, high, xtol=1e-10))) if excess(low) > 0 else 0.0


def principal_rotation(
    features: FloatArray, sample_weight: FloatArray
) -> tuple[FloatArray, Callable[[FloatArray], FloatArray]]:
    """Centre and rotate features so that the leading columns vary most; and how much they do."""
    inside = sample_weight > 0
    mean = sample_weight[inside] @ features[inside] / sample_weight.sum()
    part = features[inside] - mean
    values, vectors = eigh(part.T @ (part * sample_weight[inside, None]), check_finite=False)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    return values, lambda features: (np.asarray(features, dtype=float) - mean) @ vectors


def _inverse(A: FloatArray) -> FloatArray:
    """Inverse of a small positive definite matrix; LAPACK itself, for the wrappers cost more."""
    factor, failed = lapack.dpotrf(A, lower=1, clean=1)
    if failed:
        return np.linalg.pinv(A, hermitian=True)
    lower, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    return lower + np.tril(lower, -1).T


def weighted_quantile(values: FloatArray, weights: FloatArray, level: float) -> FloatArray:
    """Quantile of each column, of rows that count ``weights`` times.

    Examples
    --------
    >>> import numpy as np
    >>> weighted_quantile(np.array([[1.0], [2.0], [3.0]]), np.ones(3), 0.5)
    array([2.])
    """
    order = np.argsort(values, axis=0, kind="stable")
    reached = np.cumsum(weights[order], axis=0)
    ranks = np.argmax(reached >= level * reached[-1], axis=0)
    return np.take_along_axis(values, order, axis=0)[ranks, np.arange(values.shape[1])]
