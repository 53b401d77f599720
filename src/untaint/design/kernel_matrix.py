"""Where a kernel and rows become what the solvers need.

A problem is either dual, with the kernel matrix of all rows, or primal, with the columns of X as
features of the linear kernel. Both offer the same three things: features to search on, a ridge
system to refit with, and coefficients to predict with.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from .._policy import policy
from .._typing import BoolArray, FloatArray
from .._validation import check_matrix_memory, in_double, memory_bytes
from ..kernels import Kernel, Linear, Precomputed
from ..optim.base import Fit, RidgeSystem
from ..optim.gram import IncrementalGram
from ..optim.low_rank import nystroem_features
from ..optim.ridge_cg import IterativeRidge
from ..optim.ridge_exact import ExactRidge
from ..optim.ridge_primal import PrimalRidge
from ..screening.radius import EXCLUSION_RADIUS, centre, near_rows
from ..weighting.base import TrimmingRule
from .base import Design

# Cost of a preconditioner that couples several outputs, in units of one output's.
COUPLING = 3.0


class FitDesign(Design):
    """Rows that a fit can be made to."""

    #: Whether refits are by conjugate gradients, to a tolerance.
    iterative = False
    #: Whether a fit consists of products too small to be worth more than one thread.
    small_products = False

    @abstractmethod
    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """One coefficient a row and output."""

    def low_rank_system(self) -> RidgeSystem | None:
        """A cheap stand-in that settles most of the rows, where one pays."""
        return None

    def attainable(self, tol: float) -> float:
        """The tolerance asked for, or what the matrix's precision can give."""
        return tol

    def excluded_rows(self, weighting: TrimmingRule, reach: float = EXCLUSION_RADIUS) -> BoolArray:
        """Rows beyond reach, if they are few enough to be given up; else none."""
        if weighting.contamination == 0:
            return np.zeros(len(self.sample_weight), dtype=bool)
        near = near_rows(self.radius, self.sample_weight, reach)
        enough = float(self.sample_weight[near].sum()) >= weighting.kept_total(self.sample_weight)
        return ~near if enough else np.zeros_like(near)


class SystemDesign(FitDesign):
    """Rows whose fit is the solution of a linear system, or of several in turn."""

    @abstractmethod
    def system(self) -> RidgeSystem:
        """What refits."""

    @abstractmethod
    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """What multiplies and preconditions in Newton steps, a cheap stand-in first if it pays."""


@final
class KernelMatrixDesign(SystemDesign):
    """Any kernel, by its matrix.

    Parameters
    ----------
    kernel, X, sample_weight, ridge, fit_intercept
        As in :class:`Problem`.
    K : array of shape (n, n)
    iterative : bool
        Refit by conjugate gradients and not by factorisation.
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        sample_weight: FloatArray,
        alpha: float,
        fit_intercept: bool,
        K: FloatArray,
        iterative: bool,
    ) -> None:
        super().__init__(kernel, X, sample_weight, alpha, fit_intercept)
        self.K = K
        self.iterative = iterative
        # Conjugate gradients read the matrix once a step: memory is what they wait for.
        self.small_products = iterative or len(K) <= policy().exact_rows

    def attainable(self, tol: float) -> float:
        """Single precision gives five digits."""
        return max(tol, 1e-5) if self.K.dtype == np.float32 else tol

    @cached_property
    def init_features(self) -> FloatArray:
        """Nystroem features of few landmarks."""
        return self._nystroem(policy().init_landmarks)

    @cached_property
    def loo_features(self) -> FloatArray:
        """Nystroem features of more landmarks, all rows if they are few."""
        return self._nystroem(policy().loo_landmarks)

    @cached_property
    def features(self) -> FloatArray:
        """Nystroem features of more landmarks: the preconditioner."""
        return self._nystroem(preconditioner_size(len(self.K)))

    @cached_property
    def gram(self) -> IncrementalGram:
        """Of these features, shared by whoever refits with them."""
        return IncrementalGram(self.features)

    def system(self) -> RidgeSystem:
        """Factorise or iterate."""
        if not self.iterative:
            return ExactRidge(self.K, self.fit_intercept)
        return IterativeRidge(self.K, self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """Factorise one output of few rows; several are coupled and always iterated on."""
        if n_outputs == 1:
            return [self.system()]
        features = self._nystroem(preconditioner_size(len(self.K), n_outputs))
        full = IterativeRidge(self.K, features, self.fit_intercept)
        # Few rows are read as quickly in full.
        return [PrimalRidge(features, self.fit_intercept), full] if self.iterative else [full]

    def low_rank_system(self) -> RidgeSystem | None:
        """Of a few Nystroem features."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram) if self.iterative else None

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """The fit's own."""
        return fit.coef

    def _nystroem(self, count: int) -> FloatArray:
        landmarks = self.representatives(count).rows
        return nystroem_features(self.K[landmarks], landmarks)


@final
class LinearDesign(SystemDesign):
    """The linear kernel, by the columns of X."""

    @cached_property
    def centre(self) -> FloatArray:
        """Subtracted from dense rows where an intercept takes it up again."""
        if not self.fit_intercept:
            return np.zeros(self.X.shape[1])
        return centre(self.X, self.sample_weight)

    @cached_property
    def features(self) -> Any:
        """Centred columns; sparse ones as they are."""
        if sparse.issparse(self.X) or not self.centre.any():
            return in_double(self.X)
        return self.X - self.centre

    @cached_property
    def init_features(self) -> FloatArray:
        """The columns themselves while they are few, else Nystroem features."""
        return self._dense(policy().init_landmarks)

    @cached_property
    def loo_features(self) -> FloatArray:
        """The same, with more landmarks."""
        return self._dense(policy().loo_landmarks)

    def _dense(self, count: int) -> FloatArray:
        """At most so many features."""
        if self.X.shape[1] <= count:
            dense = self.features.toarray() if sparse.issparse(self.features) else self.features
            return np.asarray(dense, dtype=float)
        landmarks = self.representatives(count).rows
        columns = self.features[landmarks] @ self.features.T
        if sparse.issparse(columns):
            columns = columns.toarray()
        return nystroem_features(np.asarray(columns), landmarks)

    @cached_property
    def gram(self) -> IncrementalGram:
        """Of the columns; follows the weights."""
        return IncrementalGram(self.features)

    def system(self) -> RidgeSystem:
        """Normal equations."""
        return PrimalRidge(self.features, self.fit_intercept, self.gram)

    def newton_systems(self, n_outputs: int) -> list[RidgeSystem]:
        """The same."""
        return [self.system()]

    def primal_coef(self, fit: Fit) -> tuple[FloatArray, FloatArray]:
        """Coefficients of the columns as given, and the intercept that goes with them."""
        return fit.coef, fit.intercept - self.centre @ fit.coef

    def dual_coef(self, fit: Fit, y: FloatArray, weights: FloatArray) -> FloatArray:
        """The fit's own; of a squared loss, a = w (y - f) / ridge, at the ridge of the ball."""
        if fit.dual is not None:
            return fit.dual
        slopes = weights[:, None] * np.where(weights[:, None] > 0, y - fit.predictions, 0.0)
        projection = np.asarray(self.features.T @ slopes)
        alpha = float(np.sum(projection * fit.coef)) / max(fit.squared_norm, np.finfo(float).tiny)
        G, total = self.gram.at(weights), np.asarray(self.features.T @ weights)
        clear = np.linalg.norm(projection) > 1e-9 * np.sqrt(np.trace(G)) * np.linalg.norm(slopes)
        # Residuals that are rounding errors pull anywhere.
        if clear and np.linalg.norm(projection - alpha * fit.coef) <= 1e-6 * np.linalg.norm(
            projection
        ):
            return slopes / alpha
        # Without a ridge any combination of the kept rows that gives the coefficients will do.
        mean = total / weights.sum() if self.fit_intercept else np.zeros(len(total))
        inner = np.linalg.lstsq(G - np.outer(mean, total), fit.coef, rcond=None)[0]
        return weights[:, None] * (np.asarray(self.features @ inner) - mean @ inner)


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
    """The problem that suits the kernel and the size; single rows are a matter of storage alone.

    Parameters
    ----------
    kernel, X, sample_weight, ridge, fit_intercept
        As in :class:`Problem`.
    iterative : bool, optional
        Refit by conjugate gradients; None leaves it to the number of rows.
    matrix : bool
        Build the kernel matrix even of a linear kernel with few columns.
    memory_limit : int or str
        What the matrix may take.
    otherwise : str
        What needs no matrix, for the message if it may not.
    n_threads : int, optional
    """
    n, d = X.shape
    given = isinstance(kernel, Precomputed)
    X = X if given else in_double(X)
    if isinstance(kernel, Linear) and d <= n and not matrix:
        return LinearDesign(kernel, X, sample_weight, alpha, fit_intercept)
    dtype = matrix_dtype(n, iterative)
    iterative = n > policy().exact_rows if iterative is None else iterative
    check_matrix_memory(n, dtype, memory_limit, otherwise)
    K = kernel.matrix(X, dtype=dtype, n_threads=n_threads)
    if dtype == np.float32 and _drowned(K, sample_weight, alpha, memory_limit):
        K = kernel.matrix(X, dtype=np.float64, n_threads=n_threads)
    X = K if given and X.dtype != np.float64 else X
    return KernelMatrixDesign(kernel, X, sample_weight, alpha, fit_intercept, K, iterative)


def matrix_dtype(n_rows: int, iterative: bool | None) -> Any:
    """Single precision where refits are iterative and rows are many, whatever that of the rows.

    A factorisation with a small ridge magnifies the rounding of single precision beyond all use.
    """
    iterative = n_rows > policy().exact_rows if iterative is None else iterative
    return np.float32 if iterative and n_rows > policy().double_rows else np.float64


def _drowned(K: FloatArray, sample_weight: FloatArray, alpha: float, memory_limit: Any) -> bool:
    """Whether single precision rounds K by more than alpha, and memory allows for double."""
    rounding = float(np.finfo(np.float32).eps) * float(sample_weight @ np.diag(K))
    return alpha < rounding and 2 * K.nbytes <= memory_bytes(memory_limit)


def preconditioner_size(n_rows: int, n_outputs: int = 1) -> int:
    """Landmarks that pay: their cost grows with the square, the iterations they save do not."""
    size = np.clip(6.0 * np.sqrt(n_rows), 50, 700)
    # Several outputs: one Gram matrix for each pair of them.
    pairs = 0.5 * n_outputs * (n_outputs + 1)
    return int(max(20.0, size * np.sqrt(COUPLING / pairs))) if n_outputs > 1 else int(size)
