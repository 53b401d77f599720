r"""Weighted kernel ridge by preconditioned conjugate gradients.

The system of :mod:`~untaint.optim.ridge_exact` in the space orthogonal to d = sqrt(w),

.. math:: P (D K D + \alpha I) P u = P D y, \qquad P = I - d d^T / d^T d,

preconditioned by its Nystroem form (:mod:`~untaint.optim.woodbury`). Each iteration reads K once.
Vectors are float64 even where K is float32.
"""

from contextlib import nullcontext
from typing import final

import numpy as np
from scipy.linalg import blas

from .._threads import all_blas_threads
from .._typing import FloatArray
from ..losses import Hessian
from .base import Fit, Precondition, RidgeSystem
from .gram import IncrementalGram
from .mixed_precision import unit_of
from .ridge_exact import ExactRidge
from .tall_product import tall_product
from .woodbury import newton_inverse, symmetric_inverse

MAX_ITER = 300
# Bytes of a matrix from which several threads of BLAS read it faster than one.
LARGE = 256 * 2**20
# Relative residual after the last iteration beyond which the system is factorised instead.
LOST = 1e-5
# Relative difference of coefficients that is rounding.
SAME = 1e-14
# Part of the rounding errors of coefficients up to which their sum counts as zero.
DEPENDENT = 1e-2


@final
class IterativeRidge(RidgeSystem):
    """Kernel ridge regression in the dual, solved to a tolerance.

    K is symmetric and C-contiguous, and close to features @ features.T for Nystroem features (n,
    m). Their Gram matrix may be shared with another system.
    """

    def __init__(
        self,
        K: FloatArray,
        features: FloatArray,
        fit_intercept: bool = True,
        gram: IncrementalGram | None = None,
    ) -> None:
        self.K, self.features, self.fit_intercept = K, features, fit_intercept
        self.gram = gram if gram is not None else IncrementalGram(features)

    def _solve(
        self, y: FloatArray, weights: FloatArray, alpha: float, start: Fit | None, tol: float
    ) -> Fit:
        d = np.sqrt(weights)[:, None]
        if alpha == 0:
            # Without a penalty the iterations diverge where no function interpolates.
            alpha = 1e-8 * float(weights @ np.diag(self.K)) / len(weights)
        unit = d / np.linalg.norm(d) if self.fit_intercept else np.zeros_like(d)

        def project(v: FloatArray) -> FloatArray:
            return v - unit * (unit.T @ v)

        precondition = symmetric_inverse(self.gram, weights, alpha)
        right = project(d * np.where(d > 0, y, 0.0))
        u, smooth, direction = np.zeros((3, *y.shape))
        if start is not None:
            u = project(np.divide(start.coef, d, out=u, where=d > 0))
            smooth = self._values_at(d * u, start)
        residual = right - project(d * smooth) - alpha * u
        size = np.linalg.norm(right, axis=0)
        goal, rho = tol * size, np.zeros_like(size)
        for _ in range(MAX_ITER):
            if (np.linalg.norm(residual, axis=0) <= goal).all():
                break
            z = project(precondition(residual))
            rho, previous = _dots(residual, z), rho
            direction = z + _ratio(rho, previous) * direction
            K_direction = self.times(d * direction)
            image = project(d * K_direction) + alpha * direction
            step = _ratio(rho, _dots(direction, image))
            u, smooth = u + step * direction, smooth + step * K_direction
            residual = residual - step * image
        # With a small alpha rounding limits the accuracy; more than the last digits is a failure.
        if (np.linalg.norm(residual, axis=0) > np.maximum(goal, LOST * size)).any():
            return ExactRidge(self.K, self.fit_intercept).solve(y, weights, alpha)
        return self.with_intercept(d * u, smooth, y, weights)

    def _values_at(self, dual: FloatArray, start: Fit) -> FloatArray:
        """Return K times dual coefficients, which are mostly those of a fit whose values are known.

        In single precision they are computed again, which is a step of iterative refinement.
        """
        change = np.abs(dual - start.coef).max(initial=0.0)
        if self.K.dtype == np.float64 and change <= SAME * np.abs(dual).max(initial=0.0):
            return start.predictions - start.intercept
        return self.times(dual)

    def newton_preconditioner(self, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
        """Return the inverse with the Nystroem approximation of K."""
        # The error of the approximation is added to alpha: with less, the inverse is not even
        # nearly positive definite in the kernel's inner product.
        left = np.diag(self.K) - np.einsum("ij,ij->i", self.features, self.features)
        bend = np.max([hessian.entry(j, j) for j in range(n_outputs)], axis=0)
        alpha += max(0.0, float(np.max(left * bend)))
        return newton_inverse(self.features, hessian, n_outputs, alpha)

    def times(self, dual: FloatArray) -> FloatArray:
        """Return K times dual coefficients; for one column by symv, which reads half of K.

        Where the columns sum to zero, as those of a softmax do, so do their products.
        """
        single = self.K.dtype == np.float32
        unit = unit_of(dual) if single else 1.0
        v = (dual / unit).astype(self.K.dtype)
        if v.shape[1] > 1:
            if np.abs(dual.sum(axis=1)).max() > DEPENDENT * np.finfo(v.dtype).eps * unit:
                return unit * tall_product(self.K, v).astype(float)
            others = unit * tall_product(self.K, v[:, :-1].copy()).astype(float)
            return np.column_stack([others, -others.sum(axis=1)])
        symv = blas.ssymv if single else blas.dsymv
        # The transpose of a C-ordered matrix is Fortran-ordered: no copy is made.
        with all_blas_threads() if self.K.nbytes > LARGE else nullcontext():
            return unit * symv(1.0, self.K.T, v[:, 0]).astype(float)[:, None]


def _dots(a: FloatArray, b: FloatArray) -> FloatArray:
    return np.einsum("ij,ij->j", a, b)


def _ratio(a: FloatArray, b: FloatArray) -> FloatArray:
    """Return a / b, and 0 for a column that has converged."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
