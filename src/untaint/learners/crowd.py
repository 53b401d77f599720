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
from ..features import BlockedFeatures, Pulled
from ..losses import Loss
from ..screening import Gate, Outskirts
from ..screening.sampled import Outer
from ..selection.base import unit_weight
from ..solvers.poll import Answer, Poll, Question, Tally, answers, hear
from .feature_problem import FeatureProblem

#: Slopes, second derivatives and tally of a block of rows.
Said = tuple[FloatArray, FloatArray | None, Tally]

# Part of what chance leaves open that the last step may leave, and the most of the objective.
SETTLED_PART, SETTLED = 0.03, 1e-5
# The same where steps are all but exact and only precision ends it: double and single.
DOUBLE, SINGLE = 1e-12, 1e-8


class Crowd(ABC):
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
    pilot : FeatureProblem
        The fit's problem for the sample alone.
    y, groups : array of shape (m, k) and (m,)
        Targets and classes of the sample.
    """

    n_rows: int
    total: float
    unit: float | None
    sample: IntArray
    pilot: FeatureProblem
    y: FloatArray
    groups: IntArray

    @abstractmethod
    def outer(self, outskirts: Outskirts) -> Outer:
        """The rows farthest out."""

    @abstractmethod
    def poll(self, loss: Loss, gate: Gate | None) -> Poll:
        """Who asks the rows, but those that a gate shuts out."""

    def shut_out(self, gate: Gate | None) -> BoolArray:
        """Rows of the sample that are not heard."""
        if gate is None:
            return np.zeros(len(self.sample), dtype=bool)
        return gate.shuts_out(self.pilot.X, self.sample)

    @property
    def part(self) -> float:
        """Weight of the sample over that of all rows."""
        return len(self.sample) / self.total

    def enough(self, exact: bool) -> float:
        """Part of the objective that is not worth another step, be they exact or not."""
        features = self.pilot.features
        if exact:
            return SINGLE if features.map.dtype == np.float32 else DOUBLE
        return min(SETTLED_PART * features.width / self.n_rows, SETTLED)


@final
class LocalCrowd(Crowd):
    """Rows that lie here.

    Parameters
    ----------
    problem : FeatureProblem
        Of all rows, with a pilot.
    y : array of shape (n, k)
    groups : array of shape (n,), int
    """

    def __init__(self, problem: FeatureProblem, y: FloatArray, groups: IntArray) -> None:
        self.problem = problem
        self.n_rows = len(y)
        self.total = float(total(problem.row_weights))
        self.unit = unit_weight(problem.row_weights)
        self.sample, self.pilot = problem.pilot()
        self.y, self.groups = y[self.sample], groups[self.sample]
        self._y, self._groups = y, groups

    def outer(self, outskirts: Outskirts) -> Outer:
        """The rows farthest out."""
        return outskirts.rows(self.problem.X)

    def poll(self, loss: Loss, gate: Gate | None) -> LocalPoll:
        """Who asks the rows, but those that a gate shuts out."""
        shunned = np.zeros(self.n_rows, dtype=bool)
        if gate is not None:
            shunned = gate.shuts_out(self.problem.X)
        return LocalPoll(self.problem, loss, self._y, self._groups, shunned)


@final
class LocalPoll:
    """Asks rows that lie here, block by block.

    Attributes
    ----------
    predictions : array of shape (n, k)
        Values of the function that they were last asked about.
    """

    def __init__(
        self,
        problem: FeatureProblem,
        loss: Loss,
        y: FloatArray,
        groups: IntArray,
        shunned: BoolArray,
    ) -> None:
        self.features = problem.features
        self.row_weights = problem.row_weights
        self.loss = loss
        self.y = y
        self.groups = groups
        self.shunned = shunned
        self.predictions = np.empty(y.shape)

    def ask(self, question: Question) -> Answer:
        """Their answers, summed."""

        def judge(rows: slice, values: FloatArray) -> Said:
            self.predictions[rows] = values
            y, own = self.y[rows], self.row_weights[rows]
            heard = hear(self.loss, y, values, own, self.groups[rows], self.shunned[rows])
            return answers(question, self.loss, y, values, heard)

        return gathered(self.features, *self.features.poll(question.coef, judge))


def gathered(features: BlockedFeatures, pulled: Pulled, tally: Tally) -> Answer:
    """What all rows say, from raw sums over them."""
    curvature = None if pulled.gram is None else features.gathered_gram(pulled.gram.value)
    squares = None
    if pulled.squares is not None:
        squares = pulled.squares.value if features.fit_intercept else pulled.squares.value[:-1]
    return Answer(features.gathered(pulled.sums.value), curvature, tally, squares)
