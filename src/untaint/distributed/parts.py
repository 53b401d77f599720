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
from ..features import BlockedFeatures, FeatureMap, Plan, Pulled
from ..learners import columns
from ..learners.labels import targets_of
from ..losses import Loss
from ..screening import Gate, Outskirts
from ..screening.sampled import Outer
from ..selection import Heard
from ..solvers.poll import Question, Tally, answers, hear


@final
@dataclass(frozen=True)
class Part:
    """Rows that have been checked; those of weight zero are left out.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,) or (n, k)
        As given.
    copies : array of shape (n,)
    present : bool array of all rows of the chunk, or None
        Which rows these are, if not all.
    lost : array or None
        Labels of the others.
    """

    X: FloatArray
    y: NDArray[Any]
    copies: FloatArray
    present: BoolArray | None = None
    lost: NDArray[Any] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.copies)


def check(X: Any, y: Any, weights: Any, number: int, labels: bool) -> Part:
    """Rows, targets and weights of one chunk, or an error that names it."""
    X, y, copies = check_chunk(X, y, weights, number, labels=labels)
    present = copies > 0
    if present.all():
        return Part(X, y, copies)
    lost = np.unique(y[~present]) if labels else None
    return Part(X[present], y[present], copies[present], present, lost)


def check_all(
    X: Any, y: Any, weights: Any, number: int, labels: bool
) -> tuple[FloatArray, NDArray[Any], FloatArray]:
    """The same with the rows of weight zero."""
    return check_chunk(X, y, weights, number, labels=labels)


def no_targets(X: Any) -> FloatArray:
    """Targets of rows that have none."""
    return np.zeros(len(X))


def join(parts: list[Part]) -> Part:
    """Small chunks as one."""
    return Part(
        np.concatenate([part.X for part in parts]),
        np.concatenate([part.y for part in parts]),
        np.concatenate([part.copies for part in parts]),
    )


def piece(part: Part, first: int, last: int) -> Part:
    """Some rows of a large chunk."""
    return Part(part.X[first:last], part.y[first:last], part.copies[first:last])


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


def describe(part: Part, labels: bool) -> Description:
    """What is to be known of a chunk."""
    classes = None
    if labels:
        names, codes = np.unique(part.y, return_inverse=True)
        lost = [] if part.lost is None else part.lost.tolist()
        classes = dict.fromkeys(lost, 0.0)
        classes |= dict(zip(names.tolist(), np.bincount(codes, part.copies).tolist(), strict=True))
    copies = part.copies
    return Description(
        (part.n_rows if part.present is None else len(part.present),),
        (part.n_rows,),
        (total(copies),),
        float(copies.min(initial=np.inf)),
        float(copies.max(initial=0.0)),
        bool((copies == np.floor(copies)).all()),
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


def fit_weights(part: Part, labels: Labels | None) -> FloatArray:
    """What rows weigh in the fit."""
    if labels is None:
        return part.copies
    return part.copies * labels.factors[labels.codes(part.y)]


def pick(part: Part, rows: IntArray) -> tuple[FloatArray, NDArray[Any]]:
    """Some rows and their targets."""
    return part.X[rows], part.y[rows]


def pick_weighted(
    part: Part, labels: Labels | None, before: float, places: FloatArray, offset: int
) -> tuple[IntArray, FloatArray, NDArray[Any]]:
    """Rows at these places of the cumulative weight, of which so much lies before the chunk."""
    reached = before + np.cumsum(fit_weights(part, labels))
    rows = np.minimum(np.searchsorted(reached, places, side="right"), part.n_rows - 1)
    return offset + rows, part.X[rows], part.y[rows]


def weight_of(part: Part, labels: Labels | None) -> Any:
    """Weight of a chunk in the fit."""
    return total(fit_weights(part, labels))


def outermost(part: Part, offset: int, outskirts: Outskirts) -> Outer:
    """The chunk's rows farthest out."""
    return outskirts.rows(part.X, offset)


@final
@dataclass(frozen=True)
class Setting:
    """What every pass of a fit has in common.

    Attributes
    ----------
    feature_map : FeatureMap
        Without its mixing: workers see raw features only.
    loss : Loss
    plan : Plan
    gate : Gate or None
    labels : Labels or None
    """

    feature_map: FeatureMap
    loss: Loss
    plan: Plan
    gate: Gate | None
    labels: Labels | None


@final
class Ready:
    """A chunk that can be asked.

    Parameters
    ----------
    part : Part
    offset : int
        Rows that come before these.
    setting : Setting
    keep : bool
        Whether to keep the features.
    """

    def __init__(self, part: Part, offset: int, setting: Setting, keep: bool = False) -> None:
        plan, labels = setting.plan, setting.labels
        if keep:
            plan = replace(plan, kept_rows=part.n_rows)
        self.features = BlockedFeatures(setting.feature_map, part.X, True, plan, 1, offset)
        self.loss = setting.loss
        self.row_weights = fit_weights(part, labels)
        if labels is None:
            self.y = columns(np.asarray(part.y, dtype=float))
            self.groups = np.zeros(part.n_rows, dtype=np.intp)
        else:
            self.groups = labels.codes(part.y)
            self.y = targets_of(self.groups, len(labels.classes))
        self.shunned = np.zeros(part.n_rows, dtype=bool)
        if setting.gate is not None and part.n_rows:
            self.shunned = setting.gate.shuts_out(part.X, offset)
        if keep:
            self.features.fill()

    @cached_property
    def n_bytes(self) -> int:
        """Size in memory."""
        arrays = (self.features.X, self.y, self.groups, self.row_weights)
        return sum(array.nbytes for array in arrays) + self.features.n_bytes

    def hear(self, rows: slice, values: FloatArray) -> Heard:
        """What rows say to values of a function."""
        own = (self.row_weights[rows], self.groups[rows], self.shunned[rows])
        return hear(self.loss, self.y[rows], values, *own)


@final
@dataclass(frozen=True)
class Sums:
    """What chunks answer."""

    pulled: Pulled
    tally: Tally

    def __add__(self, other: Sums) -> Sums:
        """Of both."""
        return Sums(self.pulled + other.pulled, self.tally + other.tally)


def ready(part: Part, offset: int, setting: Setting) -> Ready:
    """A chunk with its features, to be asked time and again."""
    return Ready(part, offset, setting, keep=True)


def ask(chunk: Ready, question: Question) -> Sums:
    """What a chunk answers."""

    def judge(rows: slice, values: FloatArray) -> tuple[FloatArray, FloatArray | None, Tally]:
        return answers(question, chunk.loss, chunk.y[rows], values, chunk.hear(rows, values))

    with single_threaded_blas():
        return Sums(*chunk.features.poll(question.coef, judge))


def ask_anew(part: Part, offset: int, setting: Setting, question: Question) -> Sums:
    """The same for a chunk whose features are not kept."""
    return ask(Ready(part, offset, setting), question)


@sizeof.register(Part)
def _part_bytes(part: Part) -> int:
    return int(part.X.nbytes + part.y.nbytes + part.copies.nbytes)


@sizeof.register(Ready)
def _ready_bytes(chunk: Ready) -> int:
    return chunk.n_bytes
