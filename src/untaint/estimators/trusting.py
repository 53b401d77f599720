r"""Rows that weigh as much as they are likely to be good, when all rows are many.

A sample's residuals are read as two groups (:mod:`untaint.selection.two_groups`); they tell the
share and the shape of the groups as well as a million of them. Each row is then trusted by its own
residual, under every function that rows are asked about: there are so many of them that none bends
the function towards itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray
from ..learners import Crowd
from ..selection import Heard, Lens, TwoGroups
from ..selection.two_groups import LARGEST_SHARE
from ..solvers.poll import Tally
from ..solvers.steering import Foresight
from .trust import Jury, Sizing, Trust, certain_share, sizing_of

# Part of a target that arithmetic may get wrong.
ROUNDING = 1e-12


@final
@dataclass(frozen=True)
class Trusted:
    """Rows by the chance that they are good.

    Attributes
    ----------
    reading : TwoGroups
    sizing : Sizing
        Makes one number of several outputs.
    nothing : float
        Residuals that are but rounding errors, which accuse nobody.
    """

    reading: TwoGroups
    sizing: Sizing
    nothing: float

    def weights(self, rows: Heard) -> FloatArray:
        """Chance times the row's own weight."""
        good = self.reading.good(self.signed(rows.deviations))
        return np.where(rows.shunned, 0.0, good) * rows.row_weights

    def signed(self, deviations: FloatArray) -> FloatArray:
        """One residual a row."""
        signed = self.sizing.signed(deviations)
        return np.where(np.abs(signed) <= self.nothing, 0.0, signed)


@final
class ByTrust:
    """Weighs rows by what a sample's residuals say.

    Parameters
    ----------
    crowd : Crowd
    shunned : bool array of shape (m,)
        Rows of the sample that are not heard.
    trusted : array of shape (m,)
        How far each of its rows is trusted at first.
    """

    comparable = False
    hard = False

    def __init__(self, crowd: Crowd, shunned: BoolArray, trusted: FloatArray) -> None:
        self.crowd = crowd
        self.foresight = Foresight(1, crowd.total / (crowd.unit or 1.0))
        self.trusted = trusted
        #: What the sample said last, and how rows were weighed by it.
        self.verdict: Trust | None = None
        self.rule: Trusted | None = None
        self._jury = Jury(crowd.y, np.ones(len(shunned)), shunned)
        self._nothing = ROUNDING * float(np.median(np.abs(crowd.y)))

    @property
    def lens(self) -> Lens:
        """Narrow around the loss that as much weight stays below as is trusted."""
        return self.foresight.lens

    def weigh(self, sample: Heard) -> Trusted:
        """By the sample's residuals."""
        sizing = sizing_of(sample.deviations, self.trusted)
        signed = sizing.signed(sample.deviations)
        signed = np.where(np.abs(signed) <= self._nothing, 0.0, signed)
        self.verdict = self._jury.verdict(signed[:, None], self.trusted)
        self.rule = Trusted(self.verdict.readings[0], sizing, self._nothing)
        self.trusted = self.rule.weights(sample)
        kept = float(self.trusted.sum())
        self.foresight.expect(sample, lambda: _reached(sample.losses, kept))
        return self.rule

    def learn(self, tally: Tally, sample: Heard) -> None:
        """The loss that as much weight stays below as was trusted."""
        profile = tally.profile
        self.foresight.learn(profile.losses_at(tally.kept), profile.lens, sample)

    def narrowed(self) -> Trusted:
        """Rows are weighed as they were."""
        assert self.rule is not None
        self.foresight.narrow()
        return self.rule

    def value(self, tally: Tally) -> float:
        """The weighted losses."""
        return tally.loss

    def settled(self, tally: Tally) -> bool:
        """Rows are weighed by the function that they are asked about."""
        return True

    def exact(self, tally: Tally) -> bool:
        """Weights follow from a row's own residual."""
        return True

    def share(self, tally: Tally) -> tuple[float, tuple[float, float]]:
        """Share of bad rows, those included that were not heard, and its interval."""
        assert self.verdict is not None
        best = self.verdict.readings[0]
        far = tally.shunned / self.crowd.total
        certain = certain_share(best, self.verdict.residuals, self._jury.heard)
        share = min(far + (1.0 - far) * max(best.share, certain), LARGEST_SHARE)
        low, high = (far + (1.0 - far) * end for end in best.interval)
        return share, (float(low), float(max(high, share)))

    def trust(self, tally: Tally, rows: Heard) -> Trust:
        """The verdict on all rows, where they are at hand."""
        assert self.verdict is not None and self.rule is not None
        share, interval = self.share(tally)
        signed = self.rule.signed(rows.deviations)
        good = np.where(rows.shunned, 0.0, self.rule.reading.good(signed))
        return replace(self.verdict, trust=good, residuals=signed, share=share, interval=interval)

    def remember(self) -> dict[str, FloatArray]:
        """How far the sample is trusted."""
        return self.foresight.remember() | {"trusted": self.trusted}

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Go on with it."""
        self.foresight.restore(state)
        self.trusted = state["trusted"]


def _reached(losses: FloatArray, kept: float) -> FloatArray:
    """The loss of that rank."""
    rank = min(max(int(np.ceil(kept - 1e-9)), 1), len(losses))
    return np.array([np.partition(losses, rank - 1)[rank - 1]])
