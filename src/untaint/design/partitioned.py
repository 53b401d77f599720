r"""Designs of many samples, of which only a subsample need be in memory.

The samples may be in memory or in partitions on other machines. A fit evaluates functions on all of
them in passes (:mod:`untaint.optim.oracle`) and never looks at them one by one,

.. math:: \Phi^T (w \ell') = M^T \sum_b \Phi_b^T (w_b \ell_b'),

with raw features :math:`\Phi_b` of a block b and a whitening M that is applied to the sum. Blocks,
and therefore sums, are the same to the last bit for any storage of the samples.
"""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np

from .._sums import Sum, total
from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..optim.oracle import Curvature, Oracle, PassResult, evaluate_losses
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from ..weighting.base import unit_weight
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import SampleLosses, WeightFunction
from .blocked import BlockedFeatures, _Block
from .features import FeatureDesign

# A fit of p features to n samples leaves about p / n of the objective to chance. The last step may
# leave this part of it, and at most so much of the objective.
CHANCE_PART, MAX_DECREASE = 0.03, 2e-5
# The same for log-losses: their objective, a few tenths of each row, is left to chance to a larger
# part, and by trimming to a still larger one.
LABEL_PART, MAX_LABEL_DECREASE = 0.3, 1e-4
# Predicted decrease at which exact steps stop, in double and in single precision.
DOUBLE_DECREASE, SINGLE_DECREASE = 1e-12, 1e-8


@final
@dataclass(frozen=True)
class Samples:
    """The samples of a pass in the space of some features, in blocks.

    ``groups`` holds the class of each sample, zero where there are none, and ``excluded`` the mask
    of the samples that are excluded a priori.
    """

    features: BlockedFeatures
    loss: Loss
    y: FloatArray
    sample_weight: FloatArray
    groups: IntArray
    excluded: BoolArray

    def losses(self, values: FloatArray, rows: slice = slice(None)) -> SampleLosses:
        """Return the losses of some samples, given the values of a function there."""
        own = (self.sample_weight[rows], self.groups[rows], self.excluded[rows])
        return evaluate_losses(self.loss, self.y[rows], values, *own)

    def evaluate(
        self,
        coef: FloatArray,
        weight_function: WeightFunction,
        grid: HistogramGrid,
        curvature: Curvature = None,
        predictions: FloatArray | None = None,
    ) -> PassResult:
        """Return the sums of raw features and ones, and fill ``predictions`` with the values."""

        def block_result(rows: slice, values: FloatArray, block: _Block) -> PassResult:
            if predictions is not None:
                predictions[rows] = values
            losses = self.losses(values, rows)
            weights = weight_function.weights(losses)
            gradient, weighted_losses = self._weighted(rows, values, losses, weights)
            kept = np.bincount(losses.groups, weights, len(grid.edges))
            own = losses.sample_weight
            totals = [weighted_losses.sum(), own[losses.excluded].sum(), *kept]
            result = PassResult(
                Sum(np.array(totals, dtype=float)),
                grid.histogram(losses.losses, own, losses.groups),
                Sum(block.rmatvec(gradient)),
            )
            if curvature is None:
                return result
            hessian = self.loss.hessian(self.y[rows], values).weighted(weights)
            if curvature == "gram":
                return replace(result, grams=Sum(block.gram(hessian.entry(0, 0))))
            diagonal = np.column_stack([hessian.entry(j, j) for j in range(values.shape[1])])
            return replace(result, column_squares=Sum(block.squares(diagonal)))

        return self.features.map_reduce(coef, block_result, PassResult.of)

    def _weighted(
        self, rows: slice, values: FloatArray, losses: SampleLosses, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return weighted gradients and losses; infinite ones of weight zero count as zero."""
        with np.errstate(invalid="ignore", over="ignore"):
            gradient = self.loss.gradient(self.y[rows], values) * weights[:, None]
            weighted = losses.losses * weights
        if not (np.isfinite(gradient).all() and np.isfinite(weighted).all()):
            gradient[weights == 0], weighted[weights == 0] = 0.0, 0.0
        return gradient, weighted


def whitened(features: BlockedFeatures, raw: PassResult) -> PassResult:
    """Return the sums of whitened features, from those of raw features with a column of ones."""
    gram, squares = raw.gram, raw.squares
    if squares is not None and not features.fit_intercept:
        squares = squares[:-1]
    return replace(
        raw,
        gradients=Sum(features.whiten_sums(raw.gradient)),
        grams=None if gram is None else Sum(features.whiten_gram(gram)),
        column_squares=None if squares is None else Sum(squares),
    )


@dataclass(eq=False)
class PartitionedDesign(Oracle):
    """A design of samples that are evaluated in passes, with a subsample of m in memory.

    ``rows``, the ascending indices among all samples, targets ``y``, (m, k), ``groups`` and the
    mask ``excluded`` are those of the subsample; ``total`` is the weight of all samples, and
    ``unit`` that of one, if all weights are multiples of it.
    """

    loss: Loss
    rows: IntArray
    subsample: FeatureDesign
    y: FloatArray
    groups: IntArray
    n_samples: int
    total: float
    unit: float | None

    def __post_init__(self) -> None:
        self.excluded = np.zeros(len(self.rows), dtype=bool)

    @abstractmethod
    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """Return the samples farthest from the centre."""

    def filtered(self, sample_filter: SampleFilter) -> Self:
        """Return a design that excludes the samples outside of a filter a priori."""
        design = copy(self)
        design.excluded = sample_filter.excluded_mask(self.subsample.X, self.rows)
        return design

    def with_loss(self, loss: Loss) -> Self:
        """Return the same design for another loss of the same targets."""
        design = copy(self)
        design.loss = loss
        return design

    @property
    def part(self) -> float:
        """The weight of the subsample over that of all samples."""
        return len(self.rows) / self.total

    def min_decrease(self, exact: bool) -> float:
        """Return the relative decrease of the objective that is not worth another step."""
        features = self.subsample.features
        if exact:
            return SINGLE_DECREASE if features.map.dtype == np.float32 else DOUBLE_DECREASE
        part, most = CHANCE_PART, MAX_DECREASE
        if not self.loss.quadratic:
            part, most = LABEL_PART, MAX_LABEL_DECREASE
        return min(part * features.width / self.n_samples, most)


@final
class InMemoryDesign(PartitionedDesign):
    """A partitioned design of samples in memory, from their design, targets and classes."""

    def __init__(self, design: FeatureDesign, loss: Loss, y: FloatArray, groups: IntArray) -> None:
        rows, subsample = design.subsample()
        weights = design.sample_weight
        own = (rows, subsample, y[rows], groups[rows])
        super().__init__(loss, *own, len(y), float(total(weights)), unit_weight(weights))
        excluded = np.zeros(len(y), dtype=bool)
        self.samples = Samples(design.features, loss, y, weights, groups, excluded)

    def evaluate(
        self,
        coef: FloatArray,
        weight_function: WeightFunction,
        grid: HistogramGrid,
        curvature: Curvature = None,
    ) -> PassResult:
        """Return the sums over all samples, and the values of the function there."""
        predictions = np.empty(self.samples.y.shape)
        raw = self.samples.evaluate(coef, weight_function, grid, curvature, predictions)
        return replace(whitened(self.samples.features, raw), predictions=predictions)

    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """Return the samples farthest from the centre."""
        return extreme_samples.rows(self.samples.features.X)

    def with_loss(self, loss: Loss) -> InMemoryDesign:
        """Return the same design for another loss of the same targets."""
        design = super().with_loss(loss)
        design.samples = replace(self.samples, loss=loss)
        return design

    def filtered(self, sample_filter: SampleFilter) -> InMemoryDesign:
        """Return a design that excludes the samples outside of a filter a priori."""
        design = super().filtered(sample_filter)
        excluded = sample_filter.excluded_mask(self.samples.features.X)
        design.samples = replace(self.samples, excluded=excluded)
        return design
