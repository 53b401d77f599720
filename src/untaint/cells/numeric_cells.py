r"""The posterior probability that a number is wrong, given the other cells of its row.

With :math:`f_0` the density of honest residuals (:mod:`.null_density`), :math:`g` that of the
column's values whatever the row, and mistakes :math:`T_k` of a priori odds :math:`\pi_k`,

.. math:: \frac{P(\text{wrong})}{P(\text{right})} = \frac{\pi\, \big(\pi_0\, g(x)
          + \sum_k \pi_k\, f_0(T_k^{-1} x \mid \text{others})\, |dT_k^{-1}x / dx|\big)}
          {(1 - \pi)\, f_0(x \mid \text{others})} .

The share :math:`\pi` of wrong cells is one for the whole table (:mod:`.table_posterior`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np
from scipy.special import logsumexp

from .._typing import BoolArray, FloatArray, IntArray
from .features import Standardiser, standardiser_of
from .mistakes import DATES, NUMERIC, OTHER_PRIOR, TEMPERATURES, Mistake, is_temperature
from .null_density import CENSORED, NullDensity, fit_null_density
from .prediction import NumericPredictor
from .variables import NumericVariable

# Standardised values are bounded, far beyond any that is usual.
FARTHEST = 1e3
# And those that fits are made to are bounded, so that a gross one does not spoil them.
FAR_OUT = 20.0
# Scales within which a number is near its prediction.
NEAR = 4.0
# Residuals that move a fit by fewer scales are not worth another one.
LITTLE_PULL = 0.02
# Quantile at either end of the range of usual values.
INSIDE = 0.005
# A usual residual lies within so many times the bounds of 85 %.
USUAL = 1.5
# Rounds in which the density of honest residuals is fitted without explained cells, and rounds of
# the parts of mistakes in a column.
NULL_ROUNDS, PART_ROUNDS = 6, 10
# Part of the tail that is left out of its estimate in the end.
LITTLE = 0.03
# A priori part of wrong cells in a column, which weighs as much as so many rows.
PRIOR_PART, PRIOR_ROWS = 0.005, 200.0
# Log-odds of a wrong cell before anything is known.
PRIOR_LOG_ODDS = float(np.log(0.005))
# Rows that are looked at together.
BLOCK = 8192


@final
@dataclass(frozen=True)
class NumericCells:
    """What the other cells say of each number of a column.

    Attributes
    ----------
    variable : NumericVariable
    predictor : NumericPredictor
    null : NullDensity
    log_odds : array of shape (n,)
        Of the wrong against the right densities, without the share of wrong cells; -inf if missing.
    mistake : int array of shape (n,)
        The likeliest mistake, -1 for any other value.
    share : array of shape (n,)
        Its probability among all mistakes.
    range : pair of float
        Within which nearly all standardised values lie.
    log_weights : array of shape (k,)
        Logarithms of the weights of any other value, and of each mistake.
    log_likelihood : float
        Of the numbers, right or wrong.
    """

    variable: NumericVariable
    standardiser: Standardiser
    null: NullDensity
    predictor: NumericPredictor
    log_odds: FloatArray
    mistake: IntArray
    share: FloatArray
    range: tuple[float, float]
    log_weights: FloatArray
    log_likelihood: float

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that a cell may have."""
        return mistakes_of(self.variable)

    def is_near(self) -> BoolArray:
        """Return which numbers lie within a few scales of their prediction."""
        predicted = self.predictor.predictions
        y = standardised(self.variable, self.standardiser, self.variable.values)
        scale = _scale(self.variable, self.standardiser, self.null, predicted)
        return np.abs(y - predicted) <= NEAR * scale

    def pull(self, rows: BoolArray) -> float:
        """Return by how many scales a fit with or without some rows would move on average."""
        predicted = self.predictor.predictions
        y = standardised(self.variable, self.standardiser, self.variable.values)
        scale = _scale(self.variable, self.standardiser, self.null, predicted)
        far = np.minimum(np.abs(y - predicted), FAR_OUT) / scale
        return float(far[rows].sum()) / len(y)

    def is_right(self) -> BoolArray:
        """Return which numbers are more probably right than wrong."""
        return self.log_odds + PRIOR_LOG_ODDS < 0

    def log_null_of(self, values: FloatArray, predicted: FloatArray) -> FloatArray:
        """Return the log-densities of honest values, in units of the table, given predictions."""
        y = standardised(self.variable, self.standardiser, values)
        return log_null(self.variable, self.standardiser, self.null, y, predicted)

    def is_usual(self, y: FloatArray, predicted: FloatArray, moved: float = 0.0) -> BoolArray:
        """Return whether standardised values lie in the body of their density.

        Predictions may be off by ``moved``.
        """
        scale = _scale(self.variable, self.standardiser, self.null, predicted)
        distance = np.abs(y - predicted) + moved
        return distance <= USUAL * self.null.edge(y - predicted) * scale

    def log_odds_at(self, values: FloatArray, predicted: FloatArray) -> FloatArray:
        """Return the log-odds of values, in units of the table, given other predictions."""
        parts = (self.variable, self.standardiser, self.null)
        return _log_odds(*parts, values, predicted, self.log_weights)[0]

    def log_ratios(self, rows: IntArray) -> FloatArray:
        """Return the log-densities of mistakes over that of a right value, (k, m) for m rows."""
        parts = (self.variable, self.standardiser, self.null)
        values, predicted = self.variable.values[rows], self.predictor.predictions[rows]
        return _log_ratios(*parts, values, predicted)

    def with_weights(
        self, log_weights: FloatArray, rows: IntArray, ratios: FloatArray
    ) -> NumericCells:
        """Return the cells with other weights of mistakes, of which only given rows have any.

        The log-densities of these are those of `log_ratios`.
        """
        new = weighted_log_odds(ratios, log_weights)
        log_odds, mistake, share = self.log_odds.copy(), self.mistake.copy(), self.share.copy()
        log_odds[rows], mistake[rows], share[rows] = new
        return replace(
            self, log_odds=log_odds, mistake=mistake, share=share, log_weights=log_weights
        )

    def extended(self, variable: NumericVariable, X: FloatArray, folds: IntArray) -> NumericCells:
        """Return the cells of more rows, by what was learnt from these."""
        y = standardised(variable, self.standardiser, variable.values)
        predictor = self.predictor.extended(
            X, folds, lambda predicted, moved: self.is_usual(y, predicted, moved)
        )
        parts = (variable, self.standardiser, self.null)
        odds = _log_odds(*parts, variable.values, predictor.predictions, self.log_weights)
        known = (self.range, self.log_weights, self.log_likelihood)
        return NumericCells(*parts, predictor, *odds, *known)

    def bounds(self, rows: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return bounds within which 85 % of the honest values lie, in units of the table."""
        predicted = self.predictor.predictions[rows]
        scale = _scale(self.variable, self.standardiser, self.null, predicted)
        below, above = self.null.edges
        return self.in_own_units(predicted - below * scale), self.in_own_units(
            predicted + above * scale
        )

    def in_own_units(self, y: FloatArray) -> FloatArray:
        """Return standardised values in units of the table."""
        return self.variable.backward(self.standardiser.center + self.standardiser.spread * y)


def mistakes_of(variable: NumericVariable) -> tuple[Mistake, ...]:
    """Return the mistakes that a cell may have."""
    if variable.kind == "date":
        return DATES
    return (*NUMERIC, *TEMPERATURES) if is_temperature(variable.name) else NUMERIC


def standardised(
    variable: NumericVariable, standardiser: Standardiser, values: FloatArray
) -> FloatArray:
    """Return values on their scale, far below if they have no logarithm."""
    found = variable.forward(values)
    y = (found - standardiser.center) / standardiser.spread
    y = np.where(np.isnan(found) & ~np.isnan(values), -FARTHEST, y)
    return np.clip(y, -FARTHEST, FARTHEST)


def log_null(
    variable: NumericVariable,
    standardiser: Standardiser,
    null: NullDensity,
    y: FloatArray,
    predicted: FloatArray,
) -> FloatArray:
    """Return the log-densities of honest values y given predictions, both standardised."""
    scale = _scale(variable, standardiser, null, predicted)
    return null.log_density(y - predicted, scale)


def _scale(
    variable: NumericVariable, standardiser: Standardiser, null: NullDensity, predicted: FloatArray
) -> FloatArray:
    """Return the scale of honest residuals, which is at least that of rounding."""
    floor = variable.floor(standardiser.center + standardiser.spread * predicted)
    return null.scale(predicted, floor / standardiser.spread)


def assess_numbers(
    variable: NumericVariable,
    X: FloatArray,
    trusted: BoolArray,
    folds: IntArray,
    seed: int,
    standardiser: Standardiser | None = None,
) -> NumericCells:
    """Assess each number of a column by the other columns.

    Parameters
    ----------
    variable : NumericVariable
    X : array of shape (n, p)
        Features of the other columns.
    trusted : bool array of shape (n,)
        Rows that a fit may use.
    folds : int array of shape (n,)
    seed : int
    standardiser : Standardiser, optional
        That of the whole column, if the variable is a part of its rows.
    """
    standardiser = standardiser or standardiser_of(variable)
    y = standardised(variable, standardiser, variable.values)
    known = ~np.isnan(y) & trusted
    within, weights = np.quantile(y[known], [INSIDE, 1 - INSIDE]), prior_log_weights(variable)

    def fit(kept: BoolArray) -> NumericCells:
        predictor = NumericPredictor(X, np.clip(y, -FAR_OUT, FAR_OUT), kept, folds, seed)
        predicted = predictor.predictions
        null, likelihood = _fit_null(variable, standardiser, y, predicted, known)
        parts = (variable, standardiser, null)
        odds = _log_odds(*parts, variable.values, predicted, weights)
        ends = (float(within[0]), float(within[1]))
        return NumericCells(*parts, predictor, *odds, ends, weights, likelihood)

    # Far residuals of a fit to all rows may be what spoils it: a fit without them may be better.
    fitted = known & (np.abs(np.nan_to_num(y)) < FARTHEST)
    best = fit(fitted)
    for select in (NumericCells.is_near, NumericCells.is_right):
        kept = known & select(best)
        if best.pull(fitted ^ kept) < LITTLE_PULL or kept.sum() < 0.5 * known.sum():
            continue
        other = fit(kept)
        if other.log_likelihood > best.log_likelihood:
            best, fitted = other, kept
    return best


def _fit_null(
    variable: NumericVariable,
    standardiser: Standardiser,
    y: FloatArray,
    predicted: FloatArray,
    known: BoolArray,
) -> tuple[NullDensity, float]:
    """Return the density of honest residuals, and the log-likelihood of all.

    Many wrong cells make a long tail, which would excuse them. The density without them counts if
    the column is likelier under it.
    """
    values, residuals, at = variable.values[known], (y - predicted)[known], predicted[known]
    best, highest = fit_null_density(residuals, at), -np.inf
    null = best
    for turn in range(NULL_ROUNDS):
        scale = _scale(variable, standardiser, null, at)
        far = np.flatnonzero(np.abs(residuals) > null.edge(residuals) * scale)
        ratios = _log_ratios(variable, standardiser, null, values[far], at[far])
        explained, gain = _explained(ratios, prior_log_weights(variable), len(values))
        likelihood = gain + float(null.log_density(residuals, scale).sum())
        if likelihood > highest:
            best, highest = null, likelihood
        weights = np.ones(len(values))
        weights[far] -= explained
        censored = CENSORED if turn < NULL_ROUNDS // 2 else LITTLE
        null = fit_null_density(residuals, at, weights, censored)
    return best, highest


def _explained(ratios: FloatArray, log_weights: FloatArray, n: int) -> tuple[FloatArray, float]:
    """Return the probability that each far cell is wrong, and the gain in log-likelihood.

    The parts of all mistakes in the column maximise their posterior by the EM algorithm.
    """
    prior = PRIOR_PART * np.exp(log_weights - logsumexp(log_weights))
    parts = prior
    for _ in range(PART_ROUNDS):
        joint = ratios + np.log(parts)[:, None]
        right = np.log1p(-min(parts.sum(), 0.5))
        wrong = logsumexp(joint, axis=0)
        total = np.logaddexp(right, wrong)
        counts = np.exp(joint - total).sum(axis=1)
        parts = (counts + PRIOR_ROWS * prior) / (n + PRIOR_ROWS)
    return np.exp(wrong - total), float(total.sum() + right * (n - len(total)))


def _log_odds(
    variable: NumericVariable,
    standardiser: Standardiser,
    null: NullDensity,
    values: FloatArray,
    predicted: FloatArray,
    log_weights: FloatArray,
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the log-odds of wrong against right densities, the likeliest mistake, its share."""
    found, mistake, share = np.empty(len(values)), np.empty(len(values), int), np.empty(len(values))
    for start in range(0, len(values), BLOCK):  # blocks stay in the cache
        own = slice(start, start + BLOCK)
        ratios = _log_ratios(variable, standardiser, null, values[own], predicted[own])
        found[own], mistake[own], share[own] = weighted_log_odds(ratios, log_weights)
    found[np.isnan(values)] = -np.inf
    return found, mistake, share


def weighted_log_odds(
    ratios: FloatArray, log_weights: FloatArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    """Return the log-odds of ratios (k, m) with weights, the likeliest mistake, its share."""
    wrong = ratios + log_weights[:, None]
    mistake, largest = wrong.argmax(axis=0), wrong.max(axis=0)
    excess = np.log(np.exp(wrong - np.where(np.isfinite(largest), largest, 0.0)).sum(axis=0))
    return largest + excess, mistake - 1, np.exp(-excess)


def _log_ratios(
    variable: NumericVariable,
    standardiser: Standardiser,
    null: NullDensity,
    values: FloatArray,
    predicted: FloatArray,
) -> FloatArray:
    """Return the log-densities of any other value and of each mistake over that of a right one.

    A mistake explains nothing if it changes a number by less than right values differ.
    """
    y = standardised(variable, standardiser, values)
    scale = _scale(variable, standardiser, null, predicted)
    own, width = [_log_marginal(y)], null.edges.sum() * scale
    for mistake in mistakes_of(variable):
        undone = mistake.undo(values)
        right = standardised(variable, standardiser, undone)
        density = null.log_density(right - predicted, scale)
        little = np.abs(right - y) <= width
        density[little | (np.abs(undone - values) <= variable.resolution)] = -np.inf
        own.append(density + _log_stretch(variable, mistake, values, undone))
    return np.stack(own) - null.log_density(y - predicted, scale)


def prior_log_weights(variable: NumericVariable) -> FloatArray:
    """Return the logarithms of the a priori weights of any other value, and of each mistake."""
    return np.log([OTHER_PRIOR, *(mistake.prior for mistake in mistakes_of(variable))])


def _log_stretch(
    variable: NumericVariable, mistake: Mistake, values: FloatArray, undone: FloatArray
) -> FloatArray:
    """Return the logarithm of how much undoing a mistake stretches, on the scale of predictions.

    A decimal point that slips keeps the digits: 145 becomes 14.5, which is finer than a column of
    whole numbers is, and 30 becomes 3, of which there may be many.
    """
    ends = mistake.undo(np.array([0.0, 1.0]))
    with np.errstate(divide="ignore", invalid="ignore"):
        scales = variable.slope(undone) / variable.slope(values)
        found = np.log(np.abs(ends[1] - ends[0])) + np.log(scales)
    if mistake.keeps_digits:
        found += variable.log_written(undone) - variable.log_written(values)
    return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)


def _log_marginal(y: FloatArray) -> FloatArray:
    """Return the log-density of any value: a wide Student distribution about the median."""
    return -np.log(np.pi * 3.0) - np.log1p((np.nan_to_num(y) / 3.0) ** 2)
