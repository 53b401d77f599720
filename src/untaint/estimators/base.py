"""Parameters, fit, audit and diagnostics that the batch estimators share."""

from abc import abstractmethod
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._remembered import remembering
from .._typing import FloatArray
from .._validation import (
    MAX_THREADS,
    check_choice,
    check_contamination,
    check_count,
    check_flag,
    check_new_file,
    check_rate,
    check_real,
    in_double,
    memory_bytes,
    seed_of,
)
from ..contamination.residual_mixture import OutlierPosterior
from ..design.base import Design
from ..design.conditioning import scale_message
from ..design.features import FeatureDesign
from ..design.subsample import draw_rows
from ..diagnostics import Diagnostics, diagnose
from ..exceptions import FeatureScaleWarning, warn_if_ambiguous
from ..learners.base import KernelEstimator, take
from ..learners.function import as_2d
from ..learners.training import TrainingRecord
from ..model_selection.label_noise import LabelNoise
from ..optim.checkpoint import Checkpoint
from ..outliers.audit import audit_table, q_values
from .engine import fit_robust
from .state import Hyperparameters, RobustFit, TrainingData
from .task import Task

SOLVERS = ("auto", "exact", "iterative", "newton", "gradient")
# Parameters that do not change the result of a fit.
WITHOUT_EFFECT = ("checkpoint", "verbose", "n_jobs", "memory_limit")


class SubquantileEstimator(KernelEstimator):
    """Fits a kernel function to rows of which some are wrong, and scores the rows."""

    #: Whether the number of starts may be left to the estimator.
    _starts_optional: ClassVar[bool] = False
    #: Solvers that factorise few rows and iterate on many.
    _by_size: ClassVar[tuple[str, ...]] = ("auto",)

    def _check_parameters(self) -> None:
        self._check_hyperparameters()
        check_real("norm_bound", self.norm_bound, low=1e-140, high=1e140, optional=True)
        self._check_smoothing()
        check_real("momentum", self.momentum, low=0, high=1)
        check_real("tol", self.tol, low=0, inclusive=False)
        check_choice("solver", self.solver, SOLVERS)
        check_choice("init", self.init, ("auto", "zeros", "random"))
        check_choice("approximation", self.approximation, (None, "auto", "nystroem", "rff"))
        if not (isinstance(self.n_components, str) and self.n_components == "auto"):
            check_count("n_components", self.n_components, alternative='or "auto"')
        check_choice("acceleration", self.acceleration, (None, "momentum", "nesterov"))
        check_count("n_starts", self.n_starts, optional=self._starts_optional)
        check_count("max_iter", self.max_iter, optional=True)
        if not np.isscalar(self.n_jobs) or self.n_jobs != -1:
            check_count("n_jobs", self.n_jobs, high=MAX_THREADS, optional=True)
        check_flag("fit_intercept", self.fit_intercept)
        check_rate(self.learning_rate)
        memory_bytes(self.memory_limit)
        check_new_file("checkpoint", self.checkpoint)

    def _check_hyperparameters(self) -> None:
        check_real("alpha", self.alpha, low=0)

    def _check_smoothing(self) -> None:
        check_real("smoothing", self.smoothing, low=0, inclusive=False, optional=True)

    def _max_iter(self) -> int:
        if self.max_iter is not None:
            return self.max_iter
        return 2000 if self.solver == "gradient" else 200

    @abstractmethod
    def _task(self, contamination: float | None, seed: int = 0) -> Task:
        """Return what this kind of target needs."""

    def _select(
        self, task: Task, X: Any, y: FloatArray, counts: FloatArray, sample_weight: FloatArray
    ) -> Hyperparameters:
        """Return kernel and alpha; bandwidths are of the rows, whatever their class weights."""
        return Hyperparameters(self._make_kernel(X, counts), float(self.alpha))

    def _class_weighted(self, targets: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the weights of the rows in the fit."""
        return counts

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows of which some are wrong.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n, d)
            The kernel matrix of shape (n, n) if ``kernel="precomputed"``.
        y : array of shape (n,) or (n, k)
            Targets of a regressor, or labels of any type, of shape (n,), of a classifier.
        sample_weight : array of shape (n,), optional
            A weight of k means k copies of the row, exactly.

        Returns
        -------
        estimator
            The estimator itself.
        """
        self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        self._check_parameters()
        with (
            self._transactional(),
            self._limited_threads(),
            remembering(),
            self._reporting() as callback,
        ):
            data, contamination = self._training_data(X, y, sample_weight)
            saved, seed = self._open_checkpoint(data.rows, data.y, data.weights)
            task = self._task(contamination, seed)
            found = fit_robust(task, data, callback, saved)
            self._store(found.data, found, task)
            scales = self._scale_message(found.design)
            if saved is not None:
                saved.remove()
        self._warn_unless_converged(found.solution)
        self._warn_if_ambiguous(found.initial.posterior or found.initial.label_noise)
        self._warn_of_scales(scales)

    def _training_data(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[TrainingData, float | None]:
        """Return checked rows, and the contamination if it is given."""
        X, targets, counts = self._check_data(X, y, sample_weight)
        targets = in_double(targets)
        contamination = check_contamination(self.contamination, counts)
        weights = self._class_weighted(targets, counts)
        present = np.flatnonzero(counts)
        rows = take(X, present, self._pairwise)
        # Many rows become double where, and as far as, they are used.
        limit = policy().double_rows if self._pairwise else policy().subsample_rows
        rows = in_double(rows) if rows.shape[0] <= limit else rows
        return TrainingData(
            X, targets, weights, present, rows, targets[present], weights[present], counts[present]
        ), contamination

    def _open_checkpoint(
        self, X: Any, y: FloatArray, weights: FloatArray
    ) -> tuple[Checkpoint | None, int]:
        """Return the file of this fit, if one is wanted, and the seed of its random numbers."""
        seed = seed_of(self.random_state)
        if self.checkpoint is None:
            return None, seed
        settings = self.get_params().items()
        parameters = {name: value for name, value in settings if name not in WITHOUT_EFFECT}
        key = fit_key(type(self).__name__, parameters, X, y, weights)
        saved = Checkpoint(Path(self.checkpoint), key, seed)
        return saved, saved.seed

    def _store(self, data: TrainingData, found: RobustFit, task: Task) -> None:
        """Store the fitted attributes."""
        design, initial, solution = found.design, found.initial, found.solution
        X, targets, present = data.X, data.targets, data.present
        self._store_function(X, targets, present, design, solution)
        self.__dict__.update(found.hyper.attributes or {})
        self.contamination_ = initial.weighting.contamination
        self.contamination_interval_ = initial.interval or (self.contamination_,) * 2
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged
        fit_weight = np.zeros(len(targets))
        fit_weight[present] = solution.weights
        rows = (design.kernel, X, targets, data.sample_weight, fit_weight)
        settings = (design.alpha, bool(self.fit_intercept), self.norm_bound, initial.weighting)
        feature_map = design.map if isinstance(design, FeatureDesign) else None
        misfit = None
        if initial.posterior is not None and initial.posterior.misfit.any():
            misfit = np.zeros(len(targets), dtype=bool)
            misfit[present] = initial.posterior.misfit
        more = (feature_map, misfit, data.observed, initial.label_noise)
        self._training = TrainingRecord(*rows, *settings, *more)
        self._store_outlier_attributes(data, found, task)

    def _store_outlier_attributes(self, data: TrainingData, found: RobustFit, task: Task) -> None:
        initial = found.initial
        predictions = self._all_predictions(found.solution.fit.predictions, data.present)
        losses = self._loss.value(data.targets, predictions)
        excluded = initial.excluded
        if excluded is None:
            excluded = found.design.excluded_rows(initial.weighting, task.exclusion_radius)
        losses[data.present[excluded]] = np.inf
        rows = (predictions, losses, initial, data.present)
        self.__dict__.update(task.outlier_attributes(*rows))
        # An excluded row has no residual to speak of: it is as suspicious as the worst row.
        known = np.isfinite(self.outlier_scores_)
        self.outlier_scores_[~known] = self.outlier_scores_[known].max(initial=0.0)
        if initial.label_noise is None or not initial.label_noise.corrects:
            self.inlier_probability_ = self.inlier_mask_.astype(float)
        if initial.posterior is not None:
            self.outlier_scores_[data.present] = initial.posterior.scores
            self.inlier_probability_[data.present] = initial.posterior.inlier_probability
            self.noise_scale_[data.present] = initial.posterior.noise_scale

    def diagnostics(self) -> Diagnostics:
        """Return the theory's constants, evaluated on this fit.

        Returns
        -------
        Diagnostics
            Lipschitz and smoothness constants, step size, stationarity, worst-case gamma and
            effective dimension; see :class:`untaint.diagnostics.Diagnostics`.
        """
        check_is_fitted(self)
        record = self._record()
        if record.feature_map is not None and not hasattr(self, "coef_"):
            raise ValueError(
                "diagnostics() evaluates the theory on the kernel matrix of all rows, which this "
                "fit did without: fit with approximation=None."
            )
        present = np.flatnonzero(record.sample_weight)
        assert record.weighting is not None
        return diagnose(
            K=take(self._fit_matrix(), present, True),
            y=record.targets[present].astype(float),
            coef=as_2d(self.dual_coef_)[present].astype(float),
            intercept=np.atleast_1d(self.intercept_).astype(float),
            sample_weight=record.sample_weight[present],
            loss=self._loss,
            weighting=record.weighting,
            alpha=record.alpha,
            norm_bound=record.norm_bound,
            fit_intercept=record.fit_intercept,
        )

    def audit(self, fdr: float | None = None) -> Any:
        """Rank the training rows by their outlier scores, the most suspicious first.

        The score of each row is that of a fit to the other rows, whatever its weight in the fit.

        Parameters
        ----------
        fdr : float, optional
            False-discovery rate, between 0 and 1: flag as many rows as can be flagged while at
            most this share of them are right, in expectation. None flags the rows that the fit
            trimmed.

        Returns
        -------
        DataFrame, or a structured array without pandas
            One line per training row, with the columns

            - ``row``: its position, from 0;
            - ``score``: as ``outlier_scores_``, but under the fit to the other rows;
            - ``kept``: whether the fit kept the row;
            - ``flagged``: whether the row is flagged;
            - ``q_value``: the smallest ``fdr`` at which the row is flagged;
            - ``observed`` and ``expected``: its target, and the target predicted by the other rows;
            - ``kind``: ``"target"``, ``"features"`` or ``"both"`` for what is wrong, ``"misfit"``
              for rows that are kept because the function misfits the whole region, or empty;
            - ``features``: names of the features in which the row is outlying;
            - ``suggested`` and ``suggested_probability`` (classifiers only): the most probable
              label, and its probability.
        """
        check_is_fitted(self)
        check_real("fdr", fdr, low=0, inclusive=False, high=1, optional=True)
        record = self._record()
        screen = record.screen()
        outlying = np.zeros(len(record.targets), bool) if screen is None else screen.feature_outlier
        if isinstance(self.contamination, str):
            outlying = outlying & ~self.inlier_mask_  # rows apart from others may be right
        task = self._task(self.contamination_)
        diagnostics = task.loo_diagnostics(outlying)
        q = q_values(np.where(outlying, 0.0, diagnostics.inlier_probability), record.sample_weight)
        score = diagnostics.score.copy()
        score[outlying] = np.maximum(score[outlying], score[~outlying].max(initial=0.0))
        return audit_table(
            screen=screen,
            flagged=~self.inlier_mask_ if fdr is None else q <= fdr,
            score=score,
            observed=self._observed(),
            expected=diagnostics.expected,
            far_off=diagnostics.far_off,
            names=getattr(self, "feature_names_in_", None),
            q_value=q,
            misfit=record.misfit,
            kept=np.asarray(self.inlier_mask_),
            more=task.audit_columns(diagnostics),
        )

    def _warn_if_ambiguous(self, found: OutlierPosterior | LabelNoise | None) -> None:
        with np.errstate(invalid="ignore"):  # candidates that are both impossible
            message = "" if found is None else found.ambiguity_message
        warn_if_ambiguous(message, stacklevel=5)

    def _scale_message(self, design: Design) -> str:
        with np.errstate(all="ignore"):  # rows that the screen excludes may be of any size
            return scale_message(design, getattr(self, "feature_names_in_", None))

    def _warn_of_scales(self, message: str) -> None:
        if message:
            warn(f"{type(self).__name__}: {message}.", FeatureScaleWarning, stacklevel=4)


def fit_key(
    name: str, parameters: Mapping[str, Any], X: Any, y: FloatArray, weights: FloatArray
) -> str:
    """Return a key that equal fits share: of all targets and weights, and a sample of the rows."""
    digest = sha256()
    digest.update(repr((name, sorted(parameters.items()), X.shape, str(X.dtype))).encode())
    sample = X[draw_rows(np.ones(X.shape[0]), policy().subsample_rows)]
    dense = sample if isinstance(sample, np.ndarray) else sample.toarray()
    for array in (dense, y, weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
