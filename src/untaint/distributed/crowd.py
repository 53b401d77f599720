"""All rows of a fit, in the chunks of a cluster."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, final

import numpy as np
from dask.delayed import Delayed

from .._typing import FloatArray, IntArray
from ..features import BlockedFeatures, FeatureMap, Plan
from ..learners import Crowd
from ..learners.crowd import gathered
from ..learners.feature_problem import FeatureProblem
from ..losses import Loss
from ..screening import Gate, Outskirts
from ..screening.sampled import Outer
from ..solvers.poll import Answer, Question
from . import parts as work
from .chunks import Chunks, Layout
from .passes import mapped, shared


@final
class DaskCrowd(Crowd):
    """Rows in chunks.

    Parameters
    ----------
    chunks : Chunks
    pilot : FeatureProblem
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
        pilot: FeatureProblem,
        sample: IntArray,
        y: FloatArray,
        groups: IntArray,
        total: float,
        unit: float | None,
        block_rows: int,
        persist: Any = "auto",
    ) -> None:
        self.chunks = chunks
        self.pilot = pilot
        self.sample = sample
        self.y, self.groups = y, groups
        self.n_rows = chunks.n_rows
        self.total, self.unit = total, unit
        self.block_rows = block_rows
        self.persist = persist

    def outer(self, outskirts: Outskirts) -> Outer:
        """The rows farthest out."""

        def tasks() -> list[Delayed]:
            views = shared(outskirts, "outskirts")
            rows = zip(self.chunks.checked, self.chunks.chunk_offsets.tolist(), strict=True)
            jobs = [(*row, views) for row, n in zip(rows, self.chunks.sizes, strict=True) if n]
            return mapped("outermost", work.outermost, jobs)

        return self.chunks.passes.fold("outermost", tasks, outskirts)

    def poll(self, loss: Loss, gate: Gate | None) -> DaskPoll:
        """Who asks the rows, but those that a gate shuts out."""
        plan = Plan(self.block_rows, 0)
        setting = work.Setting(bare(self.pilot.map), loss, plan, gate, self.chunks.labels)
        return DaskPoll(self.chunks, setting, self.pilot.features, self.persist)


@final
class DaskPoll:
    """Asks the rows of all chunks.

    Parameters
    ----------
    chunks : Chunks
    setting : Setting
    features : BlockedFeatures
        Of the sample, which know how sums of raw features become sums of features.
    persist : bool or "auto"
    """

    def __init__(
        self,
        chunks: Chunks,
        setting: work.Setting,
        features: BlockedFeatures,
        persist: Any = "auto",
    ) -> None:
        self.chunks = chunks
        self.setting = setting
        self.features = features
        self.asked = 0
        self._ready: list[Delayed] | None = None
        self._made_of: Layout | None = None
        raw_width, itemsize = setting.feature_map.raw_width, setting.feature_map.dtype.itemsize
        row = raw_width * itemsize
        cheap = setting.feature_map.cheap
        self._keep = not cheap and chunks.may_keep(row, persist)
        if self._keep:
            chunks.passes.statistics.kept = "features"

    def ask(self, question: Question) -> Answer:
        """Their answers, summed."""
        self.asked += 1
        raw = replace(question, coef=self.raw_coef(question.coef))
        sums = self.chunks.passes.fold(f"question-{self.asked}", partial(self._tasks, raw), raw)
        return gathered(self.features, sums.pulled, sums.tally)

    def _tasks(self, question: Question) -> list[Delayed]:
        told = shared(question, "question")
        stage, layout = f"question-{self.asked}", self.chunks.laid_out(self.setting.plan.block_rows)
        if self._keep:
            return mapped(stage, work.ask, [(chunk, told) for chunk in self._kept(layout)])
        setting = shared(self.setting, "setting")
        rows = zip(layout.parts, layout.offsets, strict=True)
        return mapped(stage, work.ask_anew, [(*row, setting, told) for row in rows])

    def _kept(self, layout: Layout) -> list[Delayed]:
        """Chunks with their features, made once, or again if the cluster has lost them all."""
        if self._ready is None or layout is not self._made_of:
            setting = shared(self.setting, "setting")
            rows = zip(layout.parts, layout.offsets, strict=True)
            made = mapped("features", work.ready, [(*row, setting) for row in rows])
            self._ready = self.chunks.passes.keep("features", made)
            self._made_of = layout
        return self._ready

    def raw_coef(self, coef: FloatArray) -> FloatArray:
        """Coefficients of raw features, that of ones last."""
        if not self.features.fit_intercept:
            coef = np.vstack([coef, np.zeros(coef.shape[1])])
        return np.vstack([self.features.map.spread(coef[:-1]), coef[-1:]])


def bare(feature_map: FeatureMap) -> FeatureMap:
    """The map to raw features alone: mixing is applied to sums, and need not travel."""
    if feature_map.mixing is None:
        return feature_map
    raw = copy(feature_map)
    raw.mixing = None
    return raw
