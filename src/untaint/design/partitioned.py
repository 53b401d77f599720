"""All the rows of a fit that keeps only a sample of them at hand.

The rows may lie in memory, in a file or on other machines: a fit asks them, and never looks at them
one by one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import final

import numpy as np

from .._sums import total
from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..optim.oracle import (
    Aggregates,
    Oracle,
    OracleQuery,
    OracleResult,
    block_contribution,
    evaluate_losses,
)
from ..screening.by_subsample import ExtremeSamples, TopK
from ..screening.filters import SampleFilter
from ..weighting.base import unit_weight
from .blocked import BlockedFeatures, BlockSums
from .features import FeatureDesign

#: Slopes, second derivatives and tally of a block of rows.
BlockContribution = tuple[FloatArray, FloatArray | None, Aggregates]

# Part of what chance leaves open that the last step may leave, and the most of the objective.
SETTLED_PART, SETTLED = 0.03, 1e-5
# The same where steps are all but exact and only precision ends it: double and single.
DOUBLE, SINGLE = 1e-12, 1e-8


class PartitionedData(ABC):
    """Many rows.

    Attributes
    ----------
    n_rows : int
    total : float
        Their weight.
    unit : float or None
        Weight of one row, if there is such a thing.
    sample : array of indices, ascending
        Rows that are at hand.
    subsample : FeatureDesign
        The fit's problem for the sample alone.
    y, groups : array of shape (m, k) and (m,)
        Targets and classes of the sample.
    """

    n_rows: int
    total: float
    unit: float | None
    sample: IntArray
    subsample: FeatureDesign
    y: FloatArray
    groups: IntArray

    @abstractmethod
    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """The rows farthest out."""

    @abstractmethod
    def oracle(self, loss: Loss, sample_filter: SampleFilter | None) -> Oracle:
        """Who asks the rows, but those that a gate shuts out."""

    def excluded_subsample(self, sample_filter: SampleFilter | None) -> BoolArray:
        """Rows of the sample that are not heard."""
        if sample_filter is None:
            return np.zeros(len(self.sample), dtype=bool)
        return sample_filter.excluded_mask(self.subsample.X, self.sample)

    @property
    def part(self) -> float:
        """Weight of the sample over that of all rows."""
        return len(self.sample) / self.total

    def enough(self, exact: bool) -> float:
        """Part of the objective that is not worth another step, be they exact or not."""
        features = self.subsample.features
        if exact:
            return SINGLE if features.map.dtype == np.float32 else DOUBLE
        return min(SETTLED_PART * features.width / self.n_rows, SETTLED)


@final
class InMemoryData(PartitionedData):
    """Rows that lie here.

    Parameters
    ----------
    design : FeatureDesign
        Of all rows, with a pilot.
    y : array of shape (n, k)
    groups : array of shape (n,), int
    """

    def __init__(self, design: FeatureDesign, y: FloatArray, groups: IntArray) -> None:
        self.design = design
        self.n_rows = len(y)
        self.total = float(total(design.sample_weight))
        self.unit = unit_weight(design.sample_weight)
        self.sample, self.subsample = design.subsample()
        self.y, self.groups = y[self.sample], groups[self.sample]
        self._y, self._groups = y, groups

    def extremes(self, extreme_samples: ExtremeSamples) -> TopK:
        """The rows farthest out."""
        return extreme_samples.rows(self.design.X)

    def oracle(self, loss: Loss, sample_filter: SampleFilter | None) -> InMemoryOracle:
        """Who asks the rows, but those that a gate shuts out."""
        excluded = np.zeros(self.n_rows, dtype=bool)
        if sample_filter is not None:
            excluded = sample_filter.excluded_mask(self.design.X)
        return InMemoryOracle(self.design, loss, self._y, self._groups, excluded)


@final
class InMemoryOracle:
    """Asks rows that lie here, block by block.

    Attributes
    ----------
    predictions : array of shape (n, k)
        Values of the function that they were last asked about.
    """

    def __init__(
        self,
        design: FeatureDesign,
        loss: Loss,
        y: FloatArray,
        groups: IntArray,
        excluded: BoolArray,
    ) -> None:
        self.features = design.features
        self.sample_weight = design.sample_weight
        self.loss = loss
        self.y = y
        self.groups = groups
        self.excluded = excluded
        self.predictions = np.empty(y.shape)

    def evaluate(self, query: OracleQuery) -> OracleResult:
        """Their answers, summed."""

        def contribution(rows: slice, values: FloatArray) -> BlockContribution:
            self.predictions[rows] = values
            y, own = self.y[rows], self.sample_weight[rows]
            losses = evaluate_losses(
                self.loss, y, values, own, self.groups[rows], self.excluded[rows]
            )
            return block_contribution(query, self.loss, y, values, losses)

        return oracle_result(self.features, *self.features.map_reduce(query.coef, contribution))


def oracle_result(
    features: BlockedFeatures, block_sums: BlockSums, aggregates: Aggregates
) -> OracleResult:
    """What all rows say, from raw sums over them."""
    curvature = None if block_sums.gram is None else features.whiten_gram(block_sums.gram.value)
    squares = None
    if block_sums.squares is not None:
        squares = (
            block_sums.squares.value if features.fit_intercept else block_sums.squares.value[:-1]
        )
    return OracleResult(features.whiten_sums(block_sums.sums.value), curvature, aggregates, squares)
