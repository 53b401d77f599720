"""Inlier masks and outlier scores of partitions, computed when they are needed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from .._threads import single_threaded_blas
from .._typing import BoolArray, FloatArray
from .._validation import check_chunk
from ..contamination.label_posterior import wrong_label_scores
from ..contamination.mixture_weighting import MixtureWeights
from ..model_selection.label_noise import LabelNoise
from ..outliers.scores import class_scores
from ..weighting.threshold import SampleLosses, WeightFunction
from .partitions import Partition, PassContext, prepare

#: From the losses of rows to outlier scores, of which higher ones are more outlying.
RowScores = Callable[[SampleLosses], FloatArray]


def residual_scores(rows: SampleLosses, scale: float, largest: float) -> FloatArray:
    """Return residuals in robust standard deviations; excluded rows have the largest score."""
    return np.minimum(np.sqrt(rows.losses) / scale, largest)


def mixture_scores(rows: SampleLosses, rule: MixtureWeights, largest: float) -> FloatArray:
    """Return residuals in the inliers' scale; excluded rows have at least the largest score."""
    sizes = rule.scores(rows)
    return np.where(rows.excluded, np.maximum(sizes, largest), sizes)


def mixture_noise(rows: SampleLosses, rule: MixtureWeights) -> FloatArray:
    """Return the noise scale of each row."""
    return rule.model.groups.scales(rule.residuals(rows))


def constant_noise(rows: SampleLosses, scale: float) -> FloatArray:
    """Return one noise scale for all rows."""
    return np.full(len(rows.losses), scale)


def label_scores(rows: SampleLosses, thresholds: FloatArray, largest: float) -> FloatArray:
    """Return losses over the thresholds of their classes; above 1 is outlying."""
    return np.minimum(class_scores(rows.losses, thresholds[rows.groups]), largest)


@final
@dataclass(frozen=True)
class LabelWeights:
    """Weights and scores by the probability that a label is right."""

    noise: LabelNoise

    def weights(self, rows: SampleLosses) -> FloatArray:
        """Return the probability that each label is right, times the weight of the row."""
        return self._right(rows) * rows.sample_weight

    def scores(self, rows: SampleLosses) -> FloatArray:
        """Return outlier scores; above 1 a label is probably wrong."""
        return wrong_label_scores(self._right(rows))

    def _right(self, rows: SampleLosses) -> FloatArray:
        right = self.noise.right_label(rows.predictions, rows.groups)
        return np.where(rows.excluded, 0.0, right)


@final
@dataclass(frozen=True)
class PartitionScorer:
    """A fitted function of raw features and a column of ones, with weights and scores of rows.

    ``present`` is for rows of positive weight and ``absent``, which depends on the losses alone,
    for those of weight zero. Rows that keep at least half of their weight are inliers. ``noise``
    is the noise scale of rows of a regressor.
    """

    context: PassContext
    coef: FloatArray
    present: tuple[WeightFunction, RowScores]
    absent: tuple[WeightFunction, RowScores]
    noise: RowScores | None = None


def score_partition(
    X: Any, y: Any, weights: Any, number: int, offset: int, scorer: PartitionScorer
) -> tuple[BoolArray, FloatArray, FloatArray, FloatArray]:
    """Return inlier mask, scores, inlier probabilities and noise scales of a chunk.

    Rows of weight zero are included; noise scales are NaN for labels.
    """
    labels = scorer.context.labels is not None
    X, y, sample_weight = check_chunk(X, y, weights, number, labels=labels)
    mask, scores = np.zeros(len(y), dtype=bool), np.zeros(len(y))
    probability, noise = np.zeros(len(y)), np.full(len(y), np.nan)
    # Filters know the rows of the fit by their numbers; rows of weight zero have none.
    unfiltered = replace(scorer.context, sample_filter=None)
    for rows, context, first, (weight_function, row_scores) in (
        (sample_weight > 0, scorer.context, offset, scorer.present),
        (sample_weight == 0, unfiltered, 0, scorer.absent),
    ):
        if rows.any():
            own = np.where(sample_weight[rows] > 0, sample_weight[rows], 1.0)
            samples = prepare(Partition(X[rows], y[rows], own), first, context)
            with single_threaded_blas():
                losses = samples.losses(samples.features.values(scorer.coef))
            probability[rows] = weight_function.weights(losses) / losses.sample_weight
            mask[rows] = probability[rows] >= 0.5
            scores[rows] = row_scores(losses)
            if scorer.noise is not None:
                noise[rows] = scorer.noise(losses)
    return mask, scores, probability, noise
