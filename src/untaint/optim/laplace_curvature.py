r"""Second derivatives of the objective of a classifier on few features, factorised.

.. math:: A = \sum_i H_i \otimes \phi_i \phi_i^T + P,

with :math:`H_i` the weighted second derivatives of a row's loss in its k scores, and P diagonal.
The first feature may be the intercept's column of ones. The coefficients of a feature, one for each
class, stand next to one another: the factor of fewer features is a corner of that of more.

Of many classes only the blocks of A that belong to one class each are used. Two classes of K have
probabilities of about 1 / K, and the entries of H between them, products of two of these, are
smaller than those on the diagonal by that factor.
"""

from abc import ABC, abstractmethod
from itertools import combinations
from typing import final

import numpy as np
from scipy.linalg import LinAlgError, lapack

from .._typing import FloatArray
from .gram import weighted_gram

# Coefficients beyond which only the blocks of single classes are used.
MOST_JOINT = 1000
# Numbers of a block of the products of features and second derivatives.
BLOCK = 1 << 20


class LaplaceCurvature(ABC):
    """A factorised A for features (n, p) and k classes."""

    @abstractmethod
    def half_log_determinant(self, skip: int) -> float:
        """Return half of log |A| less that of the block of the first ``skip`` features."""

    @abstractmethod
    def solve(self, slope: FloatArray, diagonal: FloatArray) -> FloatArray:
        """Return about A^{-1} times a slope (m, k) on any number of features.

        Features beyond those of A are scaled by a diagonal (m, k).
        """

    @abstractmethod
    def own(self, columns: FloatArray) -> FloatArray:
        """Return the blocks of A^{-1} that rows see, (n, k, k), or their diagonals, (n, k)."""


def is_joint(columns: FloatArray, k: int) -> bool:
    """Return whether A couples the classes."""
    return k == 1 or columns.shape[1] * k <= MOST_JOINT


@final
class JointCurvature(LaplaceCurvature):
    """All of A, for Hessians (n, k, k), of sum zero if k > 1, and a diagonal P, (p,)."""

    def __init__(self, columns: FloatArray, hessian: FloatArray, penalty: FloatArray) -> None:
        p, self.k = columns.shape[1], hessian.shape[1]
        A = np.zeros((p, self.k, p, self.k))
        if self.k == 1:
            A[:, 0, :, 0] = weighted_gram(columns, hessian[:, 0, 0])
        # Of several classes the entries of H sum to zero: blocks of one follow from the others.
        for i, j in combinations(range(self.k), 2):
            sums = weighted_gram(columns, hessian[:, i, j])
            A[:, i, :, j] = A[:, j, :, i] = sums
            A[:, i, :, i] -= sums
            A[:, j, :, j] -= sums
        flat = A.reshape(p * self.k, -1)
        flat.flat[:: len(flat) + 1] += np.repeat(penalty, self.k)
        # The transpose is Fortran-ordered, and the same matrix: no copy is made.
        self.L, failed = lapack.dpotrf(flat.T, lower=True, clean=False, overwrite_a=True)
        if failed:
            raise LinAlgError("A is not positive definite.")
        self._corner = self.L

    def half_log_determinant(self, skip: int) -> float:
        """Return the sum of the logarithms of the factor's diagonal."""
        return float(np.log(np.diag(self.L)[skip * self.k :]).sum())

    def solve(self, slope: FloatArray, diagonal: FloatArray) -> FloatArray:
        """Return the solution on the features that both have."""
        common = min(slope.size, len(self.L))
        flat = slope.ravel()
        solution = flat / diagonal.ravel() if common < slope.size else np.empty(slope.size)
        if len(self._corner) != common:
            self._corner = np.asfortranarray(self.L[:common, :common])
        solution[:common] = lapack.dpotrs(self._corner, flat[:common], lower=True)[0]
        return solution.reshape(slope.shape)

    def own(self, columns: FloatArray) -> FloatArray:
        """Return the blocks (n, k, k)."""
        k, (n, p) = self.k, columns.shape
        inverse = lapack.dpotri(self.L, lower=True)[0]
        inverse = np.tril(inverse) + np.tril(inverse, -1).T
        blocks = inverse.reshape(p, k, p, k)
        Q = np.empty((n, k, k))
        for i in range(k):
            part = blocks[:, i, :, : i + 1].transpose(0, 2, 1).reshape(p, -1)
            Q[:, i, : i + 1] = np.einsum(
                "njd,nd->nj", (columns @ part).reshape(n, i + 1, p), columns
            )
            Q[:, : i + 1, i] = Q[:, i, : i + 1]
        return Q


@final
class ClasswiseCurvature(LaplaceCurvature):
    """The blocks of A that belong to single classes, for the diagonals (n, k) of the Hessians."""

    def __init__(self, columns: FloatArray, hessian: FloatArray, penalty: FloatArray) -> None:
        (n, p), k = columns.shape, hessian.shape[1]
        A = np.empty((k, p, p))
        step = max(1, BLOCK // (n * p))
        for start in range(0, k, step):
            scaled = columns.T * hessian.T[start : start + step, None, :]
            A[start : start + step] = scaled @ columns
        A[:, np.arange(p), np.arange(p)] += penalty
        self.L = np.linalg.cholesky(A)
        self._inverse = np.linalg.inv(A)

    def half_log_determinant(self, skip: int) -> float:
        """Return the sum of the logarithms of the factors' diagonals."""
        diagonals = np.diagonal(self.L, axis1=1, axis2=2)
        return float(np.log(diagonals[:, skip:]).sum())

    def solve(self, slope: FloatArray, diagonal: FloatArray) -> FloatArray:
        """Return the solutions of the classes on the features that both have."""
        common = min(len(slope), self._inverse.shape[1])
        solution = slope / diagonal
        corner = self._inverse[:, :common, :common]
        solution[:common] = (corner @ slope[:common].T[:, :, None])[:, :, 0].T
        return solution

    def own(self, columns: FloatArray) -> FloatArray:
        """Return the diagonals (n, k) of the blocks."""
        parts = [np.einsum("nd,nd->n", columns @ inverse, columns) for inverse in self._inverse]
        return np.column_stack(parts)
