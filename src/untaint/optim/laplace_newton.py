r"""The posterior mode of a classifier on few features, by Newton's method.

.. math:: \min_c \; \sum_i w_i \ell(y_i, \phi_i^T c) + \tfrac12 c^T P c

for the log-loss corrected for a noise matrix. Each step minimises the second-order expansion by
conjugate gradients, whose preconditioner is a factorised matrix of second derivatives from another
point, or even another alpha or noise matrix: a product costs n p k operations, a new factor
n (p k)^2. Where the loss bends downwards, its convex part takes its place.
"""

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import LinAlgError

from .._typing import FloatArray
from ..losses import CorrectedLogLoss
from ..losses.corrected import Expansion
from .laplace_curvature import ClasswiseCurvature, JointCurvature, LaplaceCurvature, is_joint

MAX_STEPS, MAX_ITER = 60, 60
# Decrease of the objective, per unit of it, that may be missing at the end.
ACCURACY = 1e-12
# Loosest and tightest part of the expansion's slope that a step may leave.
LOOSE_STEP, TIGHT_STEP = 0.1, 1e-4
# Iterations of a step from which a new factor pays.
PATIENCE = 10
# Fraction of the predicted decrease that a step must reach, and the shortest step tried.
ARMIJO, SHORTEST = 1e-4, 1e-4
# Curvature per unit of weight in directions that neither loss nor penalty see.
MIN_CURVATURE = 1e-10


@final
@dataclass(eq=False)
class ModeProblem:
    """The objective in coefficients (p, k) of columns (n, p), with a diagonal penalty P, (p,).

    ``squares`` are the weighted sums of squares of the columns, which are orthogonal to one another
    under the weights.
    """

    columns: FloatArray
    squares: FloatArray
    penalty: FloatArray
    y: FloatArray
    weights: FloatArray
    noise_matrix: FloatArray

    def __post_init__(self) -> None:
        self.loss, self.total = CorrectedLogLoss(self.noise_matrix), float(self.weights.sum())

    def near(self, values: FloatArray | None) -> FloatArray:
        """Return the coefficients whose predictions are nearest to some, or zeros."""
        if values is None:
            return np.zeros((self.columns.shape[1], self.y.shape[1]))
        squares = self.squares + MIN_CURVATURE * float(self.squares.max())
        sums = self.columns.T @ (self.weights[:, None] * values)
        return np.asarray(sums / np.maximum(squares, np.finfo(float).tiny)[:, None])

    def expand(self, values: FloatArray) -> Expansion:
        """Return losses, probabilities and posteriors at some predictions."""
        return self.loss.expand(self.y, values)

    def objective(self, coef: FloatArray, expansion: Expansion) -> float:
        """Return the weighted loss plus the penalty."""
        penalty = 0.5 * float(self.penalty @ np.einsum("ij,ij->i", coef, coef))
        return float(self.weights @ expansion.value) + penalty

    def gradient(self, expansion: Expansion) -> FloatArray:
        """Return the weighted gradients of the loss in the scores."""
        return self.weights[:, None] * (expansion.p - expansion.posterior)

    def curvature(self, expansion: Expansion) -> LaplaceCurvature:
        """Return the factorised second derivatives.

        Where they are indefinite, away from a mode, an upper bound takes their place.
        """
        penalty = self.penalty + MIN_CURVATURE * self.total
        for exact in (True, False):
            try:
                if is_joint(self.columns, self.y.shape[1]):
                    hessian = self.weights[:, None, None] * expansion.dense_hessian(exact=exact)
                    return JointCurvature(self.columns, hessian, penalty)
                diagonal = self.weights[:, None] * expansion.diagonal(exact=exact)
                return ClasswiseCurvature(self.columns, diagonal, penalty)
            except (LinAlgError, np.linalg.LinAlgError):
                continue
        raise LinAlgError("The second derivatives of the objective are not finite.")

    def minimise(
        self, coef: FloatArray, preconditioner: LaplaceCurvature | None
    ) -> tuple[FloatArray, FloatArray, Expansion]:
        """Return the coefficients of a minimum, the predictions and the expansion there."""
        values = self.columns @ coef
        expansion = self.expand(values)
        reached, gain = self.objective(coef, expansion), 1.0
        for _ in range(MAX_STEPS):
            if preconditioner is None:
                preconditioner = self.curvature(expansion)
            slope = self.columns.T @ self.gradient(expansion) + self.penalty[:, None] * coef
            inner = min(max(gain, TIGHT_STEP), LOOSE_STEP)
            step, moved, iterations = self._step(expansion, slope, preconditioner, inner)
            if iterations > PATIENCE:
                preconditioner = None
            decrease, length = -float(np.vdot(slope, step)), 1.0
            while True:
                ahead = values + length * moved
                at = self.expand(ahead)
                value = self.objective(coef + length * step, at)
                if value <= reached - ARMIJO * length * decrease or length < SHORTEST:
                    break
                length *= 0.5
            if not value <= reached:  # rounding
                break
            coef, values, expansion = coef + length * step, ahead, at
            gain = 0.5 * decrease / max(abs(value), np.finfo(float).tiny)
            reached = value
            if gain * (inner**2 + gain) <= ACCURACY:
                break
        return coef, values, expansion

    def _step(
        self, expansion: Expansion, slope: FloatArray, preconditioner: LaplaceCurvature, tol: float
    ) -> tuple[FloatArray, FloatArray, int]:
        """Minimise the second-order expansion; return the step, its values, and iterations."""
        scale = (0.5 / slope.shape[1]) * self.squares + self.penalty + MIN_CURVATURE * self.total
        diagonal = np.broadcast_to(scale[:, None], slope.shape)
        penalty, exact = (self.penalty + MIN_CURVATURE * self.total)[:, None], True
        step, moved = np.zeros(slope.shape), np.zeros(self.y.shape)
        residual, direction = -slope, np.zeros(slope.shape)
        rho = first = 0.0
        iterations = 0
        while iterations < MAX_ITER:
            z = preconditioner.solve(residual, diagonal)
            last, rho = rho, float(np.vdot(residual, z))
            first = first or rho
            if not rho > tol**2 * first or not rho > 0:
                break
            direction = z + (rho / last if last > 0 else 0.0) * direction
            ahead = self.columns @ direction
            bent = self.weights[:, None] * expansion.times(ahead, exact=exact)
            image = self.columns.T @ bent + penalty * direction
            bend = float(np.vdot(direction, image))
            if not bend > 0:
                if iterations > 0 or not exact:
                    break
                exact, rho = False, 0.0  # the loss bends downwards
                continue
            length = rho / bend
            step, moved = step + length * direction, moved + length * ahead
            residual = residual - length * image
            iterations += 1
        return step, moved, iterations
