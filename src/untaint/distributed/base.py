"""A fit to chunks of rows: what the estimators of this room share.

A sample of the rows comes here, and says all that takes long to find out; then all rows are asked
where they are (:mod:`untaint.estimators.campaign`). What is said of each row stays there too, as
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

from .._threads import single_threaded_blas
from .._typing import FloatArray
from .._validation import check_flag, check_share, in_double, memory_bytes, name_features
from ..diagnostics import Diagnostics
from ..estimators.base import REMEDY, SubquantileEstimator
from ..estimators.campaign import Campaign
from ..features import ColumnMap, Plan, plan_blocks
from ..kernels import Kernel, Linear
from ..learners import PILOT_ROWS, Sketch
from ..learners.feature_problem import make_map, pilot_problem
from ..learners.pilot import pilot_size
from ..selection.base import unit_weight
from ..solvers.base import silent
from ..solvers.checkpoint import Checkpoint
from ..solvers.concentrating import Outcome
from . import verdicts
from .chunks import Chunks
from .crowd import DaskCrowd
from .passes import Passes, mapped, shared, stacked
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
        with self._all_or_nothing():
            self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            source = open_source(X, y, sample_weight)
            name_features(self, source.meta)
            chunks = Chunks(source, Passes(self.verbose), self._labelled, persist)
            try:
                if not chunks.n_rows:
                    raise ValueError(_nobody(sum(chunks.about.lengths)))
                self._learn_targets(chunks)
                if chunks.n_rows <= PILOT_ROWS:
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
    def _conclude(self, chunks: Chunks, campaign: Campaign, outcome: Outcome, poll: Any) -> Any:
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
        share = check_share(self.contamination, np.ones(PILOT_ROWS))
        crowd, saved = self._crowd(chunks, share, persist)
        with single_threaded_blas():
            campaign = self._campaign(crowd, share, silent)
            poll = crowd.poll(self._loss, campaign.gate)
            outcome = campaign.run(
                poll,
                norm_bound=self.norm_bound,
                tol=float(self.tol),
                max_iter=self._max_iter(),
                report=silent,
                exact=True,
                slot=None if saved is None else saved.at(0),
            )
            judge = self._conclude(chunks, campaign, outcome, poll)
        self._store_fit(crowd, campaign, outcome)
        self._store_verdicts(chunks, judge)
        if saved is not None:
            saved.remove()
        if not outcome.converged:
            warn(
                f"{type(self).__name__} stopped after {outcome.n_iter} iterations without "
                f"converging: {REMEDY}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _crowd(
        self, chunks: Chunks, share: float | None, persist: Any
    ) -> tuple[DaskCrowd, Checkpoint | None]:
        """The rows, with a sample of them and what it says of kernel, ridge and features."""
        totals = chunks.fit_totals()
        total = float(sum(totals))
        rows, X, raw = chunks.sample(totals, PILOT_ROWS)
        X = in_double(X)
        y = self._targets_of(raw)
        # A sample tells one table from another.
        saved = self._open_checkpoint(X, y, np.array([float(chunks.n_rows), total]))
        setting = self._setting_of(X, y, total, share)
        kernel, ridge = setting.kernel, setting.ridge
        sketch = Sketch(kernel, X, np.ones(len(rows)), ridge, self.fit_intercept)
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
        count = pilot_size(feature_map.width, memory_bytes(self.memory_limit))
        if count < len(rows):
            rows, X, raw = chunks.sample(totals, count)
            X = in_double(X)
            y = self._targets_of(raw)
        parts = (chunks.n_rows, y.shape[1], feature_map.raw_width, feature_map.dtype)
        block_rows = plan_blocks(*parts, AMPLE).block_rows
        kept = 0 if feature_map.cheap else len(rows)
        pilot = pilot_problem(
            kernel,
            X,
            total,
            ridge,
            self.fit_intercept,
            feature_map,
            Plan(min(block_rows, len(rows)), kept),
            self._n_threads,
        )
        self._unit = self._unit_of(chunks)
        sample = (rows, y, self._groups(y))
        crowd = DaskCrowd(chunks, pilot, *sample, total, self._unit, block_rows, persist)
        return crowd, saved

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
                f"{PILOT_ROWS:,} rows in chunks, got None: their kernel matrix is nowhere."
            )
        return "nystroem" if self.approximation == "auto" else self.approximation

    def _store_fit(self, crowd: DaskCrowd, campaign: Campaign, outcome: Outcome) -> None:
        pilot, fit = crowd.pilot, outcome.fit
        # Of an earlier fit, which may have been in memory.
        for name in (
            "coef_", "feature_map_", "feature_coef_", "X_fit_", "dual_coef_",
            "_targets", "_row_weights", "_kept_weights", "_fitted", "_codes",
        ):  # fmt: skip
            self.__dict__.pop(name, None)
        self.kernel_, self._map, self._rows = pilot.kernel, pilot.map, None
        if isinstance(pilot.map, ColumnMap):
            coef, intercept = pilot.primal_coef(fit)
            self.coef_ = self._shaped_coef(coef.T)
            self.intercept_ = self._shaped_intercept(intercept)
        else:
            self._store_features(pilot, fit)
        self.objective_path_ = np.asarray(outcome.path)
        self.n_iter_ = outcome.n_iter
        self.converged_ = outcome.converged

    def _store_verdicts(self, chunks: Chunks, judge: verdicts.Judge) -> None:
        """Lazy arrays, in the chunks of the rows that the fit was given."""
        told = shared(judge, "verdict")
        said = mapped(
            "verdict",
            verdicts.verdict,
            [
                (chunk.X, chunk.y, chunk.weights, number, int(offset), told)
                for number, (chunk, offset) in enumerate(
                    zip(chunks.source.chunks, chunks.chunk_offsets, strict=True)
                )
            ],
        )
        sizes = chunks.about.lengths
        self.inlier_mask_ = _lazy(said, 0, sizes, bool)
        self.outlier_scores_ = _lazy(said, 1, sizes, float)

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


def _nobody(n_rows: int) -> str:
    if not n_rows:
        return "X must have at least one row, got 0 rows in all chunks."
    return f"sample_weight must be positive for at least one row, got only zeros for {n_rows:,}."


def _lazy(said: list[Any], place: int, sizes: tuple[int, ...], dtype: Any) -> da.Array:
    return stacked([pair[place] for pair in said], sizes, (), dtype)
