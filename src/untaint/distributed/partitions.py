"""What is done with one chunk of rows, by the block functions of the other rooms.

These functions run on workers. They are pure, and know neither Dask nor the other chunks: only how
many rows come before theirs, so that blocks begin where they would begin on one machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from .._sums import total
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_chunk
from ..design.blocked import BlockedFeatures, BlockSums
from ..design.memory_plan import Plan
from ..feature_maps.base import FeatureMap
from ..learners.classification import targets_of
from ..learners.function import as_2d
from ..losses import Loss
from ..optim.oracle import Aggregates, OracleQuery, block_contribution, evaluate_losses
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from ..weighting.threshold import SampleLosses


@final
@dataclass(frozen=True)
class Partition:
    """Rows that have been checked; those of weight zero are left out.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,) or (n, k)
        As given.
    sample_weight : array of shape (n,)
    present : bool array of all rows of the chunk, or None
        Which rows these are, if not all.
    absent_labels : array or None
        Labels of the others.
    """

    X: FloatArray
    y: NDArray[Any]
    sample_weight: FloatArray
    present: BoolArray | None = None
    absent_labels: NDArray[Any] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.sample_weight)


def check(X: Any, y: Any, weights: Any, number: int, labels: bool) -> Partition:
    """Rows, targets and weights of one chunk, or an error that names it."""
    X, y, sample_weight = check_chunk(X, y, weights, number, labels=labels)
    present = sample_weight > 0
    if present.all():
        return Partition(X, y, sample_weight)
    absent_labels = np.unique(y[~present]) if labels else None
    return Partition(X[present], y[present], sample_weight[present], present, absent_labels)


def check_all(
    X: Any, y: Any, weights: Any, number: int, labels: bool
) -> tuple[FloatArray, NDArray[Any], FloatArray]:
    """The same with the rows of weight zero."""
    return check_chunk(X, y, weights, number, labels=labels)


def no_targets(X: Any) -> FloatArray:
    """Targets of rows that have none."""
    return np.zeros(len(X))


def join(parts: list[Partition]) -> Partition:
    """Small chunks as one."""
    return Partition(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.sample_weight for part in parts]),
    )


def piece(part: Partition, first: int, last: int) -> Partition:
    """Some rows of a large chunk."""
    return Partition(part.X[first:last], part.y[first:last], part.sample_weight[first:last])


@final
@dataclass(frozen=True)
class Description:
    """What is to be known of chunks before any fit, which adds up.

    Attributes
    ----------
    lengths, sizes, totals : tuple
        Rows of each chunk, those of them that have a weight, and that weight.
    least, most : float
        Weights.
    whole : bool
        Whether weights are whole numbers.
    outputs : set of int
        Targets of a row; 0 for a plain column of them.
    classes : dict from label to weight, or None
    """

    lengths: tuple[int, ...]
    sizes: tuple[int, ...]
    totals: tuple[Any, ...]
    least: float
    most: float
    whole: bool
    outputs: frozenset[int]
    classes: dict[Any, float] | None

    def __add__(self, other: Description) -> Description:
        """Of both."""
        classes = None
        if self.classes is not None and other.classes is not None:
            names = {**self.classes, **other.classes}
            classes = {
                name: self.classes.get(name, 0.0) + other.classes.get(name, 0.0) for name in names
            }
        return Description(
            self.lengths + other.lengths,
            self.sizes + other.sizes,
            self.totals + other.totals,
            min(self.least, other.least),
            max(self.most, other.most),
            self.whole and other.whole,
            self.outputs | other.outputs,
            classes,
        )


def describe(part: Partition, labels: bool) -> Description:
    """What is to be known of a chunk."""
    classes = None
    if labels:
        names, codes = np.unique(part.y, return_inverse=True)
        absent_labels = [] if part.absent_labels is None else part.absent_labels.tolist()
        classes = dict.fromkeys(absent_labels, 0.0)
        classes |= dict(
            zip(names.tolist(), np.bincount(codes, part.sample_weight).tolist(), strict=True)
        )
    sample_weight = part.sample_weight
    return Description(
        (part.n_rows if part.present is None else len(part.present),),
        (part.n_rows,),
        (total(sample_weight),),
        float(sample_weight.min(initial=np.inf)),
        float(sample_weight.max(initial=0.0)),
        bool((sample_weight == np.floor(sample_weight)).all()),
        frozenset([0 if part.y.ndim == 1 else part.y.shape[1]] if part.n_rows else []),
        classes,
    )


@final
@dataclass(frozen=True)
class Labels:
    """Classes, in order, and what a row of each weighs."""

    classes: NDArray[Any]
    factors: FloatArray

    def codes(self, y: NDArray[Any]) -> IntArray:
        """Number of each row's class."""
        return np.searchsorted(self.classes, y)


def class_weighted(part: Partition, labels: Labels | None) -> FloatArray:
    """What rows weigh in the fit."""
    if labels is None:
        return part.sample_weight
    return part.sample_weight * labels.factors[labels.codes(part.y)]


def pick(part: Partition, rows: IntArray) -> tuple[FloatArray, NDArray[Any]]:
    """Some rows and their targets."""
    return part.X[rows], part.y[rows]


def pick_weighted(
    part: Partition, labels: Labels | None, before: float, places: FloatArray, offset: int
) -> tuple[IntArray, FloatArray, NDArray[Any]]:
    """Rows at these places of the cumulative weight, of which so much lies before the chunk."""
    reached = before + np.cumsum(class_weighted(part, labels))
    rows = np.minimum(np.searchsorted(reached, places, side="right"), part.n_rows - 1)
    return offset + rows, part.X[rows], part.y[rows]


def weight_of(part: Partition, labels: Labels | None) -> Any:
    """Weight of a chunk in the fit."""
    return total(class_weighted(part, labels))


def outermost(part: Partition, offset: int, extreme_samples: ExtremeSamples) -> TopK:
    """The chunk's rows farthest out."""
    return extreme_samples.rows(part.X, offset)


@final
@dataclass(frozen=True)
class PassContext:
    """What every pass of a fit has in common.

    Attributes
    ----------
    feature_map : FeatureMap
        Without its mixing: workers see raw features only.
    loss : Loss
    plan : Plan
    sample_filter : Gate or None
    labels : Labels or None
    """

    feature_map: FeatureMap
    loss: Loss
    plan: Plan
    sample_filter: SampleFilter | None
    labels: Labels | None


@final
class PreparedPartition:
    """A chunk that can be asked.

    Parameters
    ----------
    part : Part
    offset : int
        Rows that come before these.
    context : Setting
    keep : bool
        Whether to keep the features.
    """

    def __init__(
        self, part: Partition, offset: int, context: PassContext, keep: bool = False
    ) -> None:
        plan, labels = context.plan, context.labels
        if keep:
            plan = replace(plan, kept_rows=part.n_rows)
        self.features = BlockedFeatures(context.feature_map, part.X, True, plan, 1, offset)
        self.loss = context.loss
        self.sample_weight = class_weighted(part, labels)
        if labels is None:
            self.y = as_2d(np.asarray(part.y, dtype=float))
            self.groups = np.zeros(part.n_rows, dtype=np.intp)
        else:
            self.groups = labels.codes(part.y)
            self.y = targets_of(self.groups, len(labels.classes))
        self.excluded = np.zeros(part.n_rows, dtype=bool)
        if context.sample_filter is not None and part.n_rows:
            self.excluded = context.sample_filter.excluded_mask(part.X, offset)
        if keep:
            self.features.fill()

    @cached_property
    def n_bytes(self) -> int:
        """Size in memory."""
        arrays = (self.features.X, self.y, self.groups, self.sample_weight)
        return sum(array.nbytes for array in arrays) + self.features.n_bytes

    def evaluate_losses(self, rows: slice, values: FloatArray) -> SampleLosses:
        """What rows say to values of a function."""
        own = (self.sample_weight[rows], self.groups[rows], self.excluded[rows])
        return evaluate_losses(self.loss, self.y[rows], values, *own)


@final
@dataclass(frozen=True)
class Sums:
    """What chunks answer."""

    block_sums: BlockSums
    aggregates: Aggregates

    def __add__(self, other: Sums) -> Sums:
        """Of both."""
        return Sums(self.block_sums + other.block_sums, self.aggregates + other.aggregates)


def prepare(part: Partition, offset: int, context: PassContext) -> PreparedPartition:
    """A chunk with its features, to be asked time and again."""
    return PreparedPartition(part, offset, context, keep=True)


def evaluate(chunk: PreparedPartition, query: OracleQuery) -> Sums:
    """What a chunk answers."""

    def contribution(
        rows: slice, values: FloatArray
    ) -> tuple[FloatArray, FloatArray | None, Aggregates]:
        return block_contribution(
            query, chunk.loss, chunk.y[rows], values, chunk.evaluate_losses(rows, values)
        )

    with single_threaded_blas():
        return Sums(*chunk.features.map_reduce(query.coef, contribution))


def evaluate_uncached(
    part: Partition, offset: int, context: PassContext, query: OracleQuery
) -> Sums:
    """The same for a chunk whose features are not kept."""
    return evaluate(PreparedPartition(part, offset, context), query)


@sizeof.register(Partition)
def _part_bytes(part: Partition) -> int:
    return int(part.X.nbytes + part.y.nbytes + part.sample_weight.nbytes)


@sizeof.register(PreparedPartition)
def _ready_bytes(chunk: PreparedPartition) -> int:
    return chunk.n_bytes
