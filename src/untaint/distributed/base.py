"""A fit to chunks of rows: what the estimators of this room share.

A sample of the rows comes here, and says all that takes long to find out; then all rows are asked
where they are (:mod:`untaint.estimators.large_scale`). What is said of each row stays there too, as
lazy arrays.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from warnings import warn

import dask.array as da
import numpy as np
from dask.base import compute
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from .._policy import policy
from .._threads import single_threaded_blas
from .._typing import FloatArray
from .._validation import check_contamination, check_flag, in_double, memory_bytes, name_features
from ..design.base import Sketch
from ..design.features import make_map, subsample_design
from ..design.memory_plan import Plan, plan_blocks
from ..design.subsample import subsample_size
from ..diagnostics import Diagnostics
from ..estimators.base import REMEDY, SubquantileEstimator
from ..estimators.large_scale import LargeScaleFit
from ..feature_maps.identity import IdentityMap
from ..kernels import Kernel, Linear
from ..optim.base import no_callback
from ..optim.checkpoint import Checkpoint
from ..optim.subsampled_c_steps import Outcome
from ..weighting.base import unit_weight
from . import scoring as verdicts
from .chunks import Chunks
from .dask_data import DaskData
from .scheduler import Passes, mapped, shared, stacked
from .source import is_distributed, open_source

# A machine with so much memory has blocks as large as caches like.
AMPLE = 1 << 50


class OnChunks(SubquantileEstimator):
    """Fits to Dask collections, and to anything else as on one machine.

    Attributes
    ----------
    statistics_ : Statistics
        Passes over the chunks, their seconds and bytes.
    """

    _labelled: bool

    def _fit_any(self, X: Any, y: Any, sample_weight: Any, persist: Any) -> None:
        if not isinstance(persist, str) or persist != "auto":
            check_flag("persist", persist)
        if not is_distributed(X, y, sample_weight):
            self._fit(X, y, sample_weight)
            for name in ("statistics_", "_unit"):
                self.__dict__.pop(name, None)
            return
        self._check_parameters()
        with self._transactional():
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            source = open_source(X, y, sample_weight)
            name_features(self, source.meta)
            chunks = Chunks(source, Passes(self.verbose), self._labelled, persist)
            try:
                if not chunks.n_rows:
                    raise ValueError(_no_rows(sum(chunks.about.lengths)))
                self._learn_targets(chunks)
                if chunks.n_rows <= policy().subsample_rows:
                    self._fit_here(chunks)
                else:
                    self._fit_there(chunks, persist)
            finally:
                chunks.release()
            self.statistics_ = chunks.passes.statistics

    @abstractmethod
    def _learn_targets(self, chunks: Chunks) -> None:
        """What the chunks' targets are like; an error if they do not suit."""

    @abstractmethod
    def _targets_of(self, y: Any) -> FloatArray:
        """Targets of the loss, in columns, from those of the user."""

    @abstractmethod
    def _partition_scorer(
        self, chunks: Chunks, large_scale: LargeScaleFit, outcome: Outcome, oracle: Any
    ) -> Any:
        """Store thresholds, and return what says of each row what is to be said of it."""

    def _fit_here(self, chunks: Chunks) -> None:
        """Few rows are fitted to where the client is."""
        X, y, weights = chunks.everything()
        plain = bool((weights == 1).all())
        SubquantileEstimator._fit(self, X, y, None if plain else weights)
        sizes = chunks.about.lengths
        for name in ("inlier_mask_", "outlier_scores_"):
            setattr(self, name, da.from_array(getattr(self, name), chunks=(sizes,)))

    def _fit_there(self, chunks: Chunks, persist: Any) -> None:
        """Many rows are asked where they are."""
        contamination = check_contamination(self.contamination, np.ones(policy().subsample_rows))
        data, saved = self._partitioned_data(chunks, contamination, persist)
        with single_threaded_blas():
            large_scale = self._large_scale_fit(data, contamination, no_callback)
            oracle = data.oracle(self._loss, large_scale.sample_filter)
            outcome = large_scale.run(
                oracle,
                norm_bound=self.norm_bound,
                tol=float(self.tol),
                max_iter=self._max_iter(),
                report=no_callback,
                exact=True,
                slot=None if saved is None else saved.at(0),
            )
            scorer = self._partition_scorer(chunks, large_scale, outcome, oracle)
        self._store_fit(data, large_scale, outcome)
        self._store_row_scores(chunks, scorer)
        if saved is not None:
            saved.remove()
        if not outcome.converged:
            warn(
                f"{type(self).__name__} stopped after {outcome.n_iter} iterations without "
                f"converging: {REMEDY}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _partitioned_data(
        self, chunks: Chunks, contamination: float | None, persist: Any
    ) -> tuple[DaskData, Checkpoint | None]:
        """The rows, with a sample of them and what it says of kernel, ridge and features."""
        totals = chunks.fit_totals()
        total = float(sum(totals))
        rows, X, raw = chunks.sample(totals, policy().subsample_rows)
        X = in_double(X)
        y = self._targets_of(raw)
        # A sample tells one table from another.
        saved = self._open_checkpoint(X, y, np.array([float(chunks.n_rows), total]))
        hyper = self._select_for_total(X, y, total, contamination)
        kernel, alpha = hyper.kernel, hyper.alpha
        sketch = Sketch(kernel, X, np.ones(len(rows)), alpha, self.fit_intercept)
        components = None if isinstance(self.n_components, str) else self.n_components
        feature_map = make_map(
            sketch,
            total,
            self._features_for(kernel, chunks),
            components,
            lambda count, asked, dtype: count,
            self._generator(),
            self._n_threads,
        )
        count = subsample_size(feature_map.width, memory_bytes(self.memory_limit))
        if count < len(rows):
            rows, X, raw = chunks.sample(totals, count)
            X = in_double(X)
            y = self._targets_of(raw)
        parts = (chunks.n_rows, y.shape[1], feature_map.raw_width, feature_map.dtype)
        block_rows = plan_blocks(*parts, AMPLE).block_rows
        kept = len(rows) if feature_map.cacheable else 0
        subsample = subsample_design(
            kernel,
            X,
            total,
            alpha,
            self.fit_intercept,
            feature_map,
            Plan(min(block_rows, len(rows)), kept),
            self._n_threads,
        )
        self._unit = self._unit_of(chunks)
        sample = (rows, y, self._groups(y))
        data = DaskData(chunks, subsample, *sample, total, self._unit, block_rows, persist)
        return data, saved

    def _unit_of(self, chunks: Chunks) -> float | None:
        """Weight of one row in the fit, if there is such a thing."""
        about, labels = chunks.about, chunks.labels
        factors = np.ones(1) if labels is None else labels.factors
        if about.least == about.most:
            return unit_weight(about.least * factors)
        return 1.0 if about.whole and (factors == np.floor(factors)).all() else None

    def _features_for(self, kernel: Kernel, chunks: Chunks) -> str:
        """Which features to fit on: many rows in chunks have no kernel matrix."""
        if self.solver == "gradient" or self._pairwise:
            asked = 'solver="gradient"' if self.solver == "gradient" else 'kernel="precomputed"'
            raise ValueError(
                f"{asked} needs the kernel matrix of all rows, which {chunks.n_rows:,} rows in "
                "chunks do not have."
            )
        if self.approximation not in (None, "auto"):
            self._check_approximation(kernel, self.approximation)
        if isinstance(kernel, Linear):
            return "columns"
        if self.approximation is None:
            raise ValueError(
                'approximation must be "nystroem", "rff" or "auto" for more than '
                f"{policy().subsample_rows:,} rows in chunks, got None: their kernel matrix is nowhere."
            )
        return "nystroem" if self.approximation == "auto" else self.approximation

    def _store_fit(self, data: DaskData, large_scale: LargeScaleFit, outcome: Outcome) -> None:
        subsample, fit = data.subsample, outcome.fit
        # Of an earlier fit, which may have been in memory.
        for name in (
            "coef_", "feature_map_", "feature_coef_", "X_fit_", "dual_coef_",
            "_targets", "_sample_weight", "_fit_weight", "_fitted", "_codes",
        ):  # fmt: skip
            self.__dict__.pop(name, None)
        self.kernel_, self._map, self._rows = subsample.kernel, subsample.map, None
        if isinstance(subsample.map, IdentityMap):
            coef, intercept = subsample.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T)
            self.intercept_ = self._shaped_intercept(intercept)
        else:
            self._store_features(subsample, fit)
        self.objective_path_ = np.asarray(outcome.path)
        self.n_iter_ = outcome.n_iter
        self.converged_ = outcome.converged

    def _store_row_scores(self, chunks: Chunks, scorer: verdicts.PartitionScorer) -> None:
        """Lazy arrays, in the chunks of the rows that the fit was given."""
        broadcast = shared(scorer, "verdict")
        scored = mapped(
            "verdict",
            verdicts.score_partition,
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
        """A method of the fitted function, for each chunk of rows, when it is needed."""
        source = open_source(X)
        function = shared(self._alone(), "model")
        tasks = mapped(
            method,
            _apply,
            [(function, method, chunk.X, i) for i, chunk in enumerate(source.chunks)],
        )
        shape = () if width is None else (width,)
        return stacked(tasks, source.sizes, shape, dtype)

    @abstractmethod
    def _alone(self) -> SubquantileEstimator:
        """The fitted function without the rows: an estimator of one machine."""

    def _copied(self, alone: SubquantileEstimator) -> SubquantileEstimator:
        """With all that predictions need."""
        names = (
            "coef_", "dual_coef_", "intercept_", "X_fit_", "feature_map_", "feature_coef_",
            "kernel_", "classes_", "n_features_in_", "feature_names_in_", "_flat",
        )  # fmt: skip
        for name in names:
            if name in self.__dict__:
                setattr(alone, name, self.__dict__[name])
        alone.inlier_mask_ = np.zeros(0, dtype=bool)
        return alone

    def audit(self, fdr: float | None = None) -> Any:
        """What is wrong with which rows; only where all of them have come to the client.

        Parameters
        ----------
        fdr : float, optional
            As on one machine.

        Returns
        -------
        DataFrame, or a structured array without pandas
        """
        with self._at_hand("audit()"):
            return super().audit(fdr)

    def diagnostics(self) -> Diagnostics:
        """The theory's constants; only where all rows have come to the client."""
        with self._at_hand("diagnostics()"):
            return super().diagnostics()

    @contextmanager
    def _at_hand(self, what: str) -> Iterator[None]:
        """Rows and verdicts as on one machine, or an error if they were left in their chunks."""
        check_is_fitted(self)
        if "statistics_" in self.__dict__ and self._rows is None:
            raise ValueError(
                f"{what} needs the training rows at hand, which this fit left in their chunks: "
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
