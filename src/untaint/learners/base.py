"""What every batch learner with a kernel does besides fitting.

A fitted learner is a function f(x) = sum_i a_i k(x_i, x) + b, by its dual coefficients a and the
training rows, or, for the linear kernel, by its slopes. It predicts the same way however it was
found, and a fit that is interrupted leaves it as it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import partial
from typing import Any, Self
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .._policy import policy
from .._progress import ProgressLine
from .._typing import FloatArray, IntArray
from .._validation import (
    array_namespace_of,
    check_matrix_memory,
    check_query_data,
    in_double,
    memory_bytes,
    overflow_guard,
    to_numpy,
)
from ..design.base import FitDesign
from ..design.features import FeatureDesign
from ..design.linear import LinearDesign
from ..design.memory_plan import plan_blocks
from ..design.subsample import draw_rows, subsample_size
from ..feature_maps.base import FeatureMap
from ..feature_maps.identity import IdentityMap
from ..feature_maps.nystroem import NystroemMap
from ..kernels import (
    CallableKernel,
    Kernel,
    Linear,
    Precomputed,
    gamma_distance,
    make_kernel,
    resolve_gamma,
)
from ..optim.base import Callback, Fit, Solution, no_callback
from ..portable import ArrayArithmetic, function_of
from ..screening.by_subsample import screen_by_sample
from ..screening.screen import Screen, screen

# What a fitted learner keeps of its training rows, beyond what predictions take.
TRAINING_STATE = (
    "_targets",
    "_codes",
    "_sample_weight",
    "_fit_weight",
    "_fitted",
    "inlier_mask_",
    "outlier_scores_",
    "cv_results_",
)


class KernelEstimator(BaseEstimator):
    """A function in a kernel's space, as scikit-learn expects it.

    Whoever derives from this has the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and
    ``shape``, and may have ``memory_limit``, ``n_jobs`` and ``verbose``.
    """

    memory_limit: Any = "auto"
    n_jobs: int | None = None
    verbose: int = 0
    #: Features of the last fit, if it was made on any.
    _map: FeatureMap | None = None

    @property
    def _pairwise(self) -> bool:
        if isinstance(self.kernel, str):
            return self.kernel == "precomputed"
        return isinstance(self.kernel, Precomputed)

    @property
    def _n_threads(self) -> int | None:
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else None

    def _make_kernel(self, X: Any, sample_weight: FloatArray) -> Kernel:
        distance = gamma_distance(self.kernel)
        gamma = (
            None
            if distance is None
            else resolve_gamma(self.gamma, X, sample_weight, distance=distance)
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
        design: FitDesign,
        fit: Fit,
        weights: FloatArray,
    ) -> None:
        """Coefficients of a fit to the rows that are present, with the weights it belongs to."""
        # An earlier fit may have had another kernel, or other features.
        for name in ("coef_", "feature_map_", "feature_coef_", "X_fit_", "dual_coef_"):
            self.__dict__.pop(name, None)
        self.kernel_ = design.kernel
        self._rows = X
        self._map = design.map if isinstance(design, FeatureDesign) else None
        if isinstance(design, FeatureDesign) and not isinstance(design.map, IdentityMap):
            self._store_features(design, fit)
            return
        self.X_fit_ = X
        intercept = fit.intercept
        dual = np.zeros(targets.shape)
        dual[present] = design.dual_coef(fit, targets[present], weights)
        dual[present[weights == 0]] = 0.0  # what an iterative solver has left of them
        if isinstance(design, LinearDesign | FeatureDesign):
            coef, intercept = design.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T.astype(np.float64))
        elif isinstance(design.kernel, Linear):
            self.coef_ = self._shaped_coef(np.asarray(X.T @ dual).T)
        self.dual_coef_ = self._shaped_dual(dual)
        self.intercept_ = self._shaped_intercept(intercept.astype(np.float64))

    def _store_features(self, design: FeatureDesign, fit: Fit) -> None:
        """A kernel expansion in the landmarks, or coefficients of random features."""
        coef = design.map.unwhiten_coef(fit.coef).astype(np.float64)
        if isinstance(design.map, NystroemMap):
            self.X_fit_ = design.map.landmarks
            self.dual_coef_ = self._shaped_dual(coef)
        else:
            self.feature_map_ = design.map
            self.feature_coef_ = self._shaped_dual(coef)
        self.intercept_ = self._shaped_intercept(fit.intercept.astype(np.float64))

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
        losses = np.empty(len(self._sample_weight))
        losses[present] = self._loss.value(self._targets[present], predictions)
        absent = np.flatnonzero(self._sample_weight == 0)
        if len(absent):
            losses[absent] = self._loss.value(
                self._targets[absent], as_2d(self._raw(self._rows[absent]))
            )
        return losses

    def _screened(self) -> Screen | None:
        """What the features alone say; nothing is known of a precomputed kernel's."""
        if isinstance(self.kernel_, Precomputed):
            return None
        rows = self._training_rows()
        if rows.shape[0] <= policy().subsample_rows:
            return screen(rows, self._sample_weight)
        sample = np.unique(draw_rows(self._sample_weight, policy().subsample_rows))
        return screen_by_sample(rows, sample)

    def _training_rows(self) -> Any:
        """The rows of the last fit."""
        if self._rows is None:
            raise ValueError(
                f"{type(self).__name__} was fitted to rows in a file, which are not part of a "
                "saved model: call this on the model that was fitted, or fit again."
            )
        return self._rows

    def _feature_design(self, alpha: float, fit_intercept: bool) -> FeatureDesign:
        """The rows of the last fit, on its features."""
        assert self._map is not None
        X, weights = self._training_rows(), self._sample_weight
        plan = plan_blocks(
            X.shape[0],
            self._targets.shape[1],
            self._map.raw_width,
            self._map.dtype,
            memory_bytes(self.memory_limit),
            keep=False,
        )
        many = X.shape[0] > policy().subsample_rows
        count = subsample_size(self._map.width, memory_bytes(self.memory_limit))
        rows = draw_rows(weights, count) if many else None
        return FeatureDesign(
            self.kernel_,
            X,
            weights,
            alpha,
            fit_intercept,
            self._map,
            plan,
            rows,
            n_threads=self._n_threads,
        )

    def __getstate__(self) -> Any:
        """Rows that are mapped from a file stay in their file."""
        state = super().__getstate__()
        names = ("_rows", "X_fit_") if "coef_" in state else ("_rows",)
        return state | dict.fromkeys(name for name in names if _is_mapped(state.get(name)))

    def predictor(self) -> Self:
        """A copy that predicts, and that holds no more of the training rows than this takes.

        It is smaller, and gives away neither targets nor the rows that were given up; of a kernel
        expansion the rows remain that it is made of. What needs the training rows, such as
        ``audit``, says that they are not there.

        Returns
        -------
        estimator
            Of the same class.

        Examples
        --------
        >>> import numpy as np
        >>> from untaint import SubquantileRegressor
        >>> X = np.linspace(0, 3, 40)[:, None]
        >>> model = SubquantileRegressor(contamination=0.25).fit(X, np.sin(X).ravel())
        >>> lean = model.predictor()
        >>> bool((lean.predict(X) == model.predict(X)).all()), len(lean.X_fit_)
        (True, 30)
        """
        check_is_fitted(self)
        lean = copy(self)
        expansion = ("dual_coef_", "X_fit_") if hasattr(self, "coef_") else ()
        for name in (*TRAINING_STATE, *expansion):
            lean.__dict__.pop(name, None)
        lean._rows = lean._map = None
        if expansion:
            return lean
        if not hasattr(self, "feature_map_") and not isinstance(self.kernel_, Precomputed):
            used = np.flatnonzero(as_2d(self.dual_coef_).any(axis=1))
            lean.X_fit_, lean.dual_coef_ = self.X_fit_[used], self.dual_coef_[used]
        return lean

    def _query(self, X: Any) -> FloatArray:
        """Raw predictions of what a user passes."""
        check_is_fitted(self)
        pairwise = isinstance(self.kernel_, Precomputed)
        n_fit = self.X_fit_.shape[0] if pairwise else 0
        rows = check_query_data(self, X, pairwise=pairwise, n_fit=n_fit)
        if array_namespace_of(rows) is not None:
            return self._predict_array_api(rows)
        return self._raw(rows).astype(rows.dtype, copy=False)

    def _predict_array_api(self, X: Any) -> Any:
        """Predictions of another library's rows, by that library and where the rows are."""
        namespace = array_namespace_of(X)
        assert namespace is not None
        if isinstance(self.kernel_, CallableKernel):  # made for NumPy's rows
            raw = np.asarray(self._raw(to_numpy(X)))
            return namespace.xp.asarray(raw, device=namespace.device)
        arithmetic = ArrayArithmetic.at(namespace, X)
        function = function_of(self)
        step = max(policy().predicted_values // max(len(function.coef), 1), 1)
        n = X.shape[0]  # the standard knows no slices beyond it
        blocks = (X[start : min(start + step, n), :] for start in range(0, n, step))
        raw = namespace.xp.concat([function(arithmetic.value(rows)).data for rows in blocks])
        return self._shaped_dual(raw)

    def _raw(self, X: Any) -> FloatArray:
        """Predictions of rows, in blocks where features have to be made for them.

        In double precision, whatever that of the rows: coefficients may be large and nearly cancel.
        """
        if hasattr(self, "coef_"):
            return self._by_columns(X) + self.intercept_
        if hasattr(self, "feature_map_"):
            coef, features = self.feature_coef_, self.feature_map_.raw
        else:
            used = np.flatnonzero(as_2d(self.dual_coef_).any(axis=1))
            coef = self.dual_coef_[used]
            if isinstance(self.kernel_, Precomputed):
                return X[:, used] @ coef + self.intercept_
            features = partial(self._kernel_values, landmarks=self.X_fit_[used])
        out = np.empty((X.shape[0], *coef.shape[1:]))
        step = max(policy().predicted_values // max(len(coef), 1), 1)
        for start in range(0, X.shape[0], step):
            block = features(X[start : start + step])
            out[start : start + step] = block @ coef.astype(block.dtype) + self.intercept_
        return out

    def _by_columns(self, X: Any) -> FloatArray:
        """Of a linear function without its intercept; single rows become double block by block."""
        slopes = self.coef_.T.astype(np.float64, copy=False)
        if X.dtype == np.float64:
            return np.asarray(X @ slopes)
        step = max(policy().predicted_values // max(X.shape[1], 1), 1)
        starts = range(0, X.shape[0], step)
        return np.concatenate([in_double(X[i : i + step]) @ slopes for i in starts])

    def _kernel_values(self, X: Any, landmarks: Any) -> FloatArray:
        return self.kernel_.matrix(X, landmarks, dtype=np.float64, n_threads=self._n_threads)

    @contextmanager
    def _limited_threads(self) -> Iterator[None]:
        if self._n_threads is None:
            yield
        else:
            with threadpool_limits(self._n_threads):
                yield

    @contextmanager
    def _reporting(self) -> Iterator[Callback]:
        if not self.verbose:
            yield no_callback
            return
        line = ProgressLine(type(self).__name__)

        try:
            yield line
        finally:
            line.close()

    @contextmanager
    def _transactional(self) -> Iterator[None]:
        """Leave the estimator as it was if the fit does not come to its end."""
        before = dict(self.__dict__)
        try:
            with overflow_guard():
                yield
                if not np.isfinite(getattr(self, "intercept_", 0.0)).all():
                    raise FloatingPointError("the function found is no number")
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
        return hasattr(self, "intercept_")


def _is_mapped(X: Any) -> bool:
    """Whether an array, or what it is a view of, lies in a file."""
    while isinstance(X, np.ndarray):
        if isinstance(X, np.memmap):
            return True
        X = X.base
    return False


def on_stage(report: Callback, stage: str) -> None:
    """Name the part of the work that begins, to who shows progress."""
    if isinstance(report, ProgressLine):
        report.begin(stage)


def on_passes(report: Callback, design: FitDesign) -> None:
    """Let passes over many rows be shown, to who shows progress."""
    if isinstance(report, ProgressLine) and isinstance(design, FeatureDesign):
        design.features.on_progress = report.on_pass


def as_2d(y: FloatArray) -> FloatArray:
    """One column an output."""
    return y[:, None] if y.ndim == 1 else y


def take(X: Any, rows: Any, pairwise: bool) -> Any:
    """Rows of X, and columns too if X is a kernel matrix."""
    if len(rows) == X.shape[0]:
        return X
    return X[np.ix_(rows, rows)] if pairwise else X[rows]
