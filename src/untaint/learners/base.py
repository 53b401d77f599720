"""What every batch learner with a kernel does besides fitting.

A fitted learner is a function f(x) = sum_i a_i k(x_i, x) + b, by its dual coefficients a and the
training rows, or, for the linear kernel, by its slopes. It predicts the same way however it was
found, and a fit that is interrupted leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .._progress import ProgressLine
from .._typing import FloatArray, IntArray
from .._validation import check_matrix_memory, check_query_data
from ..kernels import Kernel, Linear, Precomputed, gamma_distance, make_kernel, resolve_gamma
from ..screening import Screen, screen
from ..solvers import Fit, Solution
from ..solvers.base import Report, silent
from .problem import PrimalProblem, Problem


class KernelLearner(BaseEstimator):
    """A function in a kernel's space, as scikit-learn expects it.

    Whoever derives from this has the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and
    ``shape``, and may have ``memory_limit``, ``n_jobs`` and ``verbose``.
    """

    memory_limit: Any = "auto"
    n_jobs: int | None = None
    verbose: int = 0

    @property
    def _pairwise(self) -> bool:
        if isinstance(self.kernel, str):
            return self.kernel == "precomputed"
        return isinstance(self.kernel, Precomputed)

    @property
    def _n_threads(self) -> int | None:
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else None

    def _make_kernel(self, X: Any, row_weights: FloatArray) -> Kernel:
        distance = gamma_distance(self.kernel)
        gamma = (
            None
            if distance is None
            else resolve_gamma(self.gamma, X, row_weights, distance=distance)
        )
        return self._kernel_of_scale(gamma)

    def _kernel_of_scale(self, gamma: float | None) -> Kernel:
        return make_kernel(
            self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0, shape=self.shape
        )

    def _store_function(
        self,
        X: Any,
        targets: FloatArray,
        present: IntArray,
        problem: Problem,
        fit: Fit,
        weights: FloatArray,
    ) -> None:
        """Coefficients of a fit to the rows that are present, with the weights it belongs to."""
        self.__dict__.pop("coef_", None)  # an earlier fit may have had another kernel
        self.kernel_ = problem.kernel
        self.X_fit_ = X
        intercept, dtype = fit.intercept, X.dtype
        dual = np.zeros(targets.shape)
        dual[present] = problem.dual_coef(fit, targets[present], weights)
        dual[present[weights == 0]] = 0.0  # what an iterative solver has left of them
        if isinstance(problem, PrimalProblem):
            coef, intercept = problem.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T.astype(dtype))
        elif isinstance(problem.kernel, Linear):
            self.coef_ = self._shaped_coef(np.asarray(X.T @ dual).T.astype(dtype))
        self.dual_coef_ = self._shaped_dual(dual.astype(dtype))
        self.intercept_ = self._shaped_intercept(intercept.astype(dtype))

    def _shaped_coef(self, coef: FloatArray) -> FloatArray:
        return coef

    def _shaped_dual(self, dual: FloatArray) -> FloatArray:
        return dual[:, 0] if dual.shape[1] == 1 else dual

    def _shaped_intercept(self, intercept: FloatArray) -> Any:
        return intercept

    def _fit_matrix(self) -> FloatArray:
        check_matrix_memory(self.X_fit_.shape[0], np.float64, self.memory_limit)
        return self.kernel_.matrix(self.X_fit_, dtype=np.float64, n_threads=self._n_threads)

    def _losses(self, predictions: FloatArray, present: IntArray) -> FloatArray:
        """Of all rows; those of weight zero had no part in the fit, but are judged by it."""
        losses = np.empty(len(self._row_weights))
        losses[present] = self._loss.value(self._targets[present], predictions)
        absent = np.flatnonzero(self._row_weights == 0)
        if len(absent):
            losses[absent] = self._loss.value(
                self._targets[absent], columns(self._raw(self.X_fit_[absent]))
            )
        return losses

    def _screened(self) -> Screen | None:
        """What the features alone say; nothing is known of a precomputed kernel's."""
        if isinstance(self.kernel_, Precomputed):
            return None
        return screen(self.X_fit_, self._row_weights)

    def _query(self, X: Any) -> FloatArray:
        """Raw predictions of what a user passes."""
        check_is_fitted(self)
        pairwise = isinstance(self.kernel_, Precomputed)
        return self._raw(check_query_data(self, X, pairwise=pairwise, n_fit=self.X_fit_.shape[0]))

    def _raw(self, X: Any) -> FloatArray:
        if hasattr(self, "coef_"):
            return np.asarray(X @ self.coef_.T.astype(X.dtype)) + self.intercept_
        used = np.flatnonzero(columns(self.dual_coef_).any(axis=1))
        if isinstance(self.kernel_, Precomputed):
            return X[:, used] @ self.dual_coef_[used] + self.intercept_
        K = self.kernel_.matrix(X, self.X_fit_[used], n_threads=self._n_threads)
        return K @ self.dual_coef_[used].astype(K.dtype) + self.intercept_

    @contextmanager
    def _limited_threads(self) -> Iterator[None]:
        if self._n_threads is None:
            yield
        else:
            with threadpool_limits(self._n_threads):
                yield

    @contextmanager
    def _reporting(self) -> Iterator[Report]:
        if not self.verbose:
            yield silent
            return
        line = ProgressLine(type(self).__name__)

        try:
            yield line
        finally:
            line.close()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Leave the estimator as it was if the fit does not come to its end."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def _warn_unless_converged(self, solution: Solution) -> None:
        if not solution.converged:
            warn(
                f"{type(self).__name__} stopped after {solution.n_iter} iterations without "
                f"converging: {solution.remedy}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = not self._pairwise
        tags.input_tags.pairwise = self._pairwise
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "inlier_mask_")


def columns(y: FloatArray) -> FloatArray:
    """One column an output."""
    return y[:, None] if y.ndim == 1 else y


def take(X: Any, rows: Any, pairwise: bool) -> Any:
    """Rows of X, and columns too if X is a kernel matrix."""
    if len(rows) == X.shape[0]:
        return X
    return X[np.ix_(rows, rows)] if pairwise else X[rows]
