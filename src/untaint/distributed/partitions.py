"""Functions of one partition of the rows, which run on a worker.

They are pure, and know neither Dask nor the other partitions: only how many rows come before
theirs, so that blocks begin at the same rows as on one machine.
"""

from dataclasses import dataclass, replace
from typing import Any, Self, final

import numpy as np
from dask.sizeof import sizeof

from .._sums import total
from .._threads import single_threaded_blas
from .._typing import AnyArray, FloatArray, IntArray
from .._validation import check_chunk
from ..design.blocked import BlockedFeatures
from ..design.memory_plan import Plan
from ..design.partitioned import Samples
from ..feature_maps.base import FeatureMap
from ..learners.classification import targets_of
from ..learners.function import as_2d
from ..losses import Loss
from ..optim.oracle import Curvature, PassResult
from ..screening.filters import SampleFilter
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import WeightFunction

#: Coefficients of raw features, weights, bins and curvature of a pass.
Arguments = tuple[FloatArray, WeightFunction, HistogramGrid, Curvature]
#: Numbers of rows, the rows and their targets.
DrawnRows = tuple[IntArray, FloatArray, AnyArray]


@final
@dataclass(frozen=True)
class Partition:
    """The validated rows of positive weight of a chunk, with their targets as given.

    ``n_absent`` is the number of the chunk's rows of weight zero, and ``absent_labels`` the labels
    that they have, if targets are labels.
    """

    X: FloatArray
    y: AnyArray
    sample_weight: FloatArray
    n_absent: int = 0
    absent_labels: tuple[Any, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows of positive weight."""
        return len(self.sample_weight)


def check(X: Any, y: Any, weights: Any, number: int, labels: bool) -> Partition:
    """Validate rows, targets (zero if there are none) and weights; errors name the chunk."""
    y = np.zeros(len(X)) if y is None else y
    X, y, sample_weight = check_chunk(X, y, weights, number, labels=labels)
    present = sample_weight > 0
    if present.all():
        return Partition(X, y, sample_weight)
    absent_labels = tuple(np.unique(y[~present]).tolist()) if labels else ()
    absent = (int((~present).sum()), absent_labels)
    return Partition(X[present], y[present], sample_weight[present], *absent)


def join(parts: list[Partition]) -> Partition:
    """Concatenate small partitions."""
    columns = zip(*((part.X, part.y, part.sample_weight) for part in parts), strict=True)
    X, y, sample_weight = map(np.concatenate, columns)
    return Partition(X, y, sample_weight)


def piece(part: Partition, first: int, last: int) -> Partition:
    """Return some rows of a large partition."""
    return Partition(part.X[first:last], part.y[first:last], part.sample_weight[first:last])


@final
@dataclass(frozen=True)
class Description:
    """The sizes, weights and labels of chunks, which add up."""

    lengths: tuple[int, ...]  # rows of each chunk
    sizes: tuple[int, ...]  # rows of positive weight of each chunk
    totals: tuple[Any, ...]  # weight of each chunk
    least: float  # smallest weight of a row
    most: float  # largest weight of a row
    whole: bool  # whether weights are integers
    outputs: frozenset[int]  # numbers of target columns; 0 for one-dimensional targets
    classes: dict[Any, float]  # weight of each label; empty if targets are not labels

    def __add__(self, other: Self) -> Self:
        """Return the description of both parts."""
        mine, theirs = self.classes, other.classes
        classes = {name: mine.get(name, 0.0) + theirs.get(name, 0.0) for name in {**mine, **theirs}}
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
    """Return the description of one partition."""
    sample_weight = part.sample_weight
    classes = dict.fromkeys(part.absent_labels, 0.0)
    if labels:
        names, codes = np.unique(part.y, return_inverse=True)
        weights = np.bincount(codes, sample_weight)
        classes |= dict(zip(names.tolist(), weights.tolist(), strict=True))
    return Description(
        (part.n_rows + part.n_absent,),
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
    """The sorted classes, and the factor of the weight of their rows."""

    classes: AnyArray
    factors: FloatArray

    def codes(self, y: AnyArray) -> IntArray:
        """Return the index of each row's class."""
        return np.searchsorted(self.classes, y)


def class_weighted(part: Partition, labels: Labels | None) -> FloatArray:
    """Return the rows' weights times those of their classes."""
    if labels is None:
        return part.sample_weight
    return part.sample_weight * labels.factors[labels.codes(part.y)]


def pick(part: Partition, rows: IntArray, offset: int) -> DrawnRows:
    """Return the numbers of some rows among all, these rows and their targets."""
    return offset + rows, part.X[rows], part.y[rows]


def pick_weighted(
    part: Partition, labels: Labels | None, before: float, places: FloatArray, offset: int
) -> DrawnRows:
    """Return the rows at some places of the cumulative weight, which is ``before`` at first."""
    reached = before + np.cumsum(class_weighted(part, labels))
    rows = np.minimum(np.searchsorted(reached, places, side="right"), part.n_rows - 1)
    return pick(part, rows, offset)


def weight_of(part: Partition, labels: Labels | None) -> Any:
    """Return the weight of a partition in the fit."""
    return total(class_weighted(part, labels))


@final
@dataclass(frozen=True)
class PassContext:
    """The parameters that all passes of a fit share; the map is that to raw features."""

    feature_map: FeatureMap
    loss: Loss
    plan: Plan
    sample_filter: SampleFilter | None
    labels: Labels | None


def prepare(part: Partition, offset: int, context: PassContext, keep: bool = False) -> Samples:
    """Return the samples of a partition after ``offset`` others; ``keep`` computes features now."""
    plan, labels = context.plan, context.labels
    if keep:
        plan = replace(plan, kept_rows=part.n_rows)
    features = BlockedFeatures(context.feature_map, part.X, True, plan, 1, offset)
    if labels is None:
        y, groups = as_2d(np.asarray(part.y, dtype=float)), np.zeros(part.n_rows, dtype=np.intp)
    else:
        groups = labels.codes(part.y)
        y = targets_of(groups, len(labels.classes))
    excluded = np.zeros(part.n_rows, dtype=bool)
    if context.sample_filter is not None and part.n_rows:
        excluded = context.sample_filter.excluded_mask(part.X, offset)
    if keep:
        features.fill()
    weights = class_weighted(part, labels)
    return Samples(features, context.loss, y, weights, groups, excluded)


def evaluate(samples: Samples, arguments: Arguments) -> PassResult:
    """Return the sums of one pass over a partition."""
    with single_threaded_blas():
        return samples.evaluate(*arguments)


def prepare_and_evaluate(
    part: Partition, offset: int, context: PassContext, arguments: Arguments
) -> PassResult:
    """Return the sums of one pass over a partition whose features are not kept."""
    return evaluate(prepare(part, offset, context), arguments)


@sizeof.register(Partition)
def _part_bytes(part: Partition) -> int:
    """Return the memory of a partition, by which Dask balances its workers."""
    return int(part.X.nbytes + part.y.nbytes + part.sample_weight.nbytes)


@sizeof.register(Samples)
def _samples_bytes(samples: Samples) -> int:
    """Return the memory of samples and their cached features."""
    features = samples.features
    arrays = (features.X, samples.y, samples.groups, samples.sample_weight)
    return sum(array.nbytes for array in arrays) + features.n_bytes
