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
from ..weighting.base import TrimmingRule
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import SampleLosses, ThresholdWeights, WeightFunction
from .oracle import Aggregates

# Bins over all losses, and around the expected threshold.
COARSE, FINE = 32, 256
# Standard deviations by which a sample may misjudge a place, and how much farther than the last
# miss the next one is looked for.
MARGIN, SURPRISE = 5.0, 10.0
# The same for the first threshold of all, and the logarithm of a gap between losses that is no
# chance.
CAUTION, GAP = 3.0, 0.5
# Losses that are listed, as expected.
EXACT_COUNT = 1000.0
# Part of all rows that a soft edge may keep too many or too few.
EXACT = 1e-8
# A threshold is foreseen well enough when it misses this part of what sampling all rows would; with
# a soft edge no row depends on it alone.
PREDICTED, SOFTLY_PREDICTED = 0.3, 10.0


class WeightingStrategy(Protocol):
    """Says how rows are weighed under a function, and learns from their answers."""

    #: Whether values of the objective can be compared from function to function.
    comparable: bool

    @property
    def hard(self) -> bool:
        """Whether rows are kept or not, and never in part."""

    @property
    def grid(self) -> HistogramGrid:
        """Where to look at the losses, for the last way to weigh."""

    def update(self, sample: SampleLosses) -> WeightFunction:
        """How to weigh rows, from what a sample says to the function."""

    def observe(self, aggregates: Aggregates, sample: SampleLosses) -> None:
        """What all rows say to it."""

    def value(self, aggregates: Aggregates) -> float:
        """The objective without its ridge."""

    def refined(self) -> WeightFunction:
        """The same under the same function, where its thresholds were not known exactly."""

    def settled(self, aggregates: Aggregates) -> bool:
        """Whether rows were weighed as their answers say that they should have been."""

    def exact(self, aggregates: Aggregates) -> bool:
        """Whether it is known exactly how they should be."""

    def state_dict(self) -> dict[str, FloatArray]:
        """What the next way to weigh depends on, by name."""

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on from there."""


@final
class ThresholdPredictor:
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
        self.grid = HistogramGrid(np.zeros((n_groups, 1)), np.zeros((n_groups, 2)))
        self._places: FloatArray = np.zeros((n_groups, 2))
        self._error: FloatArray | None = None

    def predict(self, sample: SampleLosses, first: Callable[[], FloatArray]) -> None:
        """Thresholds under the function that a sample answers to; at first, those of the sample."""
        groups = self._sorted_losses(sample)
        if self.thresholds is None:
            self.expected = first()
            self.grid = self._around(groups)
            self.expected = np.array(
                [_cautious(*known) for known in zip(groups, self.expected, strict=True)]
            )
            return
        self.expected = self.predicted(sample)
        self.grid = self._around(groups)

    def predicted(self, sample: SampleLosses) -> FloatArray:
        """Thresholds under the function that a sample answers to, by the last that were found."""
        assert self.thresholds is not None
        known = zip(self._sorted_losses(sample), self._places, self.thresholds, strict=True)
        return np.array([_loss_at(*place) for place in known])

    def observe(self, thresholds: FloatArray, grid: HistogramGrid, sample: SampleLosses) -> None:
        """Where the thresholds are, as seen through a lens, and their places in the sample."""
        self.thresholds = thresholds
        self.grid = grid
        with np.errstate(invalid="ignore"):
            self._error = np.nan_to_num(np.abs(thresholds - self.expected), posinf=0.0)
        self._places = _places(self._sorted_losses(sample), thresholds)

    def refine(self) -> None:
        """Look again under the same function, at the thresholds that were found."""
        assert self.thresholds is not None
        edges, near = [], []
        for own, t in zip(self.grid.edges, self.thresholds, strict=True):
            # The bin that the threshold lies in, and its neighbours.
            place = int(np.searchsorted(own, t)) if np.isfinite(t) else len(own)
            low, high = own[max(place - 2, 0)], own[min(place + 1, len(own) - 1)]
            high = max(high, t) if np.isfinite(t) else high
            if place < 2:
                low = -1.0  # a loss of zero is listed too
            edges.append(np.linspace(low, high, FINE))
            near.append([low, high])
        self.expected = self.thresholds
        self.grid = HistogramGrid(np.array(edges), np.array(near))

    def state_dict(self) -> dict[str, FloatArray]:
        """Thresholds, their places and how well they were foreseen."""
        if self.thresholds is None:
            return {}
        assert self._error is not None
        return {"found": self.thresholds, "places": self._places, "missed": self._error}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with these."""
        if "found" in state:
            self.thresholds, self._places = state["found"], state["places"]
            self._error = state["missed"]

    def _sorted_losses(self, sample: SampleLosses) -> list[FloatArray]:
        finite = np.isfinite(sample.losses)
        return [np.sort(sample.losses[finite & (sample.groups == k)]) for k in range(self.n_groups)]

    def _around(self, groups: list[FloatArray]) -> HistogramGrid:
        edges, near = [], []
        for k, losses in enumerate(groups):
            error = None if self._error is None else float(self._error[k])
            rows = self.total * max(len(losses), 1) / max(sum(map(len, groups)), 1)
            own, interval = _bins(losses, float(self.expected[k]), error, rows, self.coarse)
            edges.append(own)
            near.append(interval)
        longest = max(map(len, edges))
        padded = [np.concatenate([own, np.full(longest - len(own), own[-1])]) for own in edges]
        return HistogramGrid(np.array(padded), np.array(near))


@final
class TrimmedWeighting:
    """Keeps the rows below thresholds.

    Parameters
    ----------
    weighting : Selection
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
        weighting: TrimmingRule,
        smoothing: float | None,
        n_groups: int,
        total: float,
        unit: float | None,
    ) -> None:
        self.weighting = weighting
        self.smoothing = smoothing
        self.unit = 1.0 if unit is None else unit
        # All losses have a say in a soft threshold.
        coarse = COARSE if smoothing is None else FINE
        self.predictor = ThresholdPredictor(n_groups, total / self.unit, coarse)
        self._least = self.unit if unit is not None else 0.0

    @property
    def hard(self) -> bool:
        """Unless the edge is soft."""
        return self._trims and self.smoothing is None

    @property
    def grid(self) -> HistogramGrid:
        """Narrow around the expected thresholds."""
        return self.predictor.grid

    def update(self, sample: SampleLosses) -> ThresholdWeights:
        """By the expected thresholds."""
        if self._trims:
            rule = self.weighting.over(sample.groups)
            self.predictor.predict(
                sample, lambda: rule.class_thresholds(sample.losses, sample.sample_weight)
            )
        return ThresholdWeights(self.predictor.expected, self.smoothing)

    def observe(self, aggregates: Aggregates, sample: SampleLosses) -> None:
        """Where the thresholds are."""
        if self._trims:
            thresholds = aggregates.histogram.thresholds(self.weighting, self.unit)
            if self.smoothing is not None and len(thresholds) == 1:
                thresholds = self._corrected(aggregates, thresholds)
            self.predictor.observe(thresholds, aggregates.histogram.grid, sample)

    def refined(self) -> ThresholdWeights:
        """At the thresholds that were found."""
        if self.smoothing is None:
            self.predictor.refine()
        else:
            assert self.predictor.thresholds is not None
            self.predictor.expected = self.predictor.thresholds
        return ThresholdWeights(self.predictor.expected, self.smoothing)

    def value(self, aggregates: Aggregates) -> float:
        """Of the losses' profile, whatever the thresholds were."""
        if not self._trims:
            return aggregates.loss + self.weighting.label_entropy(aggregates.kept)
        losses, weights, groups = aggregates.histogram.points(self.unit)
        return self.unit * self.weighting.over(groups).value(losses, weights)

    def settled(self, aggregates: Aggregates) -> bool:
        """Whether about as much is kept as should be."""
        if not self._trims:
            return True
        found = self.predictor.thresholds
        if found is not None and np.array_equal(self.predictor.expected, found):
            return True  # rows that tie there are all kept, be they more than should be
        contamination = self.weighting.contamination
        chance = self.unit * np.sqrt(self.predictor.total * contamination * (1.0 - contamination))
        # Rows that lose beyond all bounds are not to be had.
        wanted = min(self._wanted(aggregates), aggregates.histogram.finite)
        error = abs(float(aggregates.kept.sum()) - wanted)
        allowed = PREDICTED if self.smoothing is None else SOFTLY_PREDICTED
        return error <= max(allowed * chance, self._least)

    def exact(self, aggregates: Aggregates) -> bool:
        """Whether the thresholds are those of all rows to the last bit."""
        if not self._trims:
            return True
        if self.smoothing is not None:
            if len(aggregates.kept) > 1:
                return True  # the verdict is another rule's
            error = abs(float(aggregates.kept.sum()) - self._wanted(aggregates))
            return error <= EXACT * self.predictor.total * self.unit
        assert self.predictor.thresholds is not None
        return aggregates.histogram.is_exact_at(self.predictor.thresholds)

    def threshold_weights(self, aggregates: Aggregates) -> ThresholdWeights:
        """The weights of all rows, once they are known exactly."""
        if self.smoothing is not None and self._trims:
            return ThresholdWeights(self.predictor.expected, self.smoothing)
        return aggregates.histogram.threshold_weights(self.weighting, self.unit)

    def state_dict(self) -> dict[str, FloatArray]:
        """What the next thresholds are foreseen by."""
        return self.predictor.state_dict()

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Go on with it."""
        self.predictor.load_state_dict(state)

    @property
    def _trims(self) -> bool:
        return self.weighting.contamination > 0

    def _wanted(self, aggregates: Aggregates) -> float:
        """Weight that should be kept."""
        _, weights, groups = aggregates.histogram.points(self.unit)
        return self.unit * self.weighting.over(groups).kept_total(weights)

    def _corrected(self, aggregates: Aggregates, found: FloatArray) -> FloatArray:
        """Thresholds of a soft edge, freed from what bins blur.

        Bins err alike in finding the thresholds that were used, by the weight that they kept. What
        is kept is counted in whole rows, so that the last part of a row takes a Newton step.
        """
        expected = self.predictor.expected
        error = self._wanted(aggregates) - float(aggregates.kept.sum())
        if abs(error) <= self.unit and np.isfinite(expected).all():
            losses, weights, _ = aggregates.histogram.points(self.unit)
            slope = self._slope(float(expected[0]), losses, self.unit * weights)
            return expected + error / slope if slope > 0 else expected
        contamination = 1.0 - float(aggregates.kept.sum()) / (self.unit * self.predictor.total)
        if not (
            0.0 < contamination < 1.0 and np.isfinite(expected).all() and np.isfinite(found).all()
        ):
            return found
        used = replace(self.weighting, contamination=contamination)
        return expected + found - aggregates.histogram.thresholds(used, self.unit)

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
    losses: FloatArray, t: float, error: float | None, rows: float, count: int
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
    if error is not None:
        reach = max(SURPRISE * error, 2.0 * EXACT_COUNT * thin)
        low, high = max(low, t - reach), min(high, t + reach)
    exact_width = 0.0 if error is None else 0.5 * EXACT_COUNT * thin
    near = [max(t - exact_width, low), min(t + exact_width, high)]
    coarse = np.interp(np.linspace(0, m - 1, count), np.arange(m), losses)
    return np.unique(np.concatenate([coarse, np.linspace(low, high, FINE), near])), near
