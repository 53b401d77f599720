r"""Histograms of losses that add up, and quantiles read off them.

.. math:: t = F^{-1}(p), \qquad F = \sum_b F_b

Losses of a part b of the samples are counted in bins, narrow around a predicted threshold and wide
elsewhere; those in a still narrower interval are listed one by one, equal ones together. The
histograms of parts add up, in any order. A threshold within the listed interval is exact, elsewhere
it is as accurate as its bin.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from .._policy import policy
from .._sums import Sum
from .._typing import FloatArray, IntArray
from .base import TrimmingRule
from .binning import BinTable
from .threshold import ThresholdWeights
from .trimmed import around, part_of_tied


@final
@dataclass(frozen=True)
class HistogramGrid:
    """Bins of the losses of each class.

    Bin j is up to and including edge j of ``edges``, (K, E) and ascending; the last bin is
    unbounded. Losses above the first and up to the second of ``near``, (K, 2), are listed.
    """

    edges: FloatArray
    near: FloatArray

    @cached_property
    def _tables(self) -> list[BinTable]:
        return [BinTable(own) for own in self.edges]

    def histogram(
        self, losses: FloatArray, sample_weight: FloatArray, groups: IntArray
    ) -> LossHistogram:
        """Return the histogram of the losses of some samples."""
        n_groups, n_edges = self.edges.shape
        weights, sums = np.zeros((2, n_groups, n_edges + 2))
        exact_values, max_loss = [], np.zeros(n_groups)
        for k in range(n_groups):
            own = slice(None) if n_groups == 1 else np.flatnonzero(groups == k)
            values, mass = losses[own], sample_weight[own]
            largest = float(values.max(initial=0.0))
            finite = np.isfinite(largest)
            if not finite:
                largest = values.max(initial=0.0, where=np.isfinite(values))
            max_loss[k] = largest
            low, high = self.near[k]
            near = (values > low) & (values <= high)
            if near.any():
                exact_values.append(_grouped(values[near], mass[near], k))
                values, mass = values[~near], mass[~near]
            bins = self._tables[k].bins(values)
            with np.errstate(invalid="ignore", over="ignore"):
                products = mass * values
            if not finite:
                bins[np.isinf(values)] = n_edges + 1
                products = np.where(mass > 0, products, 0.0)
            weights[k] = np.bincount(bins, mass, n_edges + 2)
            sums[k] = np.bincount(bins, products, n_edges + 2)
        counts = Sum(np.array([weights, sums]))
        return LossHistogram(self, counts, *_joined(exact_values), max_loss)._bounded()


@final
@dataclass(frozen=True)
class LossHistogram:
    """Histogram of the losses of some samples.

    ``counts``, (2, K, E + 2), holds the weight of the samples in each bin and the sum of their
    weighted losses; the last bin is that of infinite losses. ``losses``, ``masses`` and ``groups``
    are values, weights and classes of the losses that are listed, ``max_loss`` the largest finite
    loss of each class. It is ``exact`` if all losses of the near interval are listed.
    """

    grid: HistogramGrid
    counts: Sum
    losses: FloatArray
    masses: FloatArray
    groups: IntArray
    max_loss: FloatArray
    exact: bool = True

    @classmethod
    def of(cls, parts: Sequence[LossHistogram]) -> LossHistogram:
        """Return the histogram of all parts."""
        lists = _joined([(part.losses, part.masses, part.groups) for part in parts])
        max_loss = np.max([part.max_loss for part in parts], axis=0)
        numbers = (max_loss, all(part.exact for part in parts))
        counts = Sum.of([part.counts for part in parts])
        return cls(parts[0].grid, counts, *lists, *numbers)._bounded()

    def __add__(self, other: LossHistogram) -> LossHistogram:
        """Return the histogram of both parts."""
        return self.of([self, other])

    @property
    def weights(self) -> FloatArray:
        """Weight of the samples in each bin."""
        return self.counts.value[0]

    @property
    def sums(self) -> FloatArray:
        """Sum of the weighted losses in each bin."""
        return self.counts.value[1]

    def points(self, unit: float = 1.0) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return losses, weights in a unit and classes of points that represent the samples."""
        filled = self.weights > 0
        with np.errstate(invalid="ignore", divide="ignore"):
            means = (self.sums / self.weights)[filled]
        counts = np.concatenate([self.weights[filled], self.masses]) / unit
        if unit != 1.0:  # multiples of a unit like 0.1 are integers up to rounding
            counts = np.round(counts)
        groups = np.concatenate([np.nonzero(filled)[0], self.groups])
        return np.concatenate([means, self.losses]), counts, groups

    @property
    def finite(self) -> float:
        """Weight of the samples with a finite loss."""
        return float(self.weights[:, :-1].sum() + self.masses.sum())

    def thresholds(self, weighting: TrimmingRule, unit: float = 1.0) -> FloatArray:
        """Return the thresholds of a rule by class; infinite where nothing is trimmed."""
        return self.threshold_weights(weighting, unit).thresholds

    def losses_at(self, totals: FloatArray) -> FloatArray:
        """Return the loss of each class up to which its samples have the given weight."""
        return np.array([self._loss_at(k, float(total)) for k, total in enumerate(totals)])

    def threshold_weights(self, weighting: TrimmingRule, unit: float = 1.0) -> ThresholdWeights:
        """Return the weights of a rule, with those of the samples tied at the threshold."""
        if weighting.contamination == 0:
            return ThresholdWeights(np.full(len(self.weights), np.inf), weighting.smoothing)
        losses, weights, groups = self.points(unit)
        rule = weighting.over(groups)
        if rule.soft:
            return ThresholdWeights(rule.class_thresholds(losses, weights), rule.smoothing)
        totals = rule.totals(losses, weights)
        thresholds, tied = self.losses_at(unit * totals), np.ones(len(totals))
        for k, t in enumerate(thresholds):
            own = groups == k
            below, level = around(losses[own], t)
            tied[k] = part_of_tied(weights[own], below, level, float(totals[k]))
        return ThresholdWeights(thresholds, None, tied)

    def is_exact_at(self, thresholds: FloatArray) -> bool:
        """Whether thresholds read off this histogram are exact."""
        low, high = self.grid.near.T
        listed = np.bincount(self.groups, self.masses, len(self.weights))
        inside = ((thresholds > low) & (thresholds <= high)) | np.isinf(thresholds)
        return self.exact and bool(inside[self.weights.sum(axis=1) + listed > 0].all())

    def _loss_at(self, k: int, total: float) -> float:
        own = self.groups == k
        edges = self.grid.edges[k]
        low = np.concatenate([[0.0], edges, [np.inf], self.losses[own]])
        high = np.concatenate([edges, [max(self.max_loss[k], edges[-1]), np.inf], self.losses[own]])
        weights = np.concatenate([self.weights[k], self.masses[own]])
        order = np.lexsort((high, low))
        order = order[weights[order] > 0]
        if not len(order):
            return 0.0
        reached = np.cumsum(weights[order])
        place = min(int(np.searchsorted(reached, total * (1 - 1e-12))), len(order) - 1)
        cell = order[place]
        if low[cell] == high[cell]:
            return float(low[cell])
        before = float(reached[place] - weights[cell])
        part = min(max((total - before) / float(weights[cell]), 0.0), 1.0)
        return float(low[cell] + part * (high[cell] - low[cell]))

    def _bounded(self) -> LossHistogram:
        """Return a histogram whose list, if it is too long, is counted in bins."""
        if self.exact and len(self.losses) <= policy().exact_losses:
            return self
        owners = [(int(k), self.groups == k) for k in np.unique(self.groups)]
        listed = _joined([_grouped(self.losses[own], self.masses[own], k) for k, own in owners])
        if self.exact and len(listed[0]) <= policy().exact_losses:
            return LossHistogram(self.grid, self.counts, *listed, self.max_loss)
        weights, sums = self.weights.copy(), self.sums.copy()
        for k, own in owners:
            bins = np.searchsorted(self.grid.edges[k], self.losses[own])
            np.add.at(weights[k], bins, self.masses[own])
            np.add.at(sums[k], bins, self.masses[own] * self.losses[own])
        counts = Sum(np.array([weights, sums]))
        return LossHistogram(self.grid, counts, *_joined([]), self.max_loss, exact=False)


ExactValues = tuple[FloatArray, FloatArray, IntArray]


def _joined(parts: list[ExactValues]) -> ExactValues:
    """Concatenate losses, weights and classes of several lists."""
    parts = [(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.intp)), *parts]
    losses, masses, groups = (np.concatenate(part) for part in zip(*parts, strict=True))
    return losses, masses, groups


def _grouped(losses: FloatArray, masses: FloatArray, group: int) -> ExactValues:
    """Return each distinct loss once, with the weight of all samples that have it."""
    values, places = np.unique(losses, return_inverse=True)
    total = np.bincount(places, masses, len(values)).astype(float)
    return values, total, np.full(len(values), group, dtype=np.intp)
