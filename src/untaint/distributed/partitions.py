"""Work on one partition of the rows, which runs on a worker.

These functions are pure, and know neither Dask nor the other partitions: only how many rows come
before theirs, so that blocks begin at the same rows as on one machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from dask.sizeof import sizeof
from numpy.typing import NDArray

from .._sums import total
from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray, IntArray
from .._validation import check_chunk
from ..design.blocked import BlockedFeatures
from ..design.memory_plan import Plan
from ..design.partitioned import Samples
from ..feature_maps.base import FeatureMap
from ..learners.classification import targets_of
from ..learners.function import as_2d
from ..losses import Loss
from ..optim.oracle import Curvature, PassResult
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import WeightFunction

#: Coefficients of raw features, weights, bins and curvature of a pass.
Arguments = tuple[FloatArray, WeightFunction, HistogramGrid, Curvature]


@final
@dataclass(frozen=True)
class Partition:
    """Validated rows of positive weight.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,) or (n, k)
        Targets as given.
    sample_weight : array of shape (n,)
    present : bool array of all rows of the chunk, or None
        Which rows have a positive weight, if not all.
    absent_labels : array or None
        Labels of the rows of weight zero.
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
    """Validate the rows, targets and weights of one chunk; errors name the chunk."""
    X, y, sample_weight = check_chunk(X, y, weights, number, labels=labels)
    present = sample_weight > 0
    if present.all():
        return Partition(X, y, sample_weight)
    absent_labels = np.unique(y[~present]) if labels else None
    return Partition(X[present], y[present], sample_weight[present], present, absent_labels)


def check_all(
    X: Any, y: Any, weights: Any, number: int, labels: bool
) -> tuple[FloatArray, NDArray[Any], FloatArray]:
    """Validate one chunk, and keep its rows of weight zero."""
    return check_chunk(X, y, weights, number, labels=labels)


def no_targets(X: Any) -> FloatArray:
    """Return zero targets for rows without any."""
    return np.zeros(len(X))


def join(parts: list[Partition]) -> Partition:
    """Concatenate small partitions."""
    return Partition(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.sample_weight for part in parts]),
    )


def piece(part: Partition, first: int, last: int) -> Partition:
    """Return some rows of a large partition."""
    return Partition(part.X[first:last], part.y[first:last], part.sample_weight[first:last])


@final
@dataclass(frozen=True)
class Description:
    """Sizes, weights and labels of chunks, which add up.

    Attributes
    ----------
    lengths, sizes, totals : tuple
        Number of rows of each chunk, number of those with a positive weight, and their weight.
    least, most : float
        The smallest and the largest weight.
    whole : bool
        Whether weights are integers.
    outputs : set of int
        Numbers of target columns; 0 for one-dimensional targets.
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
        """Return the description of both parts."""
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
    """Return the description of one partition."""
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
    """Sorted classes, and the factor of the weight of their rows."""

    classes: NDArray[Any]
    factors: FloatArray

    def codes(self, y: NDArray[Any]) -> IntArray:
        """Return the index of each row's class."""
        return np.searchsorted(self.classes, y)


def class_weighted(part: Partition, labels: Labels | None) -> FloatArray:
    """Return the rows' weights times those of their classes."""
    if labels is None:
        return part.sample_weight
    return part.sample_weight * labels.factors[labels.codes(part.y)]


def pick(part: Partition, rows: IntArray) -> tuple[FloatArray, NDArray[Any]]:
    """Return some rows and their targets."""
    return part.X[rows], part.y[rows]


def pick_weighted(
    part: Partition, labels: Labels | None, before: float, places: FloatArray, offset: int
) -> tuple[IntArray, FloatArray, NDArray[Any]]:
    """Return the rows at some places of the cumulative weight, which is ``before`` at first."""
    reached = before + np.cumsum(class_weighted(part, labels))
    rows = np.minimum(np.searchsorted(reached, places, side="right"), part.n_rows - 1)
    return offset + rows, part.X[rows], part.y[rows]


def weight_of(part: Partition, labels: Labels | None) -> Any:
    """Return the weight of a partition in the fit."""
    return total(class_weighted(part, labels))


def extremes(part: Partition, offset: int, extreme_samples: ExtremeSamples) -> TopK:
    """Return the partition's rows farthest from the centre."""
    return extreme_samples.rows(part.X, offset)


@final
@dataclass(frozen=True)
class PassContext:
    """The parameters that all passes of a fit share.

    Attributes
    ----------
    feature_map : FeatureMap
        Map to raw features, without whitening.
    loss : Loss
    plan : Plan
    sample_filter : SampleFilter or None
    labels : Labels or None
    """

    feature_map: FeatureMap
    loss: Loss
    plan: Plan
    sample_filter: SampleFilter | None
    labels: Labels | None


def prepare(part: Partition, offset: int, context: PassContext, keep: bool = False) -> Samples:
    """Return the samples of a partition, ready for passes.

    Parameters
    ----------
    part : Partition
    offset : int
        Number of rows before these.
    context : PassContext
    keep : bool
        Whether the features are computed at once and kept.
    """
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
    return int(part.X.nbytes + part.y.nbytes + part.sample_weight.nbytes)


@sizeof.register(Samples)
def _samples_bytes(samples: Samples) -> int:
    features = samples.features
    arrays = (features.X, samples.y, samples.groups, samples.sample_weight)
    return sum(array.nbytes for array in arrays) + features.n_bytes
