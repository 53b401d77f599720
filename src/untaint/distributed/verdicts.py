"""What a fit says of each row, chunk by chunk, when somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from .._validation import check_chunk
from ..estimators.trusting import Trusted
from ..learners.scores import class_scores
from ..selection import Heard, Weigh
from .parts import Part, Ready, Setting


class Scoring(Protocol):
    """Rows to how suspicious they are."""

    def scores(self, rows: Heard) -> FloatArray:
        """Higher is more suspicious."""


@final
@dataclass(frozen=True)
class BySize:
    """Residuals in robust deviations; a row that was not heard is as suspicious as the worst."""

    scale: float
    worst: float

    def scores(self, rows: Heard) -> FloatArray:
        """Root of the loss over the scale."""
        return np.minimum(np.sqrt(rows.losses) / self.scale, self.worst)


@final
@dataclass(frozen=True)
class ByReading:
    """The same in deviations of the good rows as they were read."""

    rule: Trusted
    worst: float

    def scores(self, rows: Heard) -> FloatArray:
        """Size of the residual over the scale."""
        with np.errstate(over="ignore"):
            sizes = np.abs(self.rule.signed(rows.deviations)) / self.rule.reading.scale
        return np.where(rows.shunned, np.maximum(sizes, self.worst), np.nan_to_num(sizes))


@final
@dataclass(frozen=True)
class ByClass:
    """Losses over the thresholds of the rows' classes."""

    thresholds: FloatArray
    worst: float

    def scores(self, rows: Heard) -> FloatArray:
        """Above 1 is suspicious."""
        return np.minimum(class_scores(rows.losses, self.thresholds[rows.groups]), self.worst)


@final
@dataclass(frozen=True)
class Judge:
    """A fitted function, and what it makes of rows.

    Attributes
    ----------
    setting : Setting
    coef : array of shape (r + 1, k)
        Of raw features and of ones.
    weigh : Weigh
        Rows that keep half of their weight or more are kept.
    scoring : Scoring
    absent : (Weigh, Scoring)
        The same for rows of weight zero, which are judged by their losses alone.
    """

    setting: Setting
    coef: FloatArray
    weigh: Weigh
    scoring: Scoring
    absent: tuple[Weigh, Scoring]


def verdict(
    X: Any, y: Any, weights: Any, number: int, offset: int, judge: Judge
) -> tuple[BoolArray, FloatArray]:
    """Which rows of a chunk are kept, and how suspicious they are.

    Rows of weight zero had no part in the fit, but are judged by it.
    """
    X, y, copies = check_chunk(X, y, weights, number, labels=judge.setting.labels is not None)
    kept, scores = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    # Gates know the rows of the fit by their numbers; rows of weight zero have none.
    ungated = replace(judge.setting, gate=None)
    for rows, setting, first, (weigh, scoring) in (
        (copies > 0, judge.setting, offset, (judge.weigh, judge.scoring)),
        (copies == 0, ungated, 0, judge.absent),
    ):
        if rows.any():
            own = np.where(copies[rows] > 0, copies[rows], 1.0)
            chunk = Ready(Part(X[rows], y[rows], own), first, setting)
            with single_threaded_blas():
                heard = chunk.hear(slice(None), chunk.features.values(judge.coef))
            kept[rows] = weigh.weights(heard) >= 0.5 * heard.row_weights
            scores[rows] = scoring.scores(heard)
    return kept, scores
