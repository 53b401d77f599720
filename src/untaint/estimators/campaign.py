r"""From a sample to all rows: what a fit to many rows does besides asking them.

A sample says everything that takes long to find out: which rows agree, what share is bad, the rough
shape of the function, and the second order of the objective. All rows are then asked
(:mod:`untaint.solvers.concentrating`), wherever they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray
from ..learners import Crowd
from ..losses import Loss
from ..screening import Gate, Outskirts, Reach, centre, plausible, yardstick
from ..selection import Given, Heard, Profile, Selection
from ..solvers import Solution
from ..solvers.base import Report
from ..solvers.checkpoint import Slot
from ..solvers.concentrating import Outcome, concentrate, look_closely
from ..solvers.poll import Poll
from ..solvers.scout import Scout
from ..solvers.steering import ByThreshold
from .trust import Trust
from .trusting import ByTrust

# Standard deviations by which a sample may overstate the share of rows beyond reach.
DEVIATIONS = 3.0


@dataclass(frozen=True)
class Beginning:
    """How rows are selected, which to begin with, and what they may be predicted to be.

    ``trust`` is there if the share was estimated by judging each row; ``interval`` is of the share;
    ``shunned`` are rows of many that were not heard.
    """

    selection: Selection
    weights: FloatArray
    predictions: FloatArray | None = None
    trust: Trust | None = None
    interval: tuple[float, float] | None = None
    shunned: BoolArray | None = None


@final
class Campaign:
    """What is to be asked, and of whom.

    Parameters
    ----------
    crowd : Crowd
    first : Beginning
        Of the sample.
    found : Solution
        The fit to the sample.
    reach : float
        Rows so many times farther out than the median row are given up unheard.
    loss : Loss

    Attributes
    ----------
    gate : Gate or None
        Shuts out rows by their features.
    """

    def __init__(
        self, crowd: Crowd, first: Beginning, found: Solution, reach: float, loss: Loss
    ) -> None:
        self.crowd = crowd
        self.first = first
        self.start = found.fit
        self.loss = loss
        self.by_trust = isinstance(first.selection, Given)
        self.gate = self._plausible() if self.by_trust else self._within(reach)
        self.shunned = crowd.shut_out(self.gate)
        self.steering = self._steering()

    def run(
        self,
        poll: Poll,
        *,
        norm_bound: float | None,
        tol: float,
        max_iter: int,
        report: Report,
        exact: bool = False,
        slot: Slot | None = None,
    ) -> Outcome:
        """Ask all rows until the fit is as good as they allow; see :func:`concentrate`."""
        crowd, scout = self.crowd, self._scout
        # Rows that are kept or not may change places for ever.
        exact_steps = scout.curved and self.first.selection.contamination == 0
        return concentrate(
            poll,
            scout,
            self.steering,
            self.start,
            crowd.pilot.ridge / crowd.part,
            norm_bound=norm_bound,
            enough=max(crowd.enough(exact_steps), tol**1.5),
            max_iter=max_iter,
            exact=exact,
            report=report,
            slot=slot,
        )

    def coef(self, outcome: Outcome) -> FloatArray:
        """Coefficients of the features, and of ones if there is an intercept."""
        return self._scout.coef(outcome.fit)

    def profile_of(self, judge: Selection, outcome: Outcome, poll: Poll) -> Profile:
        """The losses of all rows, seen so closely that the thresholds of a hard rule are exact."""
        steering = ByThreshold(judge, None, self._n_groups, self.crowd.total, self.crowd.unit)
        scout = self._scout
        return look_closely(poll, scout, steering, outcome).profile

    def doubt(self, verdict: Trust) -> Beginning:
        """What the last verdict of the sample has to say of its own certainty."""
        return Beginning(self.first.selection, self.first.weights, None, verdict)

    def verdict(self, outcome: Outcome, rows: Heard) -> tuple[Beginning, FloatArray]:
        """How all rows were selected, where they are at hand, and what they weigh."""
        first, shunned = self.first, rows.shunned
        trust = self._trust(outcome, rows)
        if self.by_trust:
            assert trust is not None
            given = Given(trust.share, trust.trust)
            weights: FloatArray = trust.trust * rows.row_weights
            return Beginning(given, weights, None, trust, trust.interval, shunned), weights
        selection = first.selection.over(rows.groups)
        weights = selection.weights(rows.losses, rows.row_weights)
        return Beginning(selection, weights, None, trust, first.interval, shunned), weights

    def _trust(self, outcome: Outcome, rows: Heard) -> Trust | None:
        judge = self.trusting(outcome)
        return None if judge is None else judge.trust(outcome.tally, rows)

    def trusting(self, outcome: Outcome) -> ByTrust | None:
        """Who judges each row by itself, if the share was estimated that way."""
        if isinstance(self.steering, ByTrust):
            return self.steering
        if self.first.trust is None:
            return None
        # The share came from judging rows, but the fit was told to select otherwise.
        judge = ByTrust(self.crowd, self.shunned, self.first.trust.trust)
        judge.weigh(self._scout.hear(outcome.fit))
        return judge

    @property
    def _scout(self) -> Scout:
        newton = self.crowd.pilot.newton(self.loss, self.crowd.y)
        return Scout(newton, self.crowd.groups, self.shunned, self.crowd.part)

    def _steering(self) -> ByThreshold | ByTrust:
        crowd, selection = self.crowd, self.first.selection
        if self.by_trust:
            assert self.first.trust is not None
            return ByTrust(crowd, self.shunned, self.first.trust.trust)
        smoothing = getattr(selection, "smoothing", None)
        return ByThreshold(selection, smoothing, self._n_groups, crowd.total, crowd.unit)

    @property
    def _n_groups(self) -> int:
        y, selection = self.crowd.y, self.first.selection
        return len(selection.totals(np.zeros(len(y)), np.ones(len(y))))

    def _within(self, reach: float) -> Gate | None:
        """Rows beyond reach, if they are few enough to be given up."""
        share, X = self.first.selection.contamination, self.crowd.pilot.X
        if share == 0:
            return None
        ones, radius = np.ones(X.shape[0]), self.crowd.pilot.radius
        limit = reach * yardstick(radius, ones)
        beyond = float(np.mean(radius > limit))
        chance = DEVIATIONS * np.sqrt(share * (1.0 - share) / len(radius))
        return Reach(centre(X, ones), limit) if beyond <= share + chance else None

    def _plausible(self) -> Gate:
        """What the sample and the outermost rows say is plausible."""
        crowd = self.crowd
        outer = crowd.outer(Outskirts(crowd.pilot.X))
        return plausible(crowd.pilot.X, crowd.sample, outer, crowd.n_rows)
