r"""Laplace approximation of the marginal likelihood of a classifier on few features.

A function :math:`f = \Phi c + b` with the Gaussian prior :math:`c \sim N(0, I / 2\alpha)` whose
posterior mode minimises :math:`\sum_i w_i \ell(y_i, f_i) + \alpha \|c\|^2` explains the labels with
the log marginal likelihood, or evidence,

.. math:: -\sum_i w_i \ell(y_i, f_i) - \alpha \|c\|^2
          - \sum_k \log(1 + b_k^2) - \tfrac12 \log \frac{|A|}{|A_b|\, |2 \alpha I|}, \qquad
          A = \sum_i w_i H_i \otimes \phi_i \phi_i^T + 2 \alpha P,

with :math:`H_i` the second derivatives of the loss in the k scores of a row, a column of ones for
the intercept, which P does not penalise, and :math:`A_b` the block of the intercepts: these are not
integrated over, lest labels that no feature predicts prefer any rates. Classes are seldom very
rare: intercepts, which are log-odds, have a Cauchy prior, of which the mode knows nothing.
The same matrix gives approximate leave-one-out scores,

.. math:: f_i^{-i} = f_i + Q_i (I - w_i H_i Q_i)^{-1} w_i g_i, \qquad
          Q_i = (I \otimes \phi_i)^T A^{-1} (I \otimes \phi_i),

from the gradients g of the loss.

Rasmussen and Williams (2006), Gaussian processes for machine learning, 3.4 and 3.5.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple, final

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from .._typing import BoolArray, FloatArray
from ..losses import CorrectedLogLoss

MAX_STEPS = 60
# Decrease of the objective, per unit of it, at which Newton's method ends.
TOLERANCE = 1e-9
# Fraction of the predicted decrease that a step must reach, and the shortest step tried.
ARMIJO, SHORTEST = 1e-4, 1e-4
# Curvature per unit of weight in directions that neither loss nor penalty see.
MIN_CURVATURE = 1e-10
# Largest part of a row's prediction that is its own.
MAX_LEVERAGE = 0.98
# Eigenvalues of the features that change log-determinants by less are left out.
NEGLIGIBLE = 0.02
# Coefficients of a fit, of all classes together, but at least so many of each.
MAX_UNKNOWNS, MIN_WIDTH = 200, 30


class Mode(NamedTuple):
    """The mode of a posterior over functions: its values (n, k), and the evidence."""

    predictions: FloatArray
    evidence: float


@final
class LaplaceApproximation:
    """Posterior modes and evidences of labels y on features (n, m), for any alpha and noise matrix.

    Rows of weight zero take no part, but have predictions. A fit has at most ``max_unknowns``
    coefficients, of all classes together.
    """

    def __init__(
        self,
        features: FloatArray,
        y: FloatArray,
        weights: FloatArray,
        fit_intercept: bool = True,
        max_unknowns: int = MAX_UNKNOWNS,
    ) -> None:
        self.y, self.weights, self.fit_intercept = y, weights, fit_intercept
        self._width = max(MIN_WIDTH, max_unknowns // y.shape[1])
        inside: BoolArray = weights > 0
        centred = np.asarray(features, dtype=float)
        if fit_intercept:
            centred = centred - weights[inside] @ centred[inside] / weights.sum()
        half = centred[inside] * np.sqrt(weights[inside])[:, None]
        values, vectors = np.linalg.eigh(half.T @ half)
        self._spectrum = np.maximum(values[::-1], 0.0)
        self._columns = np.ascontiguousarray(centred @ vectors[:, ::-1])

    def mode(
        self, alpha: float, noise_matrix: FloatArray, around: FloatArray | None = None
    ) -> Mode:
        """Return the mode near some predictions (n, k), by Newton's method, and its evidence."""
        problem = _Problem(self, alpha, noise_matrix)
        coef = problem.minimise(problem.near(around))
        predictions = problem.values(coef)
        value = problem.objective(coef, predictions)
        L, _ = problem.factor(predictions)
        value += float(np.log(np.diag(L)).sum())
        value -= 0.5 * problem.n_penalised * float(np.log(2.0 * alpha))
        if self.fit_intercept:
            value -= 0.5 * float(np.linalg.slogdet(problem.intercept_block(L))[1])
            value += float(np.log1p(np.square(coef[-1])).sum())
        return Mode(predictions, -value)

    def leave_one_out(
        self, alpha: float, noise_matrix: FloatArray, predictions: FloatArray
    ) -> FloatArray:
        """Return approximate leave-one-out scores (n, k) of the mode of these predictions."""
        problem, k = _Problem(self, alpha, noise_matrix), predictions.shape[1]
        L, hessian = problem.factor(predictions)
        columns, width = problem.columns, problem.columns.shape[1]
        inverse = cho_solve((L, True), np.eye(len(L)), check_finite=False)
        Q = np.empty((len(columns), k, k))
        for i, j in product(range(k), range(k)):
            block = inverse[i * width : (i + 1) * width, j * width : (j + 1) * width]
            Q[:, i, j] = np.einsum("nd,nd->n", columns @ block, columns)
        # One copy is left out of a row that weighs several.
        one = 1.0 / np.maximum(self.weights, 1.0)[:, None, None]
        own = one * hessian @ Q
        # A row that determines its own prediction has no leave-one-out score.
        largest = np.abs(np.linalg.eigvals(own)).max(axis=1)
        own *= np.minimum(1.0, MAX_LEVERAGE / np.maximum(largest, MAX_LEVERAGE))[:, None, None]
        slope = one * problem.gradient(predictions)[:, :, None]
        moved = np.linalg.solve(np.eye(k) - own, slope)
        return predictions + (Q @ moved)[:, :, 0]

    def leading(self, alpha: float) -> FloatArray:
        """Return the principal components that matter at an alpha, one at least."""
        count = int(np.count_nonzero(0.125 * self._spectrum > NEGLIGIBLE * alpha))
        return self._columns[:, : max(1, min(count, self._width))]


@final
class _Problem:
    """The objective at one alpha and noise matrix, in coefficients (p, k) of p columns."""

    def __init__(self, rows: LaplaceApproximation, alpha: float, noise_matrix: FloatArray) -> None:
        self.y, self.weights, self.loss = rows.y, rows.weights, CorrectedLogLoss(noise_matrix)
        self.columns = rows.leading(alpha)
        self.penalty = np.full(self.columns.shape[1], 2.0 * alpha)
        self.n_penalised = len(self.penalty) * self.y.shape[1]
        if rows.fit_intercept:
            self.columns = np.column_stack([self.columns, np.ones(len(self.columns))])
            self.penalty = np.r_[self.penalty, 0.0]

    def values(self, coef: FloatArray) -> FloatArray:
        """Return the predictions of coefficients."""
        return self.columns @ coef

    def objective(self, coef: FloatArray, values: FloatArray) -> float:
        """Return the weighted loss plus the penalty."""
        penalty = 0.5 * float(self.penalty @ np.square(coef).sum(axis=1))
        return float(self.weights @ self.loss.value(self.y, values)) + penalty

    def gradient(self, values: FloatArray) -> FloatArray:
        """Return the weighted gradients of the loss in the scores."""
        return self.weights[:, None] * self.loss.gradient(self.y, values)

    def near(self, values: FloatArray | None) -> FloatArray:
        """Return the coefficients whose predictions are nearest to some, or zeros."""
        if values is None:
            return np.zeros((self.columns.shape[1], self.y.shape[1]))
        gram = self.columns.T @ self.columns
        gram.flat[:: len(gram) + 1] += MIN_CURVATURE * max(float(np.trace(gram)), 1.0)
        return np.linalg.solve(gram, self.columns.T @ values)

    def minimise(self, coef: FloatArray) -> FloatArray:
        """Return the coefficients of a minimum, by Newton's method with a line search."""
        values = self.values(coef)
        reached = self.objective(coef, values)
        for _ in range(MAX_STEPS):
            slope = self.columns.T @ self.gradient(values) + self.penalty[:, None] * coef
            L, _ = self.factor(values)
            step = -cho_solve((L, True), slope.T.ravel(), check_finite=False)
            step = step.reshape(slope.shape[::-1]).T
            moved, decrease, length = self.values(step), -float(np.vdot(slope, step)), 1.0
            while True:
                value = self.objective(coef + length * step, values + length * moved)
                if value <= reached - ARMIJO * length * decrease or length < SHORTEST:
                    break
                length *= 0.5
            if value > reached:  # rounding
                return coef
            coef, values = coef + length * step, values + length * moved
            gain, reached = reached - value, value
            if gain <= TOLERANCE * abs(reached):
                return coef
        return coef

    def factor(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the Cholesky factor of A, and the weighted Hessians of the rows, (n, k, k).

        Where A is indefinite, away from a mode, an upper bound of the Hessians takes their place.
        """
        k, total = values.shape[1], float(self.weights.sum())
        diagonal = np.tile(self.penalty + MIN_CURVATURE * total, k)
        for exact in (True, False):
            hessian = self.loss.dense_hessian(self.y, values, exact=exact)
            hessian = self.weights[:, None, None] * hessian
            blocks = {(i, j): self._gram(hessian[:, i, j]) for i in range(k) for j in range(i + 1)}
            A = np.block([[blocks[max(i, j), min(i, j)] for j in range(k)] for i in range(k)])
            A.flat[:: len(A) + 1] += diagonal
            try:
                return cholesky(A, lower=True, check_finite=False), hessian
            except LinAlgError:
                continue
        raise LinAlgError("The second derivatives of the objective are not finite.")

    def intercept_block(self, L: FloatArray) -> FloatArray:
        """Return the block of A = L L^T that belongs to the intercepts, (k, k)."""
        rows = L[self.columns.shape[1] - 1 :: self.columns.shape[1]]
        return rows @ rows.T

    def _gram(self, weights: FloatArray) -> FloatArray:
        return (self.columns.T * weights) @ self.columns
