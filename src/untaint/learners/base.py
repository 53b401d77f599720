"""What every kernel estimator does besides fitting: store a function, predict, stay consistent.

A fit that is interrupted leaves the estimator as it was.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Self
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .._progress import ProgressLine, shown_by
from .._threads import limited_cores
from .._typing import FloatArray, IntArray
from .._validation import (
    array_namespace_of,
    check_matrix_memory,
    check_query_data,
    check_verbose,
    overflow_guard,
)
from ..design.base import FitDesign, measured_from
from ..design.features import FeatureDesign
from ..design.linear import LinearDesign
from ..feature_maps.identity import IdentityMap
from ..feature_maps.nystroem import NystroemMap
from ..kernels import Kernel, Linear, Precomputed, gamma_distance, make_kernel, resolve_gamma
from ..optim.base import Callback, Fit, Solution, no_callback
from .function import FittedFunction, as_2d, used_rows
from .training import TrainingRecord, is_mapped

# Attributes that describe the fitted function, and those that describe the training rows.
FUNCTION = ("coef_", "feature_map_", "feature_coef_", "X_fit_", "dual_coef_", "intercept_")
TRAINING = (
    *("_training", "inlier_mask_", "inlier_probability_", "outlier_scores_", "noise_scale_"),
    "cv_results_",
)


class KernelEstimator(BaseEstimator):
    """A function in the space of a kernel, as scikit-learn expects it.

    Subclasses have the parameters ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``shape``, and
    may have ``memory_limit``, ``n_jobs`` and ``verbose``.
    """

    memory_limit: Any = "auto"
    n_jobs: int | None = None
    verbose: int = 0
    _training: TrainingRecord
    #: Loss, data checks and targets as the user gave them: of regressors and classifiers.
    _loss: Any
    _check_data: Any
    _observed: Any

    def _set_parameters(self, parameters: dict[str, Any]) -> None:
        """Store the arguments of ``__init__`` as they are."""
        for name, value in parameters.items():
            if name != "self":
                setattr(self, name, value)

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
        if distance is None:
            return self._kernel_of_scale(None)
        return self._kernel_of_scale(resolve_gamma(self.gamma, X, sample_weight, distance=distance))

    def _kernel_of_scale(self, gamma: float | None) -> Kernel:
        return make_kernel(
            self.kernel, gamma=gamma, degree=self.degree, coef0=self.coef0, shape=self.shape
        )

    def _record(self) -> TrainingRecord:
        """Return the record of the training rows; an error if this is a predictor without them."""
        record = self.__dict__.get("_training")
        if record is None or record.X is None:
            raise ValueError(
                f"{type(self).__name__} holds no training rows (it is a predictor, or was fitted "
                "to rows in a file and saved): call this on the fitted model, or fit again."
            )
        return record

    def _store_function(
        self, X: Any, targets: FloatArray, present: IntArray, design: FitDesign, solution: Solution
    ) -> None:
        """Store the coefficients of a fit to the rows that are present, with its weights."""
        fit, weights = solution.fit, solution.weights
        # An earlier fit may have had another kernel, or other features.
        for name in FUNCTION:
            self.__dict__.pop(name, None)
        self.kernel_ = design.kernel
        if isinstance(design, FeatureDesign) and not isinstance(design.map, IdentityMap):
            self._store_features(design, fit)
            return
        self.X_fit_ = X
        intercept = fit.intercept
        if isinstance(design, FeatureDesign):
            coef, intercept = design.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T.astype(np.float64))
            self.intercept_ = self._shaped_intercept(intercept.astype(np.float64))
            return  # with a sum over all rows, dual_coef_ is computed where it is asked for
        dual = np.zeros(targets.shape)
        dual[present] = design.dual_coef(fit, targets[present], weights)
        dual[present[weights == 0]] = 0.0  # an iterative solver leaves rounding errors there
        if isinstance(design, LinearDesign):
            coef, intercept = design.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T.astype(np.float64))
        elif isinstance(design.kernel, Linear):
            coef = np.asarray(measured_from(design.centre, X).T @ dual)
            intercept = intercept - design.centre @ coef
            self.coef_ = self._shaped_coef(coef.T)
        self.dual_coef_ = self._shaped_dual(dual)
        self.intercept_ = self._shaped_intercept(intercept.astype(np.float64))

    def __getattr__(self, name: str) -> Any:
        """Compute ``dual_coef_`` of a linear fit to many rows, which predictions do without."""
        record: Any = self.__dict__.get("_training")
        coef: Any = self.__dict__.get("coef_")
        known = coef is not None and record is not None and record.X is not None
        if name != "dual_coef_" or not known or record.feature_map is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        design = record.feature_design(self.memory_limit, self._n_threads)
        fit = Fit.on_features(np.atleast_2d(coef).T, np.zeros(1), record.targets)
        self.dual_coef_ = self._shaped_dual(
            design.dual_coef(fit, record.targets, record.fit_weight)
        )
        return self.dual_coef_

    def _store_features(self, design: FeatureDesign, fit: Fit) -> None:
        """Store a kernel expansion in the landmarks, or coefficients of random features."""
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

    def _all_predictions(self, predictions: FloatArray, present: IntArray) -> FloatArray:
        """Return raw predictions of all rows, those of weight zero too, from the others'."""
        record = self._training
        absent = np.flatnonzero(record.sample_weight == 0)
        if len(absent) == 0:
            return predictions
        out = np.empty((len(record.targets), predictions.shape[1]))
        out[present], out[absent] = predictions, as_2d(self._raw(record.X[absent]))
        return out

    def __getstate__(self) -> Any:
        """Leave rows that are mapped from a file in their file."""
        state = super().__getstate__()
        if isinstance(state.get("_training"), TrainingRecord):
            state = state | {"_training": state["_training"].without_mapped_rows()}
        if "coef_" in state and is_mapped(state.get("X_fit_")):
            state = state | {"X_fit_": None}
        return state

    def predictor(self) -> Self:
        """Return a copy that predicts, without the training rows that predictions do not need.

        The copy is smaller and discloses neither targets nor trimmed rows; a kernel expansion keeps
        the rows that it consists of. Methods that need the training rows, such as ``audit``, raise
        an error.

        Returns
        -------
        estimator
            An estimator of the same class.

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
        for name in (*TRAINING, *expansion):
            lean.__dict__.pop(name, None)
        if expansion:
            return lean
        if not hasattr(self, "feature_map_") and not isinstance(self.kernel_, Precomputed):
            used = used_rows(self)
            lean.X_fit_, lean.dual_coef_ = self.X_fit_[used], self.dual_coef_[used]
        return lean

    def _query(self, X: Any) -> FloatArray:
        """Return predictions of what a user passes."""
        check_is_fitted(self)
        pairwise = isinstance(self.kernel_, Precomputed)
        n_fit = self.X_fit_.shape[0] if pairwise else 0
        rows = check_query_data(self, X, pairwise=pairwise, n_fit=n_fit)
        if array_namespace_of(rows) is not None:
            raw = FittedFunction(self, self._n_threads).in_namespace(rows)
            return self._shaped_dual(self._to_own_units(raw))
        return np.asarray(self._to_own_units(self._raw(rows))).astype(rows.dtype, copy=False)

    def _to_own_units(self, raw: Any) -> Any:
        """Return raw predictions, of any array library, in units of the targets."""
        return raw

    def _raw(self, X: Any) -> FloatArray:
        return FittedFunction(self, self._n_threads)(X)

    @contextmanager
    def _limited_threads(self) -> Iterator[None]:
        if self._n_threads is None:
            yield
        else:
            with threadpool_limits(self._n_threads), limited_cores(self._n_threads):
                yield

    @contextmanager
    def _reporting(self) -> Iterator[Callback]:
        check_verbose(self.verbose)
        if not self.verbose:
            yield no_callback
            return
        line = ProgressLine(type(self).__name__)
        try:
            with shown_by(line.on_step):
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


def on_stage(callback: Callback, stage: str) -> None:
    """Name the stage of the work that begins on a progress line."""
    if isinstance(callback, ProgressLine):
        callback.begin(stage)


def on_passes(callback: Callback, design: FitDesign) -> None:
    """Show passes over many rows on a progress line."""
    if isinstance(callback, ProgressLine) and isinstance(design, FeatureDesign):
        design.features.on_progress = callback.on_pass


def take(X: Any, rows: Any, pairwise: bool) -> Any:
    """Return rows of X, and the columns too if X is a kernel matrix."""
    if len(rows) == X.shape[0]:
        return X
    return X[np.ix_(rows, rows)] if pairwise else X[rows]
