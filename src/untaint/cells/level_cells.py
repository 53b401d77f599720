r"""The posterior probability that a level is wrong, given the other cells of its row.

With :math:`p_y` the probability of the observed level by fits without the row, and :math:`q_y` its
share of the column,

.. math:: \frac{P(\text{wrong})}{P(\text{right})} = \frac{\pi\, q_y}{(1 - \pi)\, p_y} .

Probabilities are calibrated: they have the slope at which the levels are likeliest, and the shares
of the levels are mixed in with a weight :math:`\lambda`. If this weight is large, the column has
many exceptions, which are then right; if it is about a hundredth, half of the exceptions are right,
and if it is less, most of them are mistakes: with :math:`\hat\lambda` the likeliest weight, that of
right exceptions is :math:`\hat\lambda^2 / (\hat\lambda + 0.02)`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..contamination.label_calibration import calibrated, with_slope
from .features import ColumnFeatures
from .prediction import LevelPredictor
from .variables import CategoricalVariable

# Weight of exceptions half of which are right, and the least weight of right ones.
HALF, LEAST = 0.02, 5e-4
ROUNDS = 30
# A forest of so few trees has probabilities of zero that are not: shares have this weight at first.
SMOOTH = 0.01


@final
@dataclass(frozen=True)
class LevelCells:
    """Predictions of each level of a column from the other cells.

    Attributes
    ----------
    variable : CategoricalVariable
    predictor : LevelPredictor
    predicted : int array
        Levels that are predicted.
    probabilities : array of shape (n, k)
        Probabilities of these levels.
    log_odds : array of shape (n,)
        -inf if the level is missing or rare.
    """

    variable: CategoricalVariable
    predictor: LevelPredictor
    predicted: IntArray
    probabilities: FloatArray
    log_odds: FloatArray
    shares: FloatArray
    exceptions: float
    slope: float

    def counted(self) -> tuple[FloatArray, FloatArray]:
        """Return the log-odds of levels that are assessed, and for how many each stands: one."""
        known = self.log_odds[np.isfinite(self.log_odds)]
        return known, np.ones(len(known))

    def log_odds_of(self, rows: IntArray, probabilities: FloatArray) -> FloatArray:
        """Return log-odds of given rows under other probabilities."""
        codes = _codes(self.variable, self.predicted)[rows]
        found = (1 - self.exceptions) * probabilities + self.exceptions * self.shares
        return _log_odds(found, codes, self.shares)

    def extended(
        self, variable: CategoricalVariable, X: ColumnFeatures, folds: IntArray
    ) -> LevelCells:
        """Return the cells of more rows, by what was learnt from these."""
        predictor = self.predictor.extended(X, folds)
        smooth = (1 - SMOOTH) * predictor.probabilities + SMOOTH * self.shares
        fitted = with_slope(smooth, self.slope)
        found = (1 - self.exceptions) * fitted + self.exceptions * self.shares
        codes = _codes(variable, self.predicted)
        log_odds = np.where(codes >= 0, _log_odds(found, codes, self.shares), -np.inf)
        return replace(
            self, variable=variable, predictor=predictor, probabilities=found, log_odds=log_odds
        )


def assess_levels(
    variable: CategoricalVariable,
    X: FloatArray,
    trusted: BoolArray,
    folds: IntArray,
    seed: int,
) -> LevelCells:
    """Assess each level of a column by the other columns.

    Parameters are those of :func:`untaint.cells.numeric_cells.assess_numbers`.
    """
    predicted = variable.frequent
    codes = _codes(variable, predicted)
    known = codes >= 0
    predictor = LevelPredictor(X, codes, len(predicted), known & trusted, folds, seed)
    shares = np.bincount(codes[known], minlength=len(predicted)) / known.sum()
    smooth = (1 - SMOOTH) * predictor.probabilities + SMOOTH * shares
    fitted = calibrated(smooth, np.maximum(codes, 0), np.eye(len(predicted)), known.astype(float))
    exceptions = _honest_exceptions(fitted.probabilities[known], codes[known], shares)
    found = (1 - exceptions) * fitted.probabilities + exceptions * shares
    log_odds = np.where(known, _log_odds(found, codes, shares), -np.inf)
    parts = (predicted, found, log_odds, shares, exceptions, fitted.slope)
    return LevelCells(variable, predictor, *parts)


def _honest_exceptions(probabilities: FloatArray, codes: IntArray, shares: FloatArray) -> float:
    """Return the weight of the shares of levels among inlier cells, by the EM algorithm."""
    own, other = probabilities[np.arange(len(codes)), codes], shares[codes]
    weight = HALF
    for _ in range(ROUNDS):
        mixed = weight * other
        weight = float(np.mean(mixed / (mixed + (1 - weight) * own)))
    return max(weight**2 / (weight + HALF), LEAST)


def _codes(variable: CategoricalVariable, predicted: IntArray) -> IntArray:
    place = np.full(len(variable.levels) + 1, -1, dtype=np.intp)
    place[predicted] = np.arange(len(predicted))
    return place[variable.codes]


def _log_odds(probabilities: FloatArray, codes: IntArray, shares: FloatArray) -> FloatArray:
    own = np.maximum(codes, 0)
    return np.log(shares[own]) - np.log(probabilities[np.arange(len(own)), own])
