r"""Where a threshold will be under the next function, before all rows are asked.

A sample of the rows is at hand. Its losses under the present function say which place among them
the true threshold has, known from the last answer of all rows; under the next function the sample's
loss at that place is the threshold to expect:

.. math:: \hat t' = F_S'^{-1}(F_S(t)).

As functions converge so do the expected thresholds, to the true ones. Profiles of the losses are
asked for around the expected place, the more narrowly the better the last one was foreseen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, final

import numpy as np
from scipy.special import expit

from .._typing import FloatArray
from ..selection import Cut, Heard, Lens, Selection, Weigh
from .poll import Tally

# Bins over all losses, and around the expected threshold.
COARSE, FINE = 32, 256
# Standard deviations by which a sample may misjudge a place, and how much farther than the last
# miss the next one is looked for.
MARGIN, SURPRISE = 5.0, 10.0
# The same for the first threshold of all, and the logarithm of a gap between losses that is no
# chance.
CAUTION, GAP = 3.0, 0.5
# Losses that are listed, as expected.
LISTED = 1000.0
# Part of all rows that a soft edge may keep too many or too few.
EXACT = 1e-8
# A threshold is foreseen well enough when it misses this part of what sampling all rows would; with
# a soft edge no row depends on it alone.
FORESEEN, SOFTLY_FORESEEN = 0.3, 10.0


class Steering(Protocol):
    """Says how rows are weighed under a function, and learns from their answers."""

    #: Whether values of the objective can be compared from function to function.
    comparable: bool

    @property
    def hard(self) -> bool:
        """Whether rows are kept or not, and never in part."""

    @property
    def lens(self) -> Lens:
        """Where to look at the losses, for the last way to weigh."""

    def weigh(self, sample: Heard) -> Weigh:
        """How to weigh rows, from what a sample says to the function."""

    def learn(self, tally: Tally, sample: Heard) -> None:
        """What all rows say to it."""

    def value(self, tally: Tally) -> float:
        """The objective without its ridge."""

    def narrowed(self) -> Weigh:
        """The same under the same function, where its thresholds were not known exactly."""

    def settled(self, tally: Tally) -> bool:
        """Whether rows were weighed as their answers say that they should have been."""

    def exact(self, tally: Tally) -> bool:
        """Whether it is known exactly how they should be."""

    def remember(self) -> dict[str, FloatArray]:
        """What the next way to weigh depends on, by name."""

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Go on from there."""


@final
class Foresight:
    """Expects thresholds by a sample, and says where to look for them.

    Parameters
    ----------
    n_groups : int
    total : float
        Number of all rows, copies counted.
    coarse : int
        Bins over all losses.
    """

    def __init__(self, n_groups: int, total: float, coarse: int = COARSE) -> None:
        self.n_groups = n_groups
        self.total = total
        self.coarse = coarse
        #: As found from the last answers.
        self.thresholds: FloatArray | None = None
        self.expected: FloatArray = np.full(n_groups, np.inf)
        self.lens = Lens(np.zeros((n_groups, 1)), np.zeros((n_groups, 2)))
        self._places: FloatArray = np.zeros((n_groups, 2))
        self._missed: FloatArray | None = None

    def expect(self, sample: Heard, first: Callable[[], FloatArray]) -> None:
        """Thresholds under the function that a sample answers to; at first, those of the sample."""
        groups = self._sorted_losses(sample)
        if self.thresholds is None:
            self.expected = first()
            self.lens = self._around(groups)
            self.expected = np.array(
                [_cautious(*known) for known in zip(groups, self.expected, strict=True)]
            )
            return
        self.expected = self.foreseen(sample)
        self.lens = self._around(groups)

    def foreseen(self, sample: Heard) -> FloatArray:
        """Thresholds under the function that a sample answers to, by the last that were found."""
        assert self.thresholds is not None
        known = zip(self._sorted_losses(sample), self._places, self.thresholds, strict=True)
        return np.array([_loss_at(*place) for place in known])

    def learn(self, thresholds: FloatArray, lens: Lens, sample: Heard) -> None:
        """Where the thresholds are, as seen through a lens, and their places in the sample."""
        self.thresholds = thresholds
        self.lens = lens
        with np.errstate(invalid="ignore"):
            self._missed = np.nan_to_num(np.abs(thresholds - self.expected), posinf=0.0)
        self._places = _places(self._sorted_losses(sample), thresholds)

    def narrow(self) -> None:
        """Look again under the same function, at the thresholds that were found."""
        assert self.thresholds is not None
        edges, near = [], []
        for own, t in zip(self.lens.edges, self.thresholds, strict=True):
            # The bin that the threshold lies in, and its neighbours.
            place = int(np.searchsorted(own, t)) if np.isfinite(t) else len(own)
            low, high = own[max(place - 2, 0)], own[min(place + 1, len(own) - 1)]
            high = max(high, t) if np.isfinite(t) else high
            if place < 2:
                low = -1.0  # a loss of zero is listed too
            edges.append(np.linspace(low, high, FINE))
            near.append([low, high])
        self.expected = self.thresholds
        self.lens = Lens(np.array(edges), np.array(near))

    def remember(self) -> dict[str, FloatArray]:
        """Thresholds, their places and how well they were foreseen."""
        if self.thresholds is None:
            return {}
        assert self._missed is not None
        return {"found": self.thresholds, "places": self._places, "missed": self._missed}

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Go on with these."""
        if "found" in state:
            self.thresholds, self._places = state["found"], state["places"]
            self._missed = state["missed"]

    def _sorted_losses(self, sample: Heard) -> list[FloatArray]:
        finite = np.isfinite(sample.losses)
        return [np.sort(sample.losses[finite & (sample.groups == k)]) for k in range(self.n_groups)]

    def _around(self, groups: list[FloatArray]) -> Lens:
        edges, near = [], []
        for k, losses in enumerate(groups):
            missed = None if self._missed is None else float(self._missed[k])
            rows = self.total * max(len(losses), 1) / max(sum(map(len, groups)), 1)
            own, interval = _bins(losses, float(self.expected[k]), missed, rows, self.coarse)
            edges.append(own)
            near.append(interval)
        longest = max(map(len, edges))
        padded = [np.concatenate([own, np.full(longest - len(own), own[-1])]) for own in edges]
        return Lens(np.array(padded), np.array(near))


@final
class ByThreshold:
    """Keeps the rows below thresholds.

    Parameters
    ----------
    selection : Selection
    smoothing : float or None
        Of its edge.
    n_groups : int
    total : float
        Weight of all rows.
    unit : float or None
        Weight of one row, if there is such a thing.
    """

    comparable = True

    def __init__(
        self,
        selection: Selection,
        smoothing: float | None,
        n_groups: int,
        total: float,
        unit: float | None,
    ) -> None:
        self.selection = selection
        self.smoothing = smoothing
        self.unit = 1.0 if unit is None else unit
        # All losses have a say in a soft threshold.
        coarse = COARSE if smoothing is None else FINE
        self.foresight = Foresight(n_groups, total / self.unit, coarse)
        self._least = self.unit if unit is not None else 0.0

    @property
    def hard(self) -> bool:
        """Unless the edge is soft."""
        return self._trims and self.smoothing is None

    @property
    def lens(self) -> Lens:
        """Narrow around the expected thresholds."""
        return self.foresight.lens

    def weigh(self, sample: Heard) -> Cut:
        """By the expected thresholds."""
        if self._trims:
            rule = self.selection.over(sample.groups)
            self.foresight.expect(
                sample, lambda: rule.class_thresholds(sample.losses, sample.row_weights)
            )
        return Cut(self.foresight.expected, self.smoothing)

    def learn(self, tally: Tally, sample: Heard) -> None:
        """Where the thresholds are."""
        if self._trims:
            thresholds = tally.profile.thresholds(self.selection, self.unit)
            if self.smoothing is not None and len(thresholds) == 1:
                thresholds = self._corrected(tally, thresholds)
            self.foresight.learn(thresholds, tally.profile.lens, sample)

    def narrowed(self) -> Cut:
        """At the thresholds that were found."""
        if self.smoothing is None:
            self.foresight.narrow()
        else:
            assert self.foresight.thresholds is not None
            self.foresight.expected = self.foresight.thresholds
        return Cut(self.foresight.expected, self.smoothing)

    def value(self, tally: Tally) -> float:
        """Of the losses' profile, whatever the thresholds were."""
        if not self._trims:
            return tally.loss + self.selection.variety(tally.kept)
        losses, weights, groups = tally.profile.points(self.unit)
        return self.unit * self.selection.over(groups).value(losses, weights)

    def settled(self, tally: Tally) -> bool:
        """Whether about as much is kept as should be."""
        if not self._trims:
            return True
        found = self.foresight.thresholds
        if found is not None and np.array_equal(self.foresight.expected, found):
            return True  # rows that tie there are all kept, be they more than should be
        share = self.selection.contamination
        chance = self.unit * np.sqrt(self.foresight.total * share * (1.0 - share))
        # Rows that lose beyond all bounds are not to be had.
        wanted = min(self._wanted(tally), tally.profile.finite)
        missed = abs(float(tally.kept.sum()) - wanted)
        allowed = FORESEEN if self.smoothing is None else SOFTLY_FORESEEN
        return missed <= max(allowed * chance, self._least)

    def exact(self, tally: Tally) -> bool:
        """Whether the thresholds are those of all rows to the last bit."""
        if not self._trims:
            return True
        if self.smoothing is not None:
            if len(tally.kept) > 1:
                return True  # the verdict is another rule's
            missed = abs(float(tally.kept.sum()) - self._wanted(tally))
            return missed <= EXACT * self.foresight.total * self.unit
        assert self.foresight.thresholds is not None
        return tally.profile.knows(self.foresight.thresholds)

    def cut(self, tally: Tally) -> Cut:
        """The weights of all rows, once they are known exactly."""
        if self.smoothing is not None and self._trims:
            return Cut(self.foresight.expected, self.smoothing)
        return tally.profile.cut(self.selection, self.unit)

    def remember(self) -> dict[str, FloatArray]:
        """What the next thresholds are foreseen by."""
        return self.foresight.remember()

    def restore(self, state: dict[str, FloatArray]) -> None:
        """Go on with it."""
        self.foresight.restore(state)

    @property
    def _trims(self) -> bool:
        return self.selection.contamination > 0

    def _wanted(self, tally: Tally) -> float:
        """Weight that should be kept."""
        _, weights, groups = tally.profile.points(self.unit)
        return self.unit * self.selection.over(groups).kept_total(weights)

    def _corrected(self, tally: Tally, found: FloatArray) -> FloatArray:
        """Thresholds of a soft edge, freed from what bins blur.

        Bins err alike in finding the thresholds that were used, by the weight that they kept. What
        is kept is counted in whole rows, so that the last part of a row takes a Newton step.
        """
        expected = self.foresight.expected
        missed = self._wanted(tally) - float(tally.kept.sum())
        if abs(missed) <= self.unit and np.isfinite(expected).all():
            losses, weights, _ = tally.profile.points(self.unit)
            slope = self._slope(float(expected[0]), losses, self.unit * weights)
            return expected + missed / slope if slope > 0 else expected
        share = 1.0 - float(tally.kept.sum()) / (self.unit * self.foresight.total)
        if not (0.0 < share < 1.0 and np.isfinite(expected).all() and np.isfinite(found).all()):
            return found
        used = replace(self.selection, contamination=share)
        return expected + found - tally.profile.thresholds(used, self.unit)

    def _slope(self, t: float, losses: FloatArray, weights: FloatArray) -> float:
        """What a soft edge keeps more for a higher threshold."""
        assert self.smoothing is not None
        kept = expit(self.smoothing * (t - losses))
        return float(self.smoothing * weights @ (kept * (1.0 - kept)))


def _places(groups: list[FloatArray], thresholds: FloatArray) -> FloatArray:
    """Place of each threshold among the sorted losses of its class: whole, and the fraction.

    The fraction is apart, for in a wide gap it is less than a whole number can be told from.
    """
    return np.array([_place(*own) for own in zip(groups, thresholds, strict=True)])


def _place(losses: FloatArray, t: float) -> tuple[float, float]:
    if not len(losses) or t <= losses[0]:
        return 0.0, 0.0
    if t >= losses[-1]:
        return len(losses) - 1.0, 0.0
    after = int(np.searchsorted(losses, t, side="right"))
    low, high = float(losses[after - 1]), float(losses[after])
    return after - 1.0, (t - low) / (high - low)


def _cautious(losses: FloatArray, t: float) -> float:
    """A threshold that no bad row slips below, whatever rows chance has put into the sample.

    If there is a gap within the reach of chance, good and bad rows meet there.
    """
    if len(losses) < 2 or not np.isfinite(t):
        return t
    m, place = len(losses), float(np.interp(t, losses, np.arange(len(losses))))
    reach = CAUTION * np.sqrt(max(place * (m - place) / m, 1.0))
    first, last = max(int(place - reach), 0), min(int(place + reach) + 2, m)
    near = np.maximum(losses[first:last], np.finfo(float).tiny)
    steps = np.diff(np.log(near))
    widest = int(np.argmax(steps)) if len(steps) else 0
    if not len(steps) or steps[widest] < GAP:
        return t
    return float(np.sqrt(near[widest]) * np.sqrt(near[widest + 1]))


def _loss_at(losses: FloatArray, place: FloatArray, before: float) -> float:
    """The loss at a place, or the one from before where the sample has nothing to say."""
    whole, part = int(place[0]), float(place[1])
    if not len(losses) or whole + part <= 0 or whole >= len(losses) - 1:
        return before
    return float(losses[whole] + part * (losses[whole + 1] - losses[whole]))


def _bins(
    losses: FloatArray, t: float, missed: float | None, rows: float, count: int
) -> tuple[FloatArray, list[float]]:
    """Edges of bins for losses like these, and the interval to list, around a threshold."""
    if len(losses) < 2 or not np.isfinite(t):
        return np.array([0.0, max(float(losses.max(initial=0.0)), 1e-300)]), [0.0, 0.0]
    m, place = len(losses), float(np.interp(t, losses, np.arange(len(losses))))
    deviation = np.sqrt(max(place * (m - place) / m, 1.0))
    low, high = (
        float(np.interp(place + side * MARGIN * deviation, np.arange(m), losses))
        for side in (-1, 1)
    )
    thin = (high - low) / (2.0 * MARGIN * deviation / m * rows)  # loss from one row to the next
    if missed is not None:
        reach = max(SURPRISE * missed, 2.0 * LISTED * thin)
        low, high = max(low, t - reach), min(high, t + reach)
    listed = 0.0 if missed is None else 0.5 * LISTED * thin
    near = [max(t - listed, low), min(t + listed, high)]
    coarse = np.interp(np.linspace(0, m - 1, count), np.arange(m), losses)
    return np.unique(np.concatenate([coarse, np.linspace(low, high, FINE), near])), near
