r"""The posterior probability that a number is wrong, given the other cells of its row.

With :math:`f_0` the density of right values (:mod:`.cell_density`), :math:`g` that of the
column's values whatever the row, and mistakes :math:`T_k` of a priori odds :math:`\pi_k`,

.. math:: \frac{P(\text{wrong})}{P(\text{right})} = \frac{\pi\, \big(\pi_0\, g(x)
          + \sum_k \pi_k\, f_0(T_k^{-1} x \mid \text{others})\, |dT_k^{-1}x / dx|\big)}
          {(1 - \pi)\, f_0(x \mid \text{others})} .

The share :math:`\pi` of wrong cells and the odds of mistakes are learnt from the whole table
(:mod:`.table_posterior`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .cell_density import (
    FARTHEST,
    CellDensity,
    prior_log_weights,
    undo_mistakes,
    weighted_log_odds,
)
from .column_mixture import fit_density
from .features import ColumnFeatures
from .prediction import NumericPredictor
from .standardiser import Standardiser
from .variables import NumericVariable

# Fits use bounded standardised values, so that gross errors have little influence on them.
FAR_OUT = 20.0
# Scales within which a number is near its prediction.
NEAR = 4.0
# Residuals that move a fit by fewer scales are not worth another one.
LITTLE_PULL = 0.02
# Quantile at either end of the range of usual values.
INSIDE = 0.005
# Log-odds of a wrong cell before anything is known.
PRIOR_LOG_ODDS = float(np.log(0.005))


@final
@dataclass(frozen=True)
class NumericCells:
    """Predictions of each number of a column from the other cells.

    Attributes
    ----------
    density : CellDensity
        Densities of right values and of mistakes, given predictions.
    predictor : NumericPredictor
    log_odds : array of shape (n,)
        Log-ratio of wrong and right densities, without the share of wrong cells; -inf if missing.
    mistake : int array of shape (n,)
        The likeliest mistake, -1 for any other value.
    share : array of shape (n,)
        Its probability among all mistakes.
    range : pair of float
        Within which nearly all standardised values lie.
    log_weights : array of shape (k,)
        Logarithms of the weights of any other value, and of each mistake.
    log_likelihood : float
        Log-likelihood of the numbers, right or wrong.
    count : array of shape (n,)
        How many numbers each stands for: of many usual ones only some are assessed. The others
        have zero, and the mean odds of these.
    """

    density: CellDensity
    predictor: NumericPredictor
    log_odds: FloatArray
    mistake: IntArray
    share: FloatArray
    range: tuple[float, float]
    log_weights: FloatArray
    log_likelihood: float
    count: FloatArray

    @property
    def variable(self) -> NumericVariable:
        """The column."""
        return self.density.variable

    def distances(self) -> FloatArray:
        """Return how many scales numbers are from their predictions."""
        predicted = self.predictor.predictions
        y = self.density.standardised(self.variable.values)
        return np.minimum(np.abs(y - predicted), FAR_OUT) / self.density.scale(predicted)

    def is_near(self) -> BoolArray:
        """Return which numbers lie within a few scales of their prediction."""
        return self.distances() <= NEAR

    def is_right(self) -> BoolArray:
        """Return which numbers are more probably right than wrong."""
        return self.log_odds + PRIOR_LOG_ODDS < 0

    def pull(self, rows: BoolArray) -> float:
        """Return by how many scales a fit with or without some rows would move on average."""
        return float(self.distances()[rows].sum()) / len(rows)

    def counted(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return the log-odds of numbers that stand for any, for how many, and their rows."""
        rows = np.flatnonzero((self.count > 0) & (self.log_odds > -np.inf))
        return self.log_odds[rows], self.count[rows], rows

    def log_ratios(self, rows: IntArray) -> FloatArray:
        """Return the log-densities of mistakes over that of a right value, (k, m) for m rows."""
        undone = self.density.undone(self.variable.values[rows])
        return self.density.log_ratios(undone, self.predictor.predictions[rows])

    def with_weights(
        self, log_weights: FloatArray, rows: IntArray, ratios: FloatArray
    ) -> NumericCells:
        """Return the cells with other weights of mistakes, of which only given rows have any.

        The log-densities of these are those of `log_ratios`.
        """
        new = weighted_log_odds(ratios, log_weights)
        log_odds, mistake, share = self.log_odds.copy(), self.mistake.copy(), self.share.copy()
        log_odds[rows], mistake[rows], share[rows] = new
        _represent(log_odds, self.count)
        return replace(
            self, log_odds=log_odds, mistake=mistake, share=share, log_weights=log_weights
        )

    def extended(
        self, variable: NumericVariable, X: ColumnFeatures, folds: IntArray, learnt: IntArray
    ) -> NumericCells:
        """Return the cells of more rows, by what was learnt from these.

        Numbers that are usual, and written as most are, have low odds whatever the mistake. Only
        those of the rows learnt from are assessed, and stand for all of them.
        """
        density = replace(self.density, variable=variable)
        y = density.standardised(variable.values)
        predictor = self.predictor.extended(
            X, folds, learnt, lambda predicted, moved: density.is_usual(y, predicted, moved)
        )
        usual = density.is_usual(y, predictor.predictions) & variable.is_written()
        count = _counts(usual, learnt)
        log_odds, mistake, share = np.full(len(y), -np.inf), np.full(len(y), -1), np.ones(len(y))
        log_odds[usual] = 0.0
        asked = (count > 0) & ~variable.missing
        asked[learnt] = False
        rows = np.flatnonzero(asked)
        log_odds[rows], mistake[rows], share[rows] = density.log_odds(
            variable.values[rows], predictor.predictions[rows], self.log_weights
        )
        log_odds[learnt], mistake[learnt], share[learnt] = self.log_odds, self.mistake, self.share
        _represent(log_odds, count)
        known = (self.range, self.log_weights, self.log_likelihood, count)
        return NumericCells(density, predictor, log_odds, mistake, share, *known)


def _counts(usual: BoolArray, some: IntArray) -> FloatArray:
    """Return how many numbers each stands for, if of the usual ones only some count."""
    chosen = np.zeros(len(usual), dtype=bool)
    chosen[some] = usual[some]
    if not chosen.any():
        return np.ones(len(usual))
    found = np.where(usual, 0.0, 1.0)
    found[chosen] = usual.sum() / chosen.sum()
    return found


def _represent(log_odds: FloatArray, count: FloatArray) -> None:
    """Give numbers that do not count the mean odds of those that stand for them."""
    others = (count == 0) & np.isfinite(log_odds)
    if others.any():
        odds = log_odds[count > 1]
        log_odds[others] = np.log(np.exp(odds[np.isfinite(odds)]).mean())


def assess_numbers(
    variable: NumericVariable,
    X: FloatArray,
    trusted: BoolArray,
    folds: IntArray,
    seed: int,
    standardiser: Standardiser,
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
    standardiser : Standardiser
        Standardiser of the whole column, of which the variable may be a part of the rows.
    """
    undone = undo_mistakes(variable, standardiser, variable.values)
    y = undone.y
    known = ~np.isnan(y) & trusted
    within, weights = np.quantile(y[known], [INSIDE, 1 - INSIDE]), prior_log_weights(variable)

    def fit(kept: BoolArray) -> NumericCells:
        predictor = NumericPredictor(X, np.clip(y, -FAR_OUT, FAR_OUT), kept, folds, seed)
        predicted = predictor.predictions
        density, likelihood = fit_density(variable, standardiser, predicted, known, undone)
        odds = density.log_odds(variable.values, predicted, weights, undone)
        ends = (float(within[0]), float(within[1]))
        return NumericCells(density, predictor, *odds, ends, weights, likelihood, np.ones(len(y)))

    # Large residuals may be caused by leverage points in the fit: one without them may be better.
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
