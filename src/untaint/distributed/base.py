"""Fits to Dask collections: what the distributed estimators share.

A subsample of the rows comes to the client and determines hyperparameters, features, contamination and
start; all rows then take part in passes where they are
(:func:`untaint.estimators.large_scale.fit_large_scale`). Masks and scores stay there too, as lazy
arrays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask.array as da
import numpy as np
from dask.base import compute
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._threads import single_threaded_blas
from .._typing import FloatArray
from .._validation import (
    check_contamination,
    check_flag,
    in_double,
    memory_bytes,
    name_features,
)
from ..design.base import Sketch
from ..design.features import make_map, subsample_design
from ..design.memory_plan import Plan, plan_blocks
from ..design.subsample import subsample_size
from ..diagnostics import Diagnostics
from ..estimators.base import SubquantileEstimator
from ..estimators.engine import check_approximation, fit_subsample, select_for_total
from ..estimators.large_scale import LargeScaleFit, fit_large_scale
from ..estimators.state import Hyperparameters
from ..estimators.task import Task
from ..feature_maps.base import FeatureMap
from ..feature_maps.identity import IdentityMap
from ..kernels import Kernel, Linear
from ..learners.base import FUNCTION, TRAINING
from ..optim.base import Solution, no_callback
from ..weighting.base import unit_weight
from .dask_design import DaskDesign
from .partitioned_source import PartitionedSource
from .scheduler import Scheduler, mapped, shared, stacked
from .scoring import PartitionScorer, score_partition
from .source import is_distributed, open_source

# Memory of a machine on which blocks have the size that suits caches.
AMPLE = 1 << 50


class DaskEstimator(SubquantileEstimator):
    """Fits to Dask collections, and to anything else as in memory.

    Attributes
    ----------
    statistics_ : Statistics
        Passes over the chunks, their seconds and bytes.
    """

    _labelled: bool

    def _fit_any(self, X: Any, y: Any, sample_weight: Any, persist: Any) -> None:
        """Fit to Dask collections where they are, and to other data in memory."""
        if not isinstance(persist, str) or persist != "auto":
            check_flag("persist", persist)
        if not is_distributed(X, y, sample_weight):
            self._fit(X, y, sample_weight)
            self.__dict__.pop("statistics_", None)
            return
        self._check_parameters()
        with self._transactional():
            source = open_source(X, y, sample_weight)
            name_features(self, source.meta)
            chunks = PartitionedSource(source, Scheduler(self.verbose), self._labelled, persist)
            try:
                if not chunks.n_rows:
                    raise ValueError(_no_rows(sum(chunks.about.lengths)))
                self._learn_targets(chunks)
                if chunks.n_rows <= policy().subsample_rows:
                    self._fit_on_client(chunks)
                else:
                    self._fit_partitions(chunks, persist)
            finally:
                chunks.release()
            self.statistics_ = chunks.scheduler.statistics

    @abstractmethod
    def _learn_targets(self, chunks: PartitionedSource) -> None:
        """Learn the number of outputs or the classes; raise an error if the targets do not suit."""

    @abstractmethod
    def _targets_of(self, y: Any) -> FloatArray:
        """Return the targets of the loss, in columns, from those of the user."""

    @abstractmethod
    def _partition_scorer(self, large_scale: LargeScaleFit, design: DaskDesign) -> PartitionScorer:
        """Store thresholds, and return what flags and scores each row."""

    def _fit_on_client(self, chunks: PartitionedSource) -> None:
        """Fit to few rows in the memory of the client."""
        X, y, weights = chunks.everything()
        plain = bool((weights == 1).all())
        SubquantileEstimator._fit(self, X, y, None if plain else weights)
        sizes = chunks.about.lengths
        for name in ("inlier_mask_", "outlier_scores_"):
            setattr(self, name, da.from_array(getattr(self, name), chunks=(sizes,)))

    def _fit_partitions(self, chunks: PartitionedSource, persist: Any) -> None:
        """Fit to many rows by passes over their partitions."""
        totals = chunks.fit_totals()
        rows, X, y = self._sample(chunks, totals, policy().subsample_rows)
        # The subsample identifies the collection.
        total = float(sum(totals))
        saved, seed = self._open_checkpoint(X, y, np.array([float(chunks.n_rows), total]))
        contamination = check_contamination(self.contamination, np.ones(policy().subsample_rows))
        task = self._task(contamination, seed)
        hyper = select_for_total(self, task, X, y, total)
        feature_map = self._feature_map(hyper, X, total, task, chunks)
        count = subsample_size(feature_map.width, memory_bytes(self.memory_limit))
        if count < len(rows):
            rows, X, y = self._sample(chunks, totals, count)
        data = self._partitioned(chunks, hyper, feature_map, (rows, X, y), total, task, persist)
        with single_threaded_blas():
            initial, start = fit_subsample(self, task, data, no_callback)
            large_scale = fit_large_scale(
                data,
                initial,
                start,
                max_radius=task.exclusion_radius,
                norm_bound=self.norm_bound,
                tol=float(self.tol),
                max_iter=self._max_iter(),
                exact=True,
                slot=None if saved is None else saved.at(0),
            )
            assert isinstance(large_scale.design, DaskDesign)
            scorer = self._partition_scorer(large_scale, large_scale.design)
        self._store_solution(data, large_scale.solution)
        self._store_row_scores(chunks, scorer)
        if saved is not None:
            saved.remove()
        self._warn_unless_converged(large_scale.solution)

    def _sample(self, chunks: PartitionedSource, totals: Any, count: int) -> tuple[Any, Any, Any]:
        """Return numbers, rows and targets of a subsample."""
        rows, X, y = chunks.sample(totals, count)
        return rows, in_double(X), self._targets_of(y)

    def _feature_map(
        self, hyper: Hyperparameters, X: Any, total: float, task: Task, chunks: PartitionedSource
    ) -> FeatureMap:
        """Return the features of the fit, which a subsample determines."""
        ones = np.ones(X.shape[0])
        return make_map(
            Sketch(hyper.kernel, X, ones, hyper.alpha, self.fit_intercept),
            total,
            self._features_for(hyper.kernel, chunks),
            None if isinstance(self.n_components, str) else self.n_components,
            lambda count, asked, dtype: count,
            task.rng(),
            self._n_threads,
        )

    def _partitioned(
        self,
        chunks: PartitionedSource,
        hyper: Hyperparameters,
        feature_map: FeatureMap,
        sample: tuple[Any, Any, FloatArray],
        total: float,
        task: Task,
        persist: Any,
    ) -> DaskDesign:
        """Return the design of all rows, with a subsample of them in memory."""
        rows, X, y = sample
        parts = (chunks.n_rows, y.shape[1], feature_map.raw_width, feature_map.dtype)
        block_rows = plan_blocks(*parts, AMPLE).block_rows
        plan = Plan(min(block_rows, len(rows)), len(rows) if feature_map.cacheable else 0)
        kernel, alpha = hyper.kernel, hyper.alpha
        settings = (total, alpha, self.fit_intercept, feature_map, plan, self._n_threads)
        subsample = subsample_design(kernel, X, *settings)
        known = (task.loss, rows, subsample, y, task.groups(y), chunks.n_rows, total)
        return DaskDesign(*known, self._unit_of(chunks), chunks, block_rows, persist)

    def _unit_of(self, chunks: PartitionedSource) -> float | None:
        """Return the common unit of the weights in the fit, if there is one."""
        about, labels = chunks.about, chunks.labels
        factors = np.ones(1) if labels is None else labels.factors
        if about.least == about.most:
            return unit_weight(about.least * factors)
        return 1.0 if about.whole and (factors == np.floor(factors)).all() else None

    def _features_for(self, kernel: Kernel, chunks: PartitionedSource) -> str:
        """Return which features to fit on: many rows in chunks have no kernel matrix."""
        if self.solver == "gradient" or self._pairwise:
            asked = 'solver="gradient"' if self.solver == "gradient" else 'kernel="precomputed"'
            raise ValueError(
                f"{asked} needs the kernel matrix of all rows, which {chunks.n_rows:,} rows in "
                "chunks do not have."
            )
        if self.approximation not in (None, "auto"):
            check_approximation(self, kernel, self.approximation)
        if isinstance(kernel, Linear):
            return "columns"
        if self.approximation is None:
            raise ValueError(
                'approximation must be "nystroem", "rff" or "auto" for more than '
                f"{policy().subsample_rows:,} rows in chunks, got None: they have "
                "no kernel matrix."
            )
        return "nystroem" if self.approximation == "auto" else self.approximation

    def _store_solution(self, data: DaskDesign, solution: Solution) -> None:
        """Store the function; an earlier fit may have been in memory."""
        for name in (*FUNCTION, *TRAINING):
            self.__dict__.pop(name, None)
        subsample, fit = data.subsample, solution.fit
        self.kernel_ = subsample.kernel
        if isinstance(subsample.map, IdentityMap):
            coef, intercept = subsample.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T)
            self.intercept_ = self._shaped_intercept(intercept)
        else:
            self._store_features(subsample, fit)
        self.objective_path_ = np.asarray(solution.objective_path)
        self.n_iter_ = solution.n_iter
        self.converged_ = solution.converged

    def _store_row_scores(self, chunks: PartitionedSource, scorer: PartitionScorer) -> None:
        """Store lazy arrays, in the chunks of the rows that the fit was given."""
        broadcast = shared(scorer, "scorer")
        scored = mapped(
            "scores",
            score_partition,
            [
                (chunk.X, chunk.y, chunk.weights, number, int(offset), broadcast)
                for number, (chunk, offset) in enumerate(
                    zip(chunks.source.chunks, chunks.chunk_offsets, strict=True)
                )
            ],
        )
        sizes = chunks.about.lengths
        self.inlier_mask_ = _lazy(scored, 0, sizes, bool)
        self.outlier_scores_ = _lazy(scored, 1, sizes, float)

    def _lazily(self, method: str, X: Any, dtype: Any, width: int | None) -> Any:
        """Apply a method of the fitted function to each chunk of rows, lazily."""
        source = open_source(X)
        function = shared(self._predictor(), "model")
        tasks = mapped(
            method,
            _apply,
            [(function, method, chunk.X, i) for i, chunk in enumerate(source.chunks)],
        )
        shape = () if width is None else (width,)
        return stacked(tasks, source.sizes, shape, dtype)

    @abstractmethod
    def _in_memory(self) -> SubquantileEstimator:
        """Return an unfitted estimator for data in memory, with the same parameters."""

    def _predictor(self) -> SubquantileEstimator:
        """Return an estimator for data in memory that holds the fitted function alone."""
        model = self._in_memory()
        kept = (*FUNCTION, "kernel_", "classes_", "n_features_in_", "feature_names_in_", "_flat")
        model.__dict__ |= {name: vars(self)[name] for name in kept if name in vars(self)}
        return model

    def audit(self, fdr: float | None = None) -> Any:
        """Return the audit table; only where all rows have come to the client.

        Parameters
        ----------
        fdr : float, optional
            As for data in memory.

        Returns
        -------
        DataFrame, or a structured array without pandas
        """
        with self._rows_in_memory("audit()"):
            return super().audit(fdr)

    def diagnostics(self) -> Diagnostics:
        """Return the theory's constants; only where all rows have come to the client."""
        with self._rows_in_memory("diagnostics()"):
            return super().diagnostics()

    @contextmanager
    def _rows_in_memory(self, what: str) -> Iterator[None]:
        """Provide mask and scores in memory; raise an error if the rows were left in their chunks."""
        check_is_fitted(self)
        if "statistics_" in self.__dict__ and "_training" not in self.__dict__:
            raise ValueError(
                f"{what} needs the training rows in memory, which this fit left in their chunks: "
                "select rows by outlier_scores_ or inlier_mask_ and fit to those, or fit in memory."
            )
        lazy = self.inlier_mask_, self.outlier_scores_
        self.inlier_mask_, self.outlier_scores_ = compute(*lazy)
        try:
            yield
        finally:
            self.inlier_mask_, self.outlier_scores_ = lazy


def _apply(model: SubquantileEstimator, method: str, X: Any, number: int) -> Any:
    try:
        if not len(X):
            X = np.zeros((1, X.shape[1]))
            return getattr(model, method)(X)[:0]
        return getattr(model, method)(X)
    except ValueError as error:
        raise ValueError(f"Chunk {number} of X: {str(error).splitlines()[0]}") from None


def _no_rows(n_rows: int) -> str:
    if not n_rows:
        return "X must have at least one row, got 0 rows in all chunks."
    return f"sample_weight must be positive for at least one row, got only zeros for {n_rows:,}."


def _lazy(scored: list[Any], place: int, sizes: tuple[int, ...], dtype: Any) -> da.Array:
    return stacked([pair[place] for pair in scored], sizes, (), dtype)
