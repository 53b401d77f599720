r"""The design of any kernel by its matrix, and the choice between it and the linear design.

.. math:: (W K + \alpha I)\, a = W y, \qquad f(x) = \sum_i a_i k(x_i, x) + b

with W the diagonal matrix of the sample weights. Small systems are factorised, large ones solved
by conjugate gradients with a Nystroem preconditioner.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from .._policy import policy
from .._typing import FloatArray
from .._validation import check_matrix_memory, in_double, memory_bytes
from ..kernels import Kernel, Linear, Precomputed
from ..optim.base import Fit, RidgeSystem
from ..optim.low_rank import nystroem_features
from ..optim.ridge_cg import IterativeRidge
from ..optim.ridge_exact import ExactRidge
from ..optim.ridge_primal import PrimalRidge
from .base import SINGLE_TOL, SystemDesign, absorbed_offset, measured_from
from .linear import LinearDesign

# Cost of a preconditioner that couples several outputs, relative to that of one output.
COUPLING = 3.0
# Largest kernel value of features in single precision; the smallest is its inverse.
SINGLE_RANGE = 1e20


@final
@dataclass(eq=False, repr=False)
class KernelMatrixDesign(SystemDesign):
    """The design of any kernel by its matrix K of shape (n, n)."""

    K: FloatArray
    iterative: bool

    def __post_init__(self) -> None:
        # Conjugate gradients read the matrix once per step and are bound by memory bandwidth.
        self.small_products = self.iterative or len(self.K) <= policy().exact_rows

    def attainable(self, tol: float) -> float:
        """Return ``tol``, but at least ``SINGLE_TOL`` for a matrix in single precision."""
        return max(tol, SINGLE_TOL) if self.K.dtype == np.float32 else tol

    def dense_features(self, count: int) -> FloatArray:
        """Return Nystroem features of at most ``count`` landmarks."""
        landmarks = self.representatives(count).rows
        return nystroem_features(self.K[landmarks], landmarks)

    @cached_property
    def features(self) -> FloatArray:
        """The Nystroem features of the preconditioner, in single precision if alpha exceeds it."""
        landmarks = self.representatives(preconditioner_size(len(self.K))).rows
        columns = self.K[landmarks]
        representable = 1.0 / SINGLE_RANGE < float(np.diag(self.K).max()) < SINGLE_RANGE
        if representable and self.alpha >= single_rounding(self.K, self.sample_weight):
            columns = columns.astype(np.float32, copy=False)
        return nystroem_features(columns, landmarks)

    def system(self) -> RidgeSystem:
        """Return the system of a weighted ridge fit, factorised or iterative."""
        if not self.iterative:
            return ExactRidge(self.K, self.fit_intercept)
        return IterativeRidge(self.K, self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """Return the systems of Newton steps; several outputs are coupled and always iterative."""
        if n_outputs == 1:
            rough = self.low_rank_system()
            return [self.system()] if rough is None else [rough, self.system()]
        features = self.dense_features(preconditioner_size(len(self.K), n_outputs))
        # A low-rank system, whose preconditioner costs as much, would save few products.
        return [IterativeRidge(self.K, features, self.fit_intercept)]

    def low_rank_system(self) -> RidgeSystem | None:
        """Return the system of the preconditioner's features if refits are iterative."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram) if self.iterative else None

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the coefficients of the fit, which are the dual coefficients."""
        return fit.coef


def make_design(
    kernel: Kernel,
    X: Any,
    sample_weight: FloatArray,
    alpha: float,
    fit_intercept: bool,
    *,
    iterative: bool | None = None,
    matrix: bool = False,
    memory_limit: Any = "auto",
    otherwise: str = 'kernel="linear"',
    n_threads: int | None = None,
) -> SystemDesign:
    """Return the design that suits the kernel and the number of samples.

    X in single precision is converted to double; the precision of the kernel matrix depends on
    its size alone. ``iterative=None`` decides by the number of samples whether to refit by
    conjugate gradients, ``matrix`` requests the matrix even for a linear kernel with few columns,
    and ``otherwise`` is the setting that needs no matrix, for the error message.
    """
    n, d = X.shape
    given = isinstance(kernel, Precomputed)
    X = X if given else in_double(X)
    if isinstance(kernel, Linear) and d <= n and not matrix:
        return LinearDesign(kernel, X, sample_weight, alpha, fit_intercept)
    iterative = n > policy().exact_rows if iterative is None else iterative
    dtype = matrix_dtype(n, iterative)
    check_matrix_memory(n, dtype, memory_limit, otherwise)
    # The gradient method is defined by the matrix of the rows as they are.
    middle = absorbed_offset(kernel, X, sample_weight, fit_intercept and not matrix)
    rows = measured_from(middle, X)
    K = kernel.matrix(rows, dtype=dtype, n_threads=n_threads)
    rounding = single_rounding(K, sample_weight)
    # Rounding to single precision must not exceed alpha where double precision fits in memory.
    if dtype == np.float32 and alpha < rounding and 2 * K.nbytes <= memory_bytes(memory_limit):
        K = kernel.matrix(rows, dtype=np.float64, n_threads=n_threads)
    X = K if given and X.dtype != np.float64 else X
    design = KernelMatrixDesign(kernel, X, sample_weight, alpha, fit_intercept, K, iterative)
    design.centre = middle
    return design


def single_rounding(K: FloatArray, sample_weight: FloatArray) -> float:
    """Return what rounding to single precision may add to an eigenvalue of the weighted matrix."""
    return float(np.finfo(np.float32).eps) * float(sample_weight @ np.diag(K))


def matrix_dtype(n_rows: int, iterative: bool | None) -> Any:
    """Return the precision of the kernel matrix: single for many samples and iterative refits.

    A factorisation with a small ridge parameter would amplify the rounding errors too much.
    """
    iterative = n_rows > policy().exact_rows if iterative is None else iterative
    return np.float32 if iterative and n_rows > policy().double_rows else np.float64


def preconditioner_size(n_rows: int, n_outputs: int = 1) -> int:
    """Return the number of landmarks: cost grows with its square, saved iterations do not."""
    size = np.clip(6.0 * np.sqrt(n_rows), 50, 700)
    # Several outputs need one Gram matrix for each pair of them.
    pairs = 0.5 * n_outputs * (n_outputs + 1)
    return int(max(20.0, size * np.sqrt(COUPLING / pairs))) if n_outputs > 1 else int(size)
