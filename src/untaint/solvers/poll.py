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
from ..selection import Heard, Lens, Profile, Weigh


@final
@dataclass(frozen=True)
class Question:
    """What rows are asked.

    Attributes
    ----------
    coef : array of shape (p, k)
        Of the features, that of a column of ones last if there is one.
    weigh : Weigh
    lens : Lens
        How closely to look at the losses.
    curved : bool
        Whether the second order is asked for, which few features can afford.
    squared : bool
        Whether its diagonal is.
    """

    coef: FloatArray
    weigh: Weigh
    lens: Lens
    curved: bool = False
    squared: bool = False


@final
@dataclass(frozen=True)
class Tally:
    """What rows answer, summed.

    Attributes
    ----------
    sums : Sum of shape (2 + K,)
        Weighted losses of the kept rows, weight of the rows that were not heard, weight of the kept
        rows of each class.
    profile : Profile
    """

    sums: Sum
    profile: Profile

    def __add__(self, other: Tally) -> Tally:
        """Of the rows of both."""
        return Tally(self.sums + other.sums, self.profile + other.profile)

    @property
    def loss(self) -> float:
        """Weighted losses of the kept rows."""
        return float(self.sums.value[0])

    @property
    def shunned(self) -> float:
        """Weight of the rows that were not heard."""
        return float(self.sums.value[1])

    @property
    def kept(self) -> FloatArray:
        """Weight of the kept rows, by class."""
        return self.sums.value[2:]


@final
@dataclass(frozen=True)
class Answer:
    """What all rows say to a function.

    Attributes
    ----------
    slopes : array of shape (p, k)
        Sum of the weighted gradients.
    curvature : array of shape (p, p), or None
        Sum of the weighted second derivatives, the same for all outputs, if it was asked for.
    tally : Tally
    squares : array of shape (p, k), or None
        The diagonal for each output, if it was.
    """

    slopes: FloatArray
    curvature: FloatArray | None
    tally: Tally
    squares: FloatArray | None = None


class Poll(Protocol):
    """Who asks all rows."""

    def ask(self, question: Question) -> Answer:
        """Their answers, summed."""


def hear(
    loss: Loss,
    y: FloatArray,
    values: FloatArray,
    row_weights: FloatArray,
    groups: IntArray,
    shunned: BoolArray,
) -> Heard:
    """What rows say to values of a function; a row that is not heard loses beyond all bounds."""
    losses = loss.value(y, values)
    losses[shunned] = np.inf
    return Heard(losses, y - values, row_weights, groups, shunned)


def answers(
    question: Question, loss: Loss, y: FloatArray, values: FloatArray, rows: Heard
) -> tuple[FloatArray, FloatArray | None, Tally]:
    """Slopes and second derivatives of some rows, and their part of the tally."""
    weights = question.weigh.weights(rows)
    with np.errstate(invalid="ignore", over="ignore"):
        slopes = loss.gradient(y, values) * weights[:, None]
        lost = rows.losses * weights
    if not (np.isfinite(slopes).all() and np.isfinite(lost).all()):
        # A row beyond all bounds that has no weight pulls nowhere.
        slopes[weights == 0], lost[weights == 0] = 0.0, 0.0
    own = rows.row_weights
    n_groups = len(question.lens.edges)
    bend = loss.hessian(y, values).weighted(weights).entry(0, 0) if question.curved else None
    if question.squared:
        hessian = loss.hessian(y, values).weighted(weights)
        bend = np.column_stack([hessian.entry(j, j) for j in range(y.shape[1])])
    kept = np.bincount(rows.groups, weights, n_groups)
    sums = np.array([lost.sum(), own[rows.shunned].sum(), *kept], dtype=float)
    profile = question.lens.look(rows.losses, own, rows.groups)
    return slopes, bend, Tally(Sum(sums), profile)
