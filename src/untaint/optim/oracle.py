r"""All rows are asked about a function, and their answers add up.

A question is a function, by its coefficients c, and a way to weigh rows by what they lose under it.
Answers of parts of the rows add up to that of all, wherever the parts are,

.. math:: \sum_i w_i \ell_i, \qquad \sum_i w_i, \qquad \sum_i w_i \ell_i'(\phi_i^T c)\, \phi_i,

together with a profile of the losses. Nothing is remembered of a row between two questions: what
it weighs follows from the question.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from .._sums import Sum
from .._typing import BoolArray, FloatArray, IntArray
from ..losses import Loss
from ..weighting.histogram import HistogramGrid, LossHistogram
from ..weighting.threshold import SampleLosses, WeightFunction


@final
@dataclass(frozen=True)
class OracleQuery:
    """What rows are asked.

    Attributes
    ----------
    coef : array of shape (p, k)
        Of the features, that of a column of ones last if there is one.
    weight_function : Weigh
    grid : Lens
        How closely to look at the losses.
    curved : bool
        Whether the second order is asked for, which few features can afford.
    squared : bool
        Whether its diagonal is.
    """

    coef: FloatArray
    weight_function: WeightFunction
    grid: HistogramGrid
    curved: bool = False
    squared: bool = False


@final
@dataclass(frozen=True)
class Aggregates:
    """What rows answer, summed.

    Attributes
    ----------
    sums : Sum of shape (2 + K,)
        Weighted losses of the kept rows, weight of the rows that were not heard, weight of the kept
        rows of each class.
    histogram : Profile
    """

    sums: Sum
    histogram: LossHistogram

    def __add__(self, other: Aggregates) -> Aggregates:
        """Of the rows of both."""
        return Aggregates(self.sums + other.sums, self.histogram + other.histogram)

    @property
    def loss(self) -> float:
        """Weighted losses of the kept rows."""
        return float(self.sums.value[0])

    @property
    def excluded(self) -> float:
        """Weight of the rows that were not heard."""
        return float(self.sums.value[1])

    @property
    def kept(self) -> FloatArray:
        """Weight of the kept rows, by class."""
        return self.sums.value[2:]


@final
@dataclass(frozen=True)
class OracleResult:
    """What all rows say to a function.

    Attributes
    ----------
    slopes : array of shape (p, k)
        Sum of the weighted gradients.
    curvature : array of shape (p, p), or None
        Sum of the weighted second derivatives, the same for all outputs, if it was asked for.
    aggregates : Tally
    squares : array of shape (p, k), or None
        The diagonal for each output, if it was.
    """

    slopes: FloatArray
    curvature: FloatArray | None
    aggregates: Aggregates
    squares: FloatArray | None = None


class Oracle(Protocol):
    """Who asks all rows."""

    def evaluate(self, query: OracleQuery) -> OracleResult:
        """Their answers, summed."""


def evaluate_losses(
    loss: Loss,
    y: FloatArray,
    values: FloatArray,
    sample_weight: FloatArray,
    groups: IntArray,
    excluded: BoolArray,
) -> SampleLosses:
    """What rows say to values of a function; a row that is not heard loses beyond all bounds."""
    losses = loss.value(y, values)
    losses[excluded] = np.inf
    return SampleLosses(losses, y - values, sample_weight, groups, excluded)


def block_contribution(
    query: OracleQuery, loss: Loss, y: FloatArray, values: FloatArray, rows: SampleLosses
) -> tuple[FloatArray, FloatArray | None, Aggregates]:
    """Slopes and second derivatives of some rows, and their part of the tally."""
    weights = query.weight_function.weights(rows)
    with np.errstate(invalid="ignore", over="ignore"):
        slopes = loss.gradient(y, values) * weights[:, None]
        weighted_losses = rows.losses * weights
    if not (np.isfinite(slopes).all() and np.isfinite(weighted_losses).all()):
        # A row beyond all bounds that has no weight pulls nowhere.
        slopes[weights == 0], weighted_losses[weights == 0] = 0.0, 0.0
    own = rows.sample_weight
    n_groups = len(query.grid.edges)
    bend = loss.hessian(y, values).weighted(weights).entry(0, 0) if query.curved else None
    if query.squared:
        hessian = loss.hessian(y, values).weighted(weights)
        bend = np.column_stack([hessian.entry(j, j) for j in range(y.shape[1])])
    kept = np.bincount(rows.groups, weights, n_groups)
    sums = np.array([weighted_losses.sum(), own[rows.excluded].sum(), *kept], dtype=float)
    histogram = query.grid.histogram(rows.losses, own, rows.groups)
    return slopes, bend, Aggregates(Sum(sums), histogram)
