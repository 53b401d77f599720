r"""Densities of a number given its prediction: a right one, and one with each mistake.

With :math:`f_0` the density of inlier residuals (:mod:`.null_density`), a cell x that was made from
a right value by a mistake :math:`T` has the density

.. math:: f_0(T^{-1} x \mid \text{others})\, |dT^{-1} x / dx|\,
          \frac{q(T^{-1} x)}{q(x)} .

The last factor stands for a decimal point that slips, which keeps the digits: :math:`q` is the part
of the column's values that end at the decimal place where a number does.

A value that many rows have, such as 0, is right in some of them whatever the others are: its
density is at least a small part of its frequency over the step of the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .distinct import common_values
from .mistakes import OTHER_PRIOR, Mistake
from .null_density import NullDensity
from .standardiser import Standardiser
from .variables import NumericVariable

# Standardised values are bounded, far beyond any that is usual.
FARTHEST = 1e3
# A usual residual lies within so many times the bounds of 85 %.
USUAL = 1.5
# Part of the rows from which on a value is common, and part of them that have it at random.
COMMON, AT_RANDOM = 0.05, 0.03
# Rows that are looked at together.
BLOCK = 8192
TINY = float(np.finfo(float).tiny)


class Undone(NamedTuple):
    """What n numbers would be without each of k mistakes.

    Attributes
    ----------
    y : array of shape (n,)
        The numbers, standardised.
    right : array of shape (k, n)
        Without the mistakes, standardised.
    log_stretch : array of shape (k, n)
        Logarithm of how much undoing stretches, minus infinity where it changes nothing.
    """

    y: FloatArray
    right: FloatArray
    log_stretch: FloatArray

    def at(self, rows: IntArray | slice) -> Undone:
        """Return those of given rows."""
        return Undone(self.y[rows], self.right[:, rows], self.log_stretch[:, rows])


@final
@dataclass(frozen=True)
class CellDensity:
    """Densities of the numbers of a column given predictions, which are standardised."""

    variable: NumericVariable
    standardiser: Standardiser
    null: NullDensity

    def standardised(self, values: FloatArray) -> FloatArray:
        """Return values in units of the table on the scale of predictions."""
        return standardised(self.variable, self.standardiser, values)

    def in_own_units(self, y: FloatArray) -> FloatArray:
        """Return standardised values in units of the table."""
        return self.variable.backward(self.standardiser.center + self.standardiser.spread * y)

    def scale(self, predicted: FloatArray) -> FloatArray:
        """Return the scale of inlier residuals, which is at least that of rounding."""
        center, spread = self.standardiser.center, self.standardiser.spread
        return self.null.scale(predicted, self.variable.floor(center + spread * predicted) / spread)

    def bounds(self, predicted: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds that contain 85 % of the inlier values, in units of the table."""
        (below, above), scale = self.null.edges, self.scale(predicted)
        ends = predicted - below * scale, predicted + above * scale
        return self.in_own_units(ends[0]), self.in_own_units(ends[1])

    def is_far(self, y: FloatArray, predicted: FloatArray) -> BoolArray:
        """Return whether standardised values lie beyond these bounds."""
        return np.abs(y - predicted) > self.null.edge(y - predicted) * self.scale(predicted)

    def is_usual(self, y: FloatArray, predicted: FloatArray, moved: float = 0.0) -> BoolArray:
        """Return whether standardised values lie in the body of their density.

        Predictions may be off by ``moved``.
        """
        reach = USUAL * self.null.edge(y - predicted) * self.scale(predicted)
        return np.abs(y - predicted) + moved <= reach

    def log_null(self, values: FloatArray, predicted: FloatArray) -> FloatArray:
        """Return the log-densities of inlier values, in units of the table."""
        return self.null.log_density(self.standardised(values) - predicted, self.scale(predicted))

    @cached_property
    def _common(self) -> tuple[FloatArray, FloatArray]:
        """Common values, standardised and ascending, and their least log-densities."""
        values = self.variable.values[~self.variable.missing]
        found, counts = common_values(values, COMMON)
        if not len(found):
            return np.full(1, np.inf), np.full(1, -np.inf)
        y = self.standardised(found)
        center, spread = self.standardiser.center, self.standardiser.spread
        step = 2.0 * self.variable.floor(center + spread * y) / spread
        return y, np.log(AT_RANDOM * counts / (len(values) * np.maximum(step, TINY)))

    def _log_common(self, y: FloatArray) -> FloatArray:
        """Return the least log-density of right values, minus infinity unless they are common."""
        values, least = self._common
        place = np.minimum(np.searchsorted(values, y), len(values) - 1)
        return np.where(values[place] == y, least[place], -np.inf)

    def undone(self, values: FloatArray) -> Undone:
        """Return what values would be without mistakes."""
        return undo_mistakes(self.variable, self.standardiser, values)

    def log_ratios(self, undone: Undone, predicted: FloatArray) -> FloatArray:
        """Return log-densities of any other value and of each mistake over that of a right value.

        A mistake explains nothing if it changes a number by less than right values differ.
        """
        y, right, log_stretch = undone
        scale = self.scale(predicted)
        density = self.null.log_density(right - predicted, scale)
        density += log_stretch
        density[np.abs(right - y) <= self.null.edges.sum() * scale] = -np.inf
        found = np.concatenate([_log_marginal(y)[None], density])
        found -= np.maximum(self.null.log_density(y - predicted, scale), self._log_common(y))
        return found

    def log_odds(
        self,
        values: FloatArray,
        predicted: FloatArray,
        log_weights: FloatArray,
        undone: Undone | None = None,
    ) -> tuple[FloatArray, IntArray, FloatArray]:
        """Return the log-odds of wrong against right, the likeliest mistake, and its share.

        What the values would be without mistakes may be known.
        """
        n = len(values)
        found, mistake, share = np.empty(n), np.empty(n, int), np.empty(n)
        for start in range(0, n, BLOCK):  # blocks stay in the cache
            own = slice(start, start + BLOCK)
            part = self.undone(values[own]) if undone is None else undone.at(own)
            ratios = self.log_ratios(part, predicted[own])
            found[own], mistake[own], share[own] = weighted_log_odds(ratios, log_weights)
        found[np.isnan(values)] = -np.inf
        return found, mistake, share


def standardised(
    variable: NumericVariable, standardiser: Standardiser, values: FloatArray
) -> FloatArray:
    """Return values on their scale, far below if they have no logarithm."""
    found = variable.forward(values)
    y = (found - standardiser.center) / standardiser.spread
    y = np.where(np.isnan(found) & ~np.isnan(values), -FARTHEST, y)
    return np.clip(y, -FARTHEST, FARTHEST)


def prior_log_weights(variable: NumericVariable) -> FloatArray:
    """Return the logarithms of the a priori weights of any other value, and of each mistake."""
    return np.log([OTHER_PRIOR, *(mistake.prior for mistake in variable.mistakes)])


def weighted_log_odds(
    ratios: FloatArray, log_weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the log-odds of ratios (k, m) with weights, the likeliest mistake, its share."""
    wrong = ratios + log_weights[:, None]
    mistake, largest = wrong.argmax(axis=0), wrong.max(axis=0)
    excess = np.log(np.exp(wrong - np.where(np.isfinite(largest), largest, 0.0)).sum(axis=0))
    return largest + excess, mistake - 1, np.exp(-excess)


def undo_mistakes(
    variable: NumericVariable, standardiser: Standardiser, values: FloatArray
) -> Undone:
    """Return what values of a variable would be without mistakes."""
    mistakes = variable.mistakes
    undone = np.stack([mistake.undo(values) for mistake in mistakes])
    right = standardised(variable, standardiser, undone.ravel()).reshape(undone.shape)
    log_stretch = _log_stretch(variable, mistakes, values, undone)
    log_stretch[np.abs(undone - values) <= variable.resolution] = -np.inf
    return Undone(standardised(variable, standardiser, values), right, log_stretch)


def _log_stretch(
    variable: NumericVariable, mistakes: Sequence[Mistake], values: FloatArray, undone: FloatArray
) -> FloatArray:
    """Return the logarithm of how much undoing mistakes stretches, on the scale of predictions.

    A decimal point that slips keeps the digits: 145 becomes 14.5, which is finer than a column of
    whole numbers is, and 30 becomes 3, of which there may be many.
    """
    ends = np.stack([mistake.undo(np.array([0.0, 1.0])) for mistake in mistakes])
    slopes = variable.slope(undone.ravel()).reshape(undone.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(slopes / variable.slope(values))
        found += np.log(np.abs(ends[:, 1:] - ends[:, :1]))
    kept = [mistake.keeps_digits for mistake in mistakes]
    if any(kept):
        written = variable.log_written(np.concatenate([undone[kept].ravel(), values]))
        written = written.reshape(sum(kept) + 1, len(values))
        found[kept] += written[:-1] - written[-1]
    return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)


def _log_marginal(y: FloatArray) -> FloatArray:
    """Return the log-density of any value: a wide Student distribution about the median."""
    return -np.log(np.pi * 3.0) - np.log1p((np.nan_to_num(y) / 3.0) ** 2)
