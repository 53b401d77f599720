r"""Laplace approximation of the marginal likelihood of a classifier on few features.

A function :math:`f = \Phi c + b` with the Gaussian prior :math:`c \sim N(0, I / 2\alpha)` whose
posterior mode minimises :math:`\sum_i w_i \ell(y_i, f_i) + \alpha \|c\|^2` explains the labels with
the log marginal likelihood, or evidence,

.. math:: -\sum_i w_i \ell(y_i, f_i) - \alpha \|c\|^2
          - \sum_k \log(1 + b_k^2) - \tfrac12 \log \frac{|A|}{|A_b|\, |2 \alpha I|}, \qquad
          A = \sum_i w_i H_i \otimes \phi_i \phi_i^T + 2 \alpha P,

with :math:`H_i` the second derivatives of the loss in the k scores of a row, a column of ones for
the intercept, which P does not penalise, and :math:`A_b` the block of the intercepts: these are not
integrated over, since otherwise labels that no feature predicts would favour arbitrary rates.
Classes are seldom very rare: intercepts, which are log-odds, have a Cauchy prior, which enters the
likelihood but not the mode.
The same matrix gives approximate leave-one-out scores,

.. math:: f_i^{-i} = f_i + Q_i (I - w_i H_i Q_i)^{-1} w_i g_i, \qquad
          Q_i = (I \otimes \phi_i)^T A^{-1} (I \otimes \phi_i),

from the gradients g of the loss.

Rasmussen and Williams (2006), Gaussian processes for machine learning, 3.4 and 3.5.
"""

from typing import NamedTuple, final

import numpy as np

from .._typing import BoolArray, FloatArray
from .laplace_curvature import LaplaceCurvature
from .laplace_newton import ModeProblem

# Largest part of a row's prediction that is its own.
MAX_LEVERAGE = 0.98
# Eigenvalues of the features that change log-determinants by less are left out.
NEGLIGIBLE = 0.02
# Coefficients of a fit, of all classes together, but at least so many of each.
MAX_UNKNOWNS, MIN_WIDTH = 200, 30


class Mode(NamedTuple):
    """The mode of a posterior over functions: values (n, k), evidence and second derivatives."""

    predictions: FloatArray
    evidence: float
    curvature: LaplaceCurvature


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
        width = max(MIN_WIDTH, max_unknowns // y.shape[1])
        inside: BoolArray = weights > 0
        centred = np.asarray(features, dtype=float)
        if fit_intercept:
            centred = centred - weights[inside] @ centred[inside] / weights.sum()
        half = centred[inside] * np.sqrt(weights[inside])[:, None]
        values, vectors = np.linalg.eigh(half.T @ half)
        # The column of ones comes first: fewer columns are always the first of more.
        self._spectrum = np.maximum(values[::-1][:width], 0.0)
        self._columns = centred @ vectors[:, ::-1][:, :width]
        if fit_intercept:
            self._columns = np.column_stack([np.ones(len(centred)), self._columns])

    def mode(
        self,
        alpha: float,
        noise_matrix: FloatArray,
        around: FloatArray | None = None,
        preconditioner: LaplaceCurvature | None = None,
    ) -> Mode:
        """Return the mode near some predictions (n, k), by Newton's method, and its evidence.

        Second derivatives of any other mode on these features are a preconditioner.
        """
        problem = self._problem(alpha, noise_matrix)
        coef, predictions, expansion = problem.minimise(problem.near(around), preconditioner)
        curvature = problem.curvature(expansion)
        value = problem.objective(coef, expansion)
        value += curvature.half_log_determinant(skip=int(self.fit_intercept))
        n_penalised = (len(coef) - self.fit_intercept) * coef.shape[1]
        value -= 0.5 * n_penalised * float(np.log(2.0 * alpha))
        if self.fit_intercept:
            value += float(np.log1p(np.square(coef[0])).sum())
        return Mode(predictions, -value, curvature)

    def leave_one_out(self, alpha: float, noise_matrix: FloatArray, mode: Mode) -> FloatArray:
        """Return approximate leave-one-out scores (n, k) of a mode."""
        problem, predictions = self._problem(alpha, noise_matrix), mode.predictions
        expansion = problem.expand(predictions)
        Q = mode.curvature.own(problem.columns)
        # One copy is left out of a row that weighs several.
        part = np.minimum(self.weights, 1.0)[:, None]
        slope = part * (expansion.p - expansion.posterior)
        if Q.ndim == 2:
            own = np.minimum(part * expansion.diagonal(exact=True) * Q, MAX_LEVERAGE)
            return np.asarray(predictions + Q * slope / (1.0 - own))
        own = part[:, :, None] * expansion.dense_hessian(exact=True) @ Q
        # A row that determines its own prediction has no leave-one-out score.
        own *= _shrinkage(own)[:, None, None]
        moved = np.linalg.solve(np.eye(own.shape[1]) - own, slope[:, :, None])
        return np.asarray(predictions + (Q @ moved)[:, :, 0])

    def leading(self, alpha: float) -> int:
        """Return how many principal components matter at an alpha, one at least."""
        return max(1, int(np.count_nonzero(0.125 * self._spectrum > NEGLIGIBLE * alpha)))

    def _problem(self, alpha: float, noise_matrix: FloatArray) -> ModeProblem:
        width, first = self.leading(alpha), int(self.fit_intercept)
        squares = np.r_[np.full(first, self.weights.sum()), self._spectrum[:width]]
        penalty = np.r_[np.zeros(first), np.full(width, 2.0 * alpha)]
        columns = self._columns[:, : first + width]
        return ModeProblem(columns, squares, penalty, self.y, self.weights, noise_matrix)


def _shrinkage(own: FloatArray) -> FloatArray:
    """Return factors of matrices (n, k, k) that leave no eigenvalue above the largest leverage."""
    factors = np.ones(len(own))
    # No eigenvalue exceeds the norm.
    large = np.flatnonzero(np.einsum("nij,nij->n", own, own) > MAX_LEVERAGE**2)
    if len(large):
        largest = np.abs(np.linalg.eigvals(own[large])).max(axis=1)
        factors[large] = MAX_LEVERAGE / np.maximum(largest, MAX_LEVERAGE)
    return factors
