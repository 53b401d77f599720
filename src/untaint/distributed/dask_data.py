"""All rows of a fit, in the chunks of a cluster."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, final

import numpy as np
from dask.delayed import Delayed

from .._typing import FloatArray, IntArray
from ..design.blocked import BlockedFeatures
from ..design.features import FeatureDesign
from ..design.memory_plan import Plan
from ..design.partitioned import PartitionedData, oracle_result
from ..feature_maps.base import FeatureMap
from ..losses import Loss
from ..optim.oracle import OracleQuery, OracleResult
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from . import partitions as work
from .chunks import Chunks, Layout
from .scheduler import mapped, shared


@final
class DaskData(PartitionedData):
    """Rows in chunks.

    Parameters
    ----------
    chunks : Chunks
    subsample : FeatureDesign
        The fit's problem for a sample of the rows.
    sample : array of indices, ascending
        Numbers of the sample's rows.
    y, groups : array of shape (m, k) and (m,)
        Their targets and classes.
    total : float
        Weight of all rows.
    unit : float or None
        Weight of one row, if there is such a thing.
    block_rows : int
        Rows of a block.
    persist : bool or "auto"
        Whether rows and features stay in the cluster's memory.
    """

    def __init__(
        self,
        chunks: Chunks,
        subsample: FeatureDesign,
        sample: IntArray,
        y: FloatArray,
        groups: IntArray,
        total: float,
        unit: float | None,
        block_rows: int,
        persist: Any = "auto",
    ) -> None:
        self.chunks = chunks
        self.subsample = subsample
        self.sample = sample
        self.y, self.groups = y, groups
        self.n_rows = chunks.n_rows
        self.total, self.unit = total, unit
        self.block_rows = block_rows
        self.persist = persist

    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """The rows farthest out."""

        def tasks() -> list[Delayed]:
            views = shared(extreme_samples, "outskirts")
            rows = zip(self.chunks.checked, self.chunks.chunk_offsets.tolist(), strict=True)
            jobs = [(*row, views) for row, n in zip(rows, self.chunks.sizes, strict=True) if n]
            return mapped("outermost", work.outermost, jobs)

        return self.chunks.passes.reduce("outermost", tasks, extreme_samples)

    def oracle(self, loss: Loss, sample_filter: SampleFilter | None) -> DaskOracle:
        """Who asks the rows, but those that a gate shuts out."""
        plan = Plan(self.block_rows, 0)
        context = work.PassContext(
            without_whitening(self.subsample.map), loss, plan, sample_filter, self.chunks.labels
        )
        return DaskOracle(self.chunks, context, self.subsample.features, self.persist)


@final
class DaskOracle:
    """Asks the rows of all chunks.

    Parameters
    ----------
    chunks : Chunks
    context : Setting
    features : BlockedFeatures
        Of the sample, which know how sums of raw features become sums of features.
    persist : bool or "auto"
    """

    def __init__(
        self,
        chunks: Chunks,
        context: work.PassContext,
        features: BlockedFeatures,
        persist: Any = "auto",
    ) -> None:
        self.chunks = chunks
        self.context = context
        self.features = features
        self.n_evaluations = 0
        self._prepared: list[Delayed] | None = None
        self._made_of: Layout | None = None
        raw_width, itemsize = context.feature_map.raw_width, context.feature_map.dtype.itemsize
        row = raw_width * itemsize
        cacheable = context.feature_map.cacheable
        self._persist = cacheable and chunks.may_keep(row, persist)
        if self._persist:
            chunks.passes.statistics.kept = "features"

    def evaluate(self, query: OracleQuery) -> OracleResult:
        """Their answers, summed."""
        self.n_evaluations += 1
        raw = replace(query, coef=self.raw_coef(query.coef))
        sums = self.chunks.passes.reduce(
            f"question-{self.n_evaluations}", partial(self._tasks, raw), raw
        )
        return oracle_result(self.features, sums.block_sums, sums.aggregates)

    def _tasks(self, query: OracleQuery) -> list[Delayed]:
        broadcast = shared(query, "question")
        stage, layout = (
            f"question-{self.n_evaluations}",
            self.chunks.laid_out(self.context.plan.block_rows),
        )
        if self._persist:
            return mapped(
                stage, work.evaluate, [(chunk, broadcast) for chunk in self._persisted(layout)]
            )
        context = shared(self.context, "setting")
        rows = zip(layout.parts, layout.offsets, strict=True)
        return mapped(stage, work.evaluate_uncached, [(*row, context, broadcast) for row in rows])

    def _persisted(self, layout: Layout) -> list[Delayed]:
        """Chunks with their features, made once, or again if the cluster has lost them all."""
        if self._prepared is None or layout is not self._made_of:
            context = shared(self.context, "setting")
            rows = zip(layout.parts, layout.offsets, strict=True)
            made = mapped("features", work.prepare, [(*row, context) for row in rows])
            self._prepared = self.chunks.passes.persist("features", made)
            self._made_of = layout
        return self._prepared

    def raw_coef(self, coef: FloatArray) -> FloatArray:
        """Coefficients of raw features, that of ones last."""
        if not self.features.fit_intercept:
            coef = np.vstack([coef, np.zeros(coef.shape[1])])
        return np.vstack([self.features.map.unwhiten_coef(coef[:-1]), coef[-1:]])


def without_whitening(feature_map: FeatureMap) -> FeatureMap:
    """The map to raw features alone: mixing is applied to sums, and need not travel."""
    if feature_map.whitening is None:
        return feature_map
    raw = copy(feature_map)
    raw.whitening = None
    return raw
