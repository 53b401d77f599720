"""Base class of the distributed estimators.

A subsample of the rows comes to the client and determines hyperparameters, features, contamination
and initial fit; all rows then take part in passes where they are stored
(:func:`untaint.estimators.large_scale.fit_large_scale`). Masks and scores stay there too, as lazy
arrays.
"""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import dask.array as da
import numpy as np
from dask.base import compute
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._threads import single_threaded_blas
from .._typing import FloatArray
from .._validation import check_contamination, check_flag, in_double, memory_bytes, name_features
from ..design.base import Sketch
from ..design.features import FeatureDesign, make_map
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
from ..optim.checkpoint import Checkpoint
from .dask_design import DaskDesign
from .partitioned_source import PartitionedSource
from .scheduler import Scheduler, mapped, shared, stacked
from .scoring import PartitionScorer, score_partition
from .source import is_distributed, open_source

# Memory of a machine on which blocks have the size that suits caches.
AMPLE = 1 << 50


class DaskEstimator(SubquantileEstimator):
    """An estimator that fits Dask collections where they are, and other data in memory."""

    #: Whether targets are labels, and the estimator for data in memory.
    _labelled: ClassVar[bool]
    _in_memory: ClassVar[type[SubquantileEstimator]]
    #: Attributes of one value for each row, in the order in which chunks are scored.
    _row_attributes: ClassVar[tuple[str, ...]] = (
        *("inlier_mask_", "outlier_scores_", "inlier_probability_"),
    )

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, persist: Any = "auto") -> Self:
        """Fit to Dask collections where they are, and to other data in memory.

        Parameters
        ----------
        X : dask array or data frame of shape (n, d), or rows in memory
            Chunks may be of unknown sizes.
        y : dask array, series or data frame, in the same chunks
            Targets of shape (n,) or (n, k), or labels of any type, of shape (n,).
        sample_weight : dask array or series of shape (n,), optional
            A weight of k means k copies of the row, exactly.
        persist : bool or "auto", default="auto"
            Whether rows and features stay in the workers' memory between passes. ``"auto"`` keeps
            them if they take less than two fifths of it; what is not kept is computed again.

        Returns
        -------
        estimator
            The estimator itself.
        """
        if not isinstance(persist, str) or persist != "auto":
            check_flag("persist", persist)
        if is_distributed(X, y, sample_weight):
            self._fit_chunks(X, y, sample_weight, persist)
        else:
            self._fit(X, y, sample_weight)
            self.__dict__.pop("statistics_", None)
        return self

    def _fit_chunks(self, X: Any, y: Any, sample_weight: Any, persist: Any) -> None:
        """Fit to few rows on the client, and to many where they are."""
        self._check_parameters()
        with self._transactional():
            source = open_source(X, y, sample_weight)
            name_features(self, source.meta)
            chunks = PartitionedSource(source, Scheduler(self.verbose), self._labelled, persist)
            try:
                if not chunks.n_rows:
                    raise ValueError(_no_rows(sum(chunks.about.lengths)))
                self._learn_targets(chunks)
                few = chunks.n_rows <= policy().subsample_rows
                (self._fit_on_client if few else self._fit_partitions)(chunks)
            finally:
                chunks.release()
            name_features(self, source.meta)  # the client fitted to arrays without names
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
        SubquantileEstimator._fit(self, X, y, None if (weights == 1).all() else weights)
        for name in self._row_attributes:
            lazy = da.from_array(getattr(self, name), chunks=(chunks.about.lengths,))
            setattr(self, name, lazy)

    def _fit_partitions(self, chunks: PartitionedSource) -> None:
        """Fit to many rows by passes over their partitions."""
        totals = chunks.fit_totals()
        total = float(sum(totals))
        _, X, y = sample = self._sample(chunks, totals, policy().subsample_rows)
        # The subsample identifies the collection.
        saved, seed = self._open_checkpoint(X, y, np.array([float(chunks.n_rows), total]))
        contamination = check_contamination(self.contamination, np.ones(policy().subsample_rows))
        task = self._task(contamination, seed)
        hyper = select_for_total(task, X, y, total)
        feature_map = self._feature_map(hyper, X, total, task, chunks)
        limit = memory_bytes(self.memory_limit)
        count = subsample_size(feature_map.width, limit, task.rows_per_feature)
        if count < len(y):
            sample = self._sample(chunks, totals, count)
        data = self._partitioned(chunks, hyper, feature_map, sample, total, task)
        with single_threaded_blas():
            large_scale = self._fit_passes(task, data, saved)
            assert isinstance(large_scale.design, DaskDesign)
            scorer = self._partition_scorer(large_scale, large_scale.design)
        self._store_solution(data, large_scale.solution)
        self._store_row_scores(chunks, scorer)
        if saved is not None:
            saved.remove()
        self._warn_unless_converged(large_scale.solution)
        self._warn_of_scales(self._scale_message(data.subsample))

    def _fit_passes(self, task: Task, data: DaskDesign, saved: Checkpoint | None) -> LargeScaleFit:
        """Fit to the subsample, then by passes over all rows."""
        initial, start = fit_subsample(task, data, no_callback)
        return fit_large_scale(
            data.with_loss(task.fit_loss(initial)),
            initial,
            start,
            max_radius=task.exclusion_radius,
            norm_bound=self.norm_bound,
            tol=float(self.tol),
            max_iter=self._max_iter(),
            exact=True,
            slot=None if saved is None else saved.at(0),
        )

    def _sample(self, chunks: PartitionedSource, totals: Any, count: int) -> tuple[Any, Any, Any]:
        """Return numbers, rows and targets of a subsample."""
        rows, X, y = chunks.sample(totals, count)
        return rows, in_double(X), self._targets_of(y)

    def _feature_map(
        self, hyper: Hyperparameters, X: Any, total: float, task: Task, chunks: PartitionedSource
    ) -> FeatureMap:
        """Return the features of the fit, which a subsample determines."""
        sketch = Sketch(hyper.kernel, X, np.ones(len(X)), hyper.alpha, self.fit_intercept)
        kind = self._features_for(hyper.kernel, chunks)
        asked = None if isinstance(self.n_components, str) else self.n_components
        threads = self._n_threads
        return make_map(sketch, total, kind, asked, lambda count, *_: count, task.rng(), threads)

    def _partitioned(
        self,
        chunks: PartitionedSource,
        hyper: Hyperparameters,
        feature_map: FeatureMap,
        sample: tuple[Any, Any, FloatArray],
        total: float,
        task: Task,
    ) -> DaskDesign:
        """Return the design of all rows, with a subsample of them in memory."""
        rows, X, y = sample
        parts = (chunks.n_rows, y.shape[1], feature_map.raw_width, feature_map.dtype)
        block_rows = plan_blocks(*parts, AMPLE).block_rows
        plan = Plan(min(block_rows, len(rows)), len(rows) if feature_map.cacheable else 0)
        alpha = len(rows) / total * hyper.alpha
        features = (np.ones(len(rows)), alpha, self.fit_intercept, feature_map, plan)
        subsample = FeatureDesign(hyper.kernel, X, *features, None, True, self._n_threads)
        known = (task.loss, rows, subsample, y, task.groups(y), chunks.n_rows, total)
        return DaskDesign(*known, chunks.unit, chunks, block_rows)

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
        rows = enumerate(zip(chunks.source.chunks, chunks.chunk_offsets.tolist(), strict=True))
        jobs = [(*chunk, number, offset, broadcast) for number, (chunk, offset) in rows]
        scored: list[Any] = mapped("scores", score_partition, jobs)
        sizes = chunks.about.lengths
        for number, name in enumerate(self._row_attributes):
            kind = bool if name == "inlier_mask_" else float
            setattr(self, name, stacked([part[number] for part in scored], sizes, (), kind))

    def predict(self, X: Any) -> Any:
        """Predict targets or the most probable classes, lazily for Dask collections.

        Parameters
        ----------
        X : dask array or data frame, or rows in memory, of shape (m, d)

        Returns
        -------
        array of shape (m,) or (m, k)
        """
        return self._predicted("predict", X)

    def _predicted(self, method: str, X: Any) -> Any:
        """Apply a method of the fitted function to rows, lazily to the chunks of a collection."""
        if not is_distributed(X):
            return getattr(super(), method)(X)
        check_is_fitted(self)
        source, function = open_source(X), shared(self._predictor(), "model")
        jobs = [(function, method, chunk.X, i) for i, chunk in enumerate(source.chunks)]
        return stacked(mapped(method, _apply, jobs), source.sizes, *self._output(method))

    @abstractmethod
    def _output(self, method: str) -> tuple[tuple[int, ...], Any]:
        """Return the shape of a row of what a method returns, and its dtype."""

    def _predictor(self) -> SubquantileEstimator:
        """Return an estimator for data in memory that holds the fitted function alone."""
        model = self._in_memory(**self.get_params())
        kept = (*FUNCTION, "kernel_", "classes_", "n_features_in_", "feature_names_in_", "_flat")
        model.__dict__ |= {name: vars(self)[name] for name in kept if name in vars(self)}
        return model

    def audit(self, fdr: float | None = None) -> Any:
        """Return the audit table; it exists only if all rows were fitted on the client.

        See :meth:`untaint.SubquantileRegressor.audit`.
        """
        with self._rows_in_memory("audit()"):
            return super().audit(fdr)

    def diagnostics(self) -> Diagnostics:
        """Return the theory's constants; they exist only if all rows were fitted on the client."""
        with self._rows_in_memory("diagnostics()"):
            return super().diagnostics()

    @contextmanager
    def _rows_in_memory(self, what: str) -> Iterator[None]:
        """Provide mask and scores in memory; raise an error if rows were left in their chunks."""
        check_is_fitted(self)
        if "statistics_" in self.__dict__ and "_training" not in self.__dict__:
            raise ValueError(
                f"{what} needs the training rows in memory, which this fit left in their chunks: "
                "select rows by outlier_scores_ or inlier_mask_ and fit to those, or fit in memory."
            )
        lazy = {name: getattr(self, name) for name in self._row_attributes}
        self.__dict__.update(zip(lazy, compute(*lazy.values()), strict=True))
        try:
            yield
        finally:
            self.__dict__.update(lazy)


def _apply(model: SubquantileEstimator, method: str, X: Any, number: int) -> Any:
    """Apply a method of a model to one chunk; errors name the chunk."""
    try:
        rows = X if len(X) else np.zeros((1, X.shape[1]))
        return getattr(model, method)(rows)[: len(X)]
    except ValueError as error:
        raise ValueError(f"Chunk {number} of X: {str(error).splitlines()[0]}") from None


def _no_rows(n_rows: int) -> str:
    """Return the error message for a collection of ``n_rows`` rows, none of positive weight."""
    if not n_rows:
        return "X must have at least one row, got 0 rows in all chunks."
    return f"sample_weight must be positive for at least one row, got only zeros for {n_rows:,}."
