"""What a fit says of each row, chunk by chunk, when somebody asks for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from .._validation import check_chunk
from ..contamination.mixture_weighting import MixtureWeights
from ..outliers.scores import class_scores
from ..weighting.threshold import SampleLosses, WeightFunction
from .partitions import Partition, PassContext, PreparedPartition


class RowScore(Protocol):
    """Rows to how suspicious they are."""

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Higher is more suspicious."""


@final
@dataclass(frozen=True)
class ResidualScore:
    """Residuals in robust deviations; a row that was not heard is as suspicious as the worst."""

    scale: float
    worst: float

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Root of the loss over the scale."""
        return np.minimum(np.sqrt(rows.losses) / self.scale, self.worst)


@final
@dataclass(frozen=True)
class MixtureScore:
    """The same in deviations of the good rows as they were read."""

    rule: MixtureWeights
    worst: float

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Size of the residual over the scale."""
        with np.errstate(over="ignore"):
            sizes = np.abs(self.rule.signed(rows.deviations)) / self.rule.candidate.scale
        return np.where(rows.excluded, np.maximum(sizes, self.worst), np.nan_to_num(sizes))


@final
@dataclass(frozen=True)
class ClassScore:
    """Losses over the thresholds of the rows' classes."""

    thresholds: FloatArray
    worst: float

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Above 1 is suspicious."""
        return np.minimum(class_scores(rows.losses, self.thresholds[rows.groups]), self.worst)


@final
@dataclass(frozen=True)
class PartitionScorer:
    """A fitted function, and what it makes of rows.

    Attributes
    ----------
    context : Setting
    coef : array of shape (r + 1, k)
        Of raw features and of ones.
    weight_function : Weigh
        Rows that keep half of their weight or more are kept.
    scoring : Scoring
    absent : (Weigh, Scoring)
        The same for rows of weight zero, which are judged by their losses alone.
    """

    context: PassContext
    coef: FloatArray
    weight_function: WeightFunction
    scoring: RowScore
    absent: tuple[WeightFunction, RowScore]


def score_partition(
    X: Any, y: Any, weights: Any, number: int, offset: int, scorer: PartitionScorer
) -> tuple[BoolArray, FloatArray]:
    """Which rows of a chunk are kept, and how suspicious they are.

    Rows of weight zero had no part in the fit, but are judged by it.
    """
    X, y, sample_weight = check_chunk(
        X, y, weights, number, labels=scorer.context.labels is not None
    )
    kept, scores = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    # Gates know the rows of the fit by their numbers; rows of weight zero have none.
    ungated = replace(scorer.context, sample_filter=None)
    for rows, context, first, (weight_function, scoring) in (
        (sample_weight > 0, scorer.context, offset, (scorer.weight_function, scorer.scoring)),
        (sample_weight == 0, ungated, 0, scorer.absent),
    ):
        if rows.any():
            own = np.where(sample_weight[rows] > 0, sample_weight[rows], 1.0)
            chunk = PreparedPartition(Partition(X[rows], y[rows], own), first, context)
            with single_threaded_blas():
                losses = chunk.evaluate_losses(slice(None), chunk.features.values(scorer.coef))
            kept[rows] = weight_function.weights(losses) >= 0.5 * losses.sample_weight
            scores[rows] = scoring.scores(losses)
    return kept, scores
