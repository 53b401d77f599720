r"""Weights of all samples under the next function, predicted before a pass over them.

A threshold of the losses is a quantile that only a pass gives. The subsample is in memory: with F
the empirical distribution of its losses under the last function and F' under the next one,

.. math:: \hat t' = F'^{-1}(F(t))

predicts the next threshold from the last one, t, found by a pass. The histogram of a pass is fine
around the predicted threshold, within a few times the last error of prediction.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar, final

import numpy as np
from scipy.special import expit

from .._typing import FloatArray
from ..weighting.base import TrimmingRule
from ..weighting.histogram import HistogramGrid
from ..weighting.threshold import SampleLosses, ThresholdWeights, WeightFunction
from .oracle import PassResult
from .trimmed_hessian import Crossing, samples_near

# Bins over all losses, and around the predicted threshold.
COARSE, FINE = 32, 256
# Standard deviations by which a subsample may misplace a quantile, and how many times the last
# error of prediction is covered by fine bins.
MARGIN, ERROR_FACTOR = 5.0, 10.0
# Standard deviations for the first threshold, and the difference of log losses that is a gap.
FIRST_MARGIN, GAP = 3.0, 0.5
# Expected number of losses that a histogram lists one by one.
EXACT_COUNT = 1000.0
TINY = float(np.finfo(float).tiny)
# Part of all samples by which the kept weight of a soft threshold may be off.
EXACT = 1e-8
# A prediction is reliable if the kept weight is off by at most this part of its sampling error;
# with soft weights no sample depends on the threshold alone.
RELIABLE, SOFTLY_RELIABLE = 0.3, 10.0


class WeightingStrategy(ABC):
    """Weights of all samples from iteration to iteration, by thresholds that are predicted.

    Each of K groups has a threshold; ``count`` is the number of all samples, copies counted, and
    ``coarse`` that of bins over all losses. ``thresholds`` (K,) are those that the last pass found,
    ``predicted`` those that were predicted for it, and ``grid`` has the bins for the next pass.
    Objectives are ``comparable`` from function to function or not; under ``hard`` weights a sample
    is kept or not, and never in part.
    """

    comparable: ClassVar[bool]
    hard: bool = False

    def __init__(self, n_groups: int, count: float, coarse: int = COARSE) -> None:
        self.n_groups, self.count, self.coarse = n_groups, count, coarse
        self.thresholds: FloatArray | None = None
        self.predicted: FloatArray = np.full(n_groups, np.inf)
        # Weight that the last pass kept in excess, over that of all samples.
        self._excess: FloatArray = np.zeros(n_groups)
        self.grid = HistogramGrid(np.zeros((n_groups, 1)), np.zeros((n_groups, 2)))
        self._ranks: FloatArray = np.zeros((n_groups, 2))
        self._error: FloatArray | None = None

    @abstractmethod
    def predict(self, sample: SampleLosses) -> WeightFunction:
        """Return the weights for the next pass, from the subsample's losses under its function."""

    @abstractmethod
    def observe(self, result: PassResult, sample: SampleLosses) -> None:
        """Learn the thresholds from the result of a pass."""

    @abstractmethod
    def refine(self) -> WeightFunction:
        """Return the weights for another pass under the same function, with finer bins."""

    @abstractmethod
    def objective(self, result: PassResult) -> float:
        """Return the objective without its penalty."""

    @abstractmethod
    def is_reliable(self, result: PassResult) -> bool:
        """Whether the weights of the pass were about those that its losses call for."""

    @abstractmethod
    def is_exact(self, result: PassResult) -> bool:
        """Whether these weights are known exactly."""

    def crossing(self, sample: SampleLosses) -> Crossing | None:
        """Return the samples of the subsample near the hard thresholds of the last pass, if any."""
        if not self.hard or self.thresholds is None:
            return None
        excess = len(sample.losses) * self._excess
        return samples_near(sample.losses, sample.groups, self.thresholds, excess)

    def state_dict(self) -> dict[str, FloatArray]:
        """Return the last thresholds, their ranks in the subsample and errors of prediction."""
        if self.thresholds is None or self._error is None:
            return {}
        return {"thresholds": self.thresholds, "ranks": self._ranks, "error": self._error}

    def load_state_dict(self, state: dict[str, FloatArray]) -> None:
        """Continue from such a state."""
        if "thresholds" in state:
            self.thresholds, self._ranks = state["thresholds"], state["ranks"]
            self._error = state["error"]

    def _predict_thresholds(self, sample: SampleLosses, initial: Callable[[], FloatArray]) -> None:
        """Predict by the last thresholds; the first prediction is the subsample's own."""
        losses = self._sorted_losses(sample)
        if self.thresholds is None:
            self.predicted = initial()
            self.grid = self._grid_around(losses)
            self.predicted = np.array(list(map(_gap_threshold, losses, self.predicted)))
        else:
            self.predicted = np.array(list(map(_loss_at, losses, self._ranks, self.thresholds)))
            self.grid = self._grid_around(losses)

    def _observe_thresholds(
        self, thresholds: FloatArray, grid: HistogramGrid, sample: SampleLosses
    ) -> None:
        self.thresholds, self.grid = thresholds, grid
        with np.errstate(invalid="ignore"):
            self._error = np.nan_to_num(np.abs(thresholds - self.predicted), posinf=0.0)
        self._ranks = np.array(list(map(_rank, self._sorted_losses(sample), thresholds)))

    def _refine_grid(self) -> None:
        """Place the next bins within the bin that each threshold was found in."""
        assert self.thresholds is not None
        near = []
        for own, t in zip(self.grid.edges, self.thresholds, strict=True):
            # The bin of the threshold and its neighbours.
            place = int(np.searchsorted(own, t)) if np.isfinite(t) else len(own)
            high = own[min(place + 1, len(own) - 1)]
            low = own[place - 2] if place >= 2 else -1.0  # so that losses of zero are listed too
            near.append([low, max(high, t) if np.isfinite(t) else high])
        self.predicted = self.thresholds
        edges = [np.linspace(low, high, FINE) for low, high in near]
        self.grid = HistogramGrid(np.array(edges), np.array(near))

    def _sorted_losses(self, sample: SampleLosses) -> list[FloatArray]:
        finite = np.isfinite(sample.losses)
        return [np.sort(sample.losses[finite & (sample.groups == k)]) for k in range(self.n_groups)]

    def _grid_around(self, groups: list[FloatArray]) -> HistogramGrid:
        bins, total = [], max(sum(map(len, groups)), 1)
        for k, losses in enumerate(groups):
            error = None if self._error is None else float(self._error[k])
            rows = self.count * max(len(losses), 1) / total
            bins.append(_bins(losses, float(self.predicted[k]), error, rows, self.coarse))
        edges, near = zip(*bins, strict=True)
        longest = max(map(len, edges))
        padded = [np.concatenate([own, np.full(longest - len(own), own[-1])]) for own in edges]
        return HistogramGrid(np.array(padded), np.array(near))


@final
class TrimmedWeighting(WeightingStrategy):
    """Keeps the samples below the thresholds of a trimming rule.

    ``total`` is the weight of all samples, and ``unit`` that of one, if all weights are multiples
    of it.
    """

    comparable = True

    def __init__(
        self, rule: TrimmingRule, total: float, unit: float | None, n_groups: int = 1
    ) -> None:
        self.rule, self.unit = rule, 1.0 if unit is None else unit
        self._trims = rule.contamination > 0
        self.hard = self._trims and rule.smoothing is None
        self._min_error = unit or 0.0
        # A soft threshold depends on all losses.
        coarse = COARSE if rule.smoothing is None else FINE
        super().__init__(n_groups, total / self.unit, coarse)

    def predict(self, sample: SampleLosses) -> ThresholdWeights:
        """Return the weights by the predicted thresholds."""
        if self._trims:
            rule, data = self.rule.over(sample.groups), (sample.losses, sample.sample_weight)
            self._predict_thresholds(sample, lambda: rule.class_thresholds(*data))
        return ThresholdWeights(self.predicted, self.rule.smoothing)

    def observe(self, result: PassResult, sample: SampleLosses) -> None:
        """Read the thresholds off the histogram."""
        if self._trims:
            thresholds = result.histogram.thresholds(self.rule, self.unit)
            if self.rule.smoothing is not None and len(thresholds) == 1:
                thresholds = self._corrected(result, thresholds)
            if self.hard:
                self._excess = self._kept_in_excess(result, thresholds)
            self._observe_thresholds(thresholds, result.histogram.grid, sample)

    def refine(self) -> ThresholdWeights:
        """Return the weights by the thresholds that were found."""
        assert self.thresholds is not None
        self.predicted = self.thresholds
        if self.rule.smoothing is None:
            self._refine_grid()
        return ThresholdWeights(self.predicted, self.rule.smoothing)

    def objective(self, result: PassResult) -> float:
        """Return the trimmed loss, from the histogram and whatever the thresholds were."""
        if not self._trims:
            return result.loss + self.rule.label_entropy(result.kept)
        losses, weights, groups = result.histogram.points(self.unit)
        return self.unit * self.rule.over(groups).value(losses, weights)

    def is_reliable(self, result: PassResult) -> bool:
        """Whether about as much weight was kept as the rule keeps."""
        found = self.thresholds is not None and np.array_equal(self.predicted, self.thresholds)
        if not self._trims or found:
            return True  # tied samples are all kept, even if they are more than the rule keeps
        contamination = self.rule.contamination
        chance = self.unit * np.sqrt(self.count * contamination * (1.0 - contamination))
        # Samples of infinite loss cannot be kept.
        wanted = min(self._kept_by_rule(result), result.histogram.finite)
        error = abs(float(result.kept.sum()) - wanted)
        allowed = RELIABLE if self.rule.smoothing is None else SOFTLY_RELIABLE
        return error <= max(allowed * chance, self._min_error)

    def is_exact(self, result: PassResult) -> bool:
        """Whether the thresholds are those of all losses to the last bit."""
        if not self._trims or (self.rule.smoothing is not None and len(result.kept) > 1):
            return True  # under soft weights by class, another, hard rule flags samples
        if self.rule.smoothing is not None:
            error = abs(float(result.kept.sum()) - self._kept_by_rule(result))
            return error <= EXACT * self.count * self.unit
        assert self.thresholds is not None
        return result.histogram.is_exact_at(self.thresholds)

    def threshold_weights(self, result: PassResult) -> ThresholdWeights:
        """Return the weights of all samples, once they are known exactly."""
        if self.rule.smoothing is not None and self._trims:
            return ThresholdWeights(self.predicted, self.rule.smoothing)
        return result.histogram.threshold_weights(self.rule, self.unit)

    def _kept_in_excess(self, result: PassResult, found: FloatArray) -> FloatArray:
        """Return the weight that a pass kept beyond that of the rule, over that of all samples."""
        losses, weights, groups = result.histogram.points(self.unit)
        wanted = self.unit * self.rule.over(groups).totals(losses, weights)
        excess = (result.kept - wanted) / (self.unit * self.count)
        # Tied samples are all kept, and those of infinite loss never are.
        return np.where((self.predicted == found) | ~np.isfinite(found), 0.0, excess)

    def _kept_by_rule(self, result: PassResult) -> float:
        _, weights, groups = result.histogram.points(self.unit)
        return self.unit * self.rule.over(groups).kept_total(weights)

    def _corrected(self, result: PassResult, found: FloatArray) -> FloatArray:
        """Remove the error of bins from a soft threshold: that of the one used, which is known."""
        assert self.rule.smoothing is not None
        used, kept = self.predicted, float(result.kept.sum())
        error = self._kept_by_rule(result) - kept
        if abs(error) <= self.unit and np.isfinite(used).all():
            # Weight is kept in whole samples: the last part of one takes a Newton step.
            losses, weights, _ = result.histogram.points(self.unit)
            part = expit(self.rule.smoothing * (float(used[0]) - losses))
            slope = float(self.rule.smoothing * (self.unit * weights) @ (part * (1.0 - part)))
            return used + error / slope if slope > 0 else used
        contamination = 1.0 - kept / (self.unit * self.count)
        if not (0.0 < contamination < 1.0 and np.isfinite([*used, *found]).all()):
            return found
        rule = replace(self.rule, contamination=contamination)
        return used + found - result.histogram.thresholds(rule, self.unit)


def _rank(losses: FloatArray, t: float) -> tuple[float, float]:
    """Return the rank of a threshold among sorted losses, as an integer and a fraction."""
    if not len(losses) or t <= losses[0]:
        return 0.0, 0.0
    if t >= losses[-1]:
        return len(losses) - 1.0, 0.0
    # Apart, as the fraction in a wide gap is below the resolution of a large rank.
    after = int(np.searchsorted(losses, t, side="right"))
    low, high = float(losses[after - 1]), float(losses[after])
    return after - 1.0, (t - low) / (high - low)


def _gap_threshold(losses: FloatArray, t: float) -> float:
    """Move a first threshold into a gap within the sampling error: no outlier is kept by chance."""
    if len(losses) < 2 or not np.isfinite(t):
        return t
    rank, deviation = _sampling_error(losses, t)
    reach = FIRST_MARGIN * deviation
    near = np.maximum(losses[max(int(rank - reach), 0) : int(rank + reach) + 2], TINY)
    steps = np.diff(np.log(near), append=-np.inf)
    widest = int(np.argmax(steps))
    if steps[widest] < GAP:
        return t
    return float(np.sqrt(near[widest]) * np.sqrt(near[widest + 1]))


def _sampling_error(losses: FloatArray, t: float) -> tuple[float, float]:
    """Rank of a threshold among sorted losses, and its standard deviation over subsamples."""
    m, rank = len(losses), float(np.interp(t, losses, np.arange(len(losses))))
    return rank, float(np.sqrt(max(rank * (m - rank) / m, 1.0)))


def _loss_at(losses: FloatArray, rank: FloatArray, last: float) -> float:
    """Loss of a rank, or the last threshold where the subsample has no losses around it."""
    whole, part = int(rank[0]), float(rank[1])
    if not len(losses) or whole + part <= 0 or whole >= len(losses) - 1:
        return last
    return float(losses[whole] + part * (losses[whole + 1] - losses[whole]))


def _bins(
    losses: FloatArray, t: float, error: float | None, rows: float, count: int
) -> tuple[FloatArray, list[float]]:
    """Edges of bins around a threshold, and the interval whose losses are listed one by one."""
    if len(losses) < 2 or not np.isfinite(t):
        return np.array([0.0, max(float(losses.max(initial=0.0)), 1e-300)]), [0.0, 0.0]
    m, (rank, deviation) = len(losses), _sampling_error(losses, t)
    ends = rank + MARGIN * deviation * np.array([-1.0, 1.0])
    low, high = np.interp(ends, np.arange(m), losses).tolist()
    # Distance from one loss of all samples to the next.
    spacing = (high - low) / (2.0 * MARGIN * deviation / m * rows)
    if error is not None:
        reach = max(ERROR_FACTOR * error, 2.0 * EXACT_COUNT * spacing)
        low, high = max(low, t - reach), min(high, t + reach)
    exact_width = 0.0 if error is None else 0.5 * EXACT_COUNT * spacing
    near = [max(t - exact_width, low), min(t + exact_width, high)]
    coarse = np.interp(np.linspace(0, m - 1, count), np.arange(m), losses)
    return np.unique(np.concatenate([coarse, np.linspace(low, high, FINE), near])), near
