"""A design whose samples are in the partitions of a Dask collection."""

from copy import copy
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np
from dask.delayed import Delayed

from .._typing import FloatArray
from ..design.memory_plan import Plan
from ..design.partitioned import PartitionedDesign, whitened
from ..losses import Loss
from ..optim.oracle import Curvature, PassResult
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import WeightFunction
from . import partitions as work
from .partitioned_source import Layout, PartitionedSource
from .scheduler import mapped, shared


@final
@dataclass(eq=False)
class DaskDesign(PartitionedDesign):
    """The design of samples in partitions, each evaluated in blocks where it is stored."""

    source: PartitionedSource
    block_rows: int

    def __post_init__(self) -> None:
        super().__post_init__()
        # The whitening is applied to sums, and need not be sent.
        raw = copy(self.subsample.map)
        raw.whitening = None
        plan = Plan(self.block_rows, 0)
        self.context = work.PassContext(raw, self.loss, plan, None, self.source.labels)
        self.n_evaluations = 0
        row_bytes = raw.raw_width * raw.dtype.itemsize
        self._persist = raw.cacheable and self.source.may_keep(row_bytes)
        self._persisted: tuple[Layout, list[Delayed]] | None = None
        if self._persist:
            self.source.scheduler.statistics.kept = "features"

    def evaluate(
        self,
        coef: FloatArray,
        weight_function: WeightFunction,
        grid: HistogramGrid,
        curvature: Curvature = None,
    ) -> PassResult:
        """Return the sums over all samples; see :class:`untaint.optim.oracle.Oracle`."""
        self.n_evaluations += 1
        stage = f"gradient-{self.n_evaluations}"
        arguments = (self.raw_coef(coef), weight_function, grid, curvature)

        def tasks() -> list[Delayed]:
            broadcast = shared(arguments, "arguments")
            layout = self.source.laid_out(self.block_rows)
            if self._persist:
                kept = self._with_features(layout)
                return mapped(stage, work.evaluate, [(samples, broadcast) for samples in kept])
            context = shared(self.context, "context")
            jobs = [(*part, context, broadcast) for part in layout]
            return mapped(stage, work.prepare_and_evaluate, jobs)

        raw = self.source.scheduler.reduce(stage, tasks, arguments)
        return whitened(self.subsample.features, raw)

    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """Return the samples farthest from the centre."""
        source = self.source

        def tasks() -> list[Delayed]:
            broadcast, offsets = shared(extreme_samples, "views"), source.chunk_offsets.tolist()
            rows = zip(source.checked, offsets, source.about.sizes, strict=True)
            jobs = [(broadcast, part, offset) for part, offset, n in rows if n]
            return mapped("extremes", lambda views, part, offset: views.rows(part.X, offset), jobs)

        return source.scheduler.reduce("extremes", tasks, extreme_samples)

    def with_loss(self, loss: Loss) -> Self:
        """Return the same design for another loss of the same targets."""
        design = super().with_loss(loss)
        design.context = replace(self.context, loss=loss)
        design._persisted = None
        return design

    def filtered(self, sample_filter: SampleFilter) -> Self:
        """Return a design that excludes the samples outside of a filter a priori."""
        design = super().filtered(sample_filter)
        design.context = replace(self.context, sample_filter=sample_filter)
        design._persisted = None
        return design

    def raw_coef(self, coef: FloatArray) -> FloatArray:
        """Return the coefficients of raw features, that of the column of ones last."""
        features = self.subsample.features
        if not features.fit_intercept:
            coef = np.vstack([coef, np.zeros(coef.shape[1])])
        return np.vstack([features.map.unwhiten_coef(coef[:-1]), coef[-1:]])

    def _with_features(self, layout: Layout) -> list[Delayed]:
        """Return partitions with features, computed again if the cluster has lost them all."""
        if self._persisted is None or layout is not self._persisted[0]:
            context = shared(self.context, "context")
            tasks = mapped("features", work.prepare, [(*part, context, True) for part in layout])
            self._persisted = layout, self.source.scheduler.persist("features", tasks)
        return self._persisted[1]
