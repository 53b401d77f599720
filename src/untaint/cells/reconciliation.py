r"""Which cell of a row is wrong, if it makes others look wrong.

A wrong cell is among the features that its neighbours in the row are predicted from. For every
flagged cell t of a row and every other cell k, t is predicted again with k replaced by its
prediction. The gain of attributing the error to k is the log-odds of k itself plus the decrease of
those of the flagged cells,

.. math:: G_k = L_k + \sum_{t \ne k} \big(L_t - L_t^{(k)}\big), \qquad t \text{ flagged} .

The cell of the largest gain is wrong, and the others are assessed again with it replaced. Two
numbers may stand in each other's place: then both become usual by an exchange.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from .._progress import tracked
from .._typing import FloatArray, IntArray
from .features import Features
from .level_cells import LevelCells
from .numeric_cells import NumericCells

AssessedCells = NumericCells | LevelCells
# Log-odds by which an exchange has to be likelier than both cells as they are.
WORTH_AN_EXCHANGE = 6.0
# Rows that are predicted at once.
MAX_PREDICTED = 50_000


@dataclass
class Reconciled:
    """Log-odds of wrong cells in suspicious rows, by row and position, and exchanged cells."""

    log_odds: dict[tuple[int, int], float] = field(default_factory=dict)
    exchanged: dict[tuple[int, int], int] = field(default_factory=dict)


@dataclass(frozen=True)
class ColumnModels:
    """All assessed columns, by position, with the features that each is predicted from."""

    cells: Mapping[int, AssessedCells]
    encoders: Mapping[int, Callable[[FloatArray], FloatArray]]  # of numbers as features
    features: Features
    predictors: Mapping[int, IntArray]  # features that a column is predicted from
    extra: Mapping[int, FloatArray]  # features of a column's own: neighbours, groups
    encoded: Mapping[int, IntArray]  # features that come from a column

    def expected_features(self, position: int, rows: IntArray) -> FloatArray:
        """Return the features of a column in rows with expected values in place of its own."""
        column = self.cells[position]
        if isinstance(column, NumericCells):
            usual = np.clip(column.predictor.predictions[rows], *column.range)
            return self.encoders[position](column.density.in_own_units(usual))[:, None]
        best = column.predicted[column.probabilities[rows].argmax(axis=1)]
        own = self.features.matrix[:, self.encoded[position]]
        codes = column.variable.codes
        found = np.empty((len(rows), own.shape[1]))
        for level in np.unique(best):  # any row of the level has its features
            found[best == level] = own[np.argmax(codes == level)]
        return found

    def predict(self, position: int, rows: IntArray, matrix: FloatArray) -> FloatArray:
        """Return predictions of a column's cells in rows with changed features."""
        own = matrix[:, self.predictors[position]]
        X = np.column_stack([own, self.extra[position][rows]])
        return self.cells[position].predictor.predict(X, rows)

    def again(self, position: int, rows: IntArray, matrix: FloatArray) -> FloatArray:
        """Return the log-odds of a column's cells in rows with changed features."""
        column, predicted = self.cells[position], self.predict(position, rows, matrix)
        if isinstance(column, LevelCells):
            return column.log_odds_of(rows, predicted)
        values = column.variable.values[rows]
        return column.density.log_odds(values, predicted, column.log_weights)[0]


def reconcile(models: ColumnModels, flagged: Mapping[int, list[int]]) -> Reconciled:
    """Return which cells of suspicious rows are wrong.

    Parameters
    ----------
    models : ColumnModels
    flagged : mapping of int to list of int
        Positions of the flagged cells of each row.
    """
    result = Reconciled()
    now = {
        (row, t): float(models.cells[t].log_odds[row]) for row, own in flagged.items() for t in own
    }
    after = _after_replacement(models, flagged)
    for row, own in flagged.items():
        odds, gains = {k: float(column.log_odds[row]) for k, column in models.cells.items()}, {}
        for k in odds:
            if np.isfinite(odds[k]):
                others = (now[row, t] - after.get((row, k, t), now[row, t]) for t in own if t != k)
                gains[k] = odds[k] + sum(others)
        wrong = max(gains, key=lambda k: gains[k])
        result.log_odds[row, wrong] = max(gains[wrong] / max(len(own), 1), odds[wrong])
        for t in own:
            if t != wrong:
                result.log_odds[row, t] = min(now[row, t], after.get((row, wrong, t), np.inf))
    _exchange(models, flagged, result)
    return result


def _after_replacement(
    models: ColumnModels, flagged: Mapping[int, list[int]]
) -> dict[tuple[int, int, int], float]:
    """Return the log-odds of each flagged cell (row, t) with cell k of its row replaced."""
    found: dict[tuple[int, int, int], float] = {}
    positions = {position for own in flagged.values() for position in own}
    for t in tracked(positions, len(positions)):
        rows = np.array([row for row, own in flagged.items() if t in own])
        near = set(models.features.sources[models.predictors[t]].tolist())
        others = [k for k in models.cells if k != t and k in near]
        if not others:
            continue
        for part in np.array_split(rows, int(np.ceil(len(rows) * len(others) / MAX_PREDICTED))):
            changed = np.tile(models.features.matrix[part], (len(others), 1, 1))
            for place, k in enumerate(others):
                changed[place][:, models.encoded[k]] = models.expected_features(k, part)
            matrix = changed.reshape(-1, changed.shape[-1])
            odds = models.again(t, np.tile(part, len(others)), matrix)
            places = ((int(row), k, t) for k in others for row in part)
            found |= dict(zip(places, odds.tolist(), strict=True))
    return found


def _exchange(models: ColumnModels, flagged: Mapping[int, list[int]], result: Reconciled) -> None:
    """Note pairs of numbers that stand in each other's place."""
    numeric = {k: own for k, own in models.cells.items() if isinstance(own, NumericCells)}
    best: dict[int, tuple[float, int, int]] = {}
    pairs = [(row, t, k) for row, own in flagged.items() for t in own for k in numeric if k != t]
    pairs = [(row, t, k) for row, t, k in pairs if t in numeric and _fits(numeric, row, t, k)]
    # Any of these pairs might have been exchanged.
    price = np.log(max(len(numeric) * (len(numeric) - 1) / 2, 1))
    gains = _gains_of_exchange(models, numeric, pairs) - price
    for (row, t, k), gain in zip(pairs, gains, strict=True):
        if gain > max(WORTH_AN_EXCHANGE, best.get(row, (-np.inf, 0, 0))[0]):
            best[row] = (float(gain), t, k)
    for row, (gain, t, k) in best.items():
        result.exchanged[row, t], result.exchanged[row, k] = k, t
        for other in flagged[row]:
            result.log_odds[row, other] = -np.inf
        result.log_odds[row, t] = result.log_odds[row, k] = gain


def _fits(numeric: Mapping[int, NumericCells], row: int, t: int, k: int) -> bool:
    """Return whether the cell k of a row would be closer to what is expected at t."""
    cells, other = numeric[t], numeric[k].variable.values[row]
    here, there = cells.variable.values[row], np.array([other])
    if np.isnan(here) or np.isnan(other) or here == other:
        return False
    y = cells.density.standardised(there)[0]
    predicted = cells.predictor.predictions[row]
    own = cells.density.standardised(np.array([here]))[0]
    return bool(abs(y - predicted) < 0.5 * abs(own - predicted))


def _gains_of_exchange(
    models: ColumnModels, numeric: Mapping[int, NumericCells], pairs: list[tuple[int, int, int]]
) -> FloatArray:
    """Return by how much likelier an exchange makes both cells; -inf if one is not usual then."""
    rows = np.array([row for row, _, _ in pairs], dtype=np.intp)
    matrix = models.features.matrix[rows].copy()
    for place, (row, t, k) in enumerate(pairs):
        for at, of in ((t, k), (k, t)):
            value = numeric[of].variable.values[[row]]
            matrix[place, models.encoded[at]] = models.encoders[at](value)
    gains, possible = np.zeros(len(pairs)), np.ones(len(pairs), dtype=bool)
    for side in (0, 1):
        here = np.array([pair[1 + side] for pair in pairs])
        there = np.array([pair[2 - side] for pair in pairs])
        for position in np.unique(here):
            places, cells = np.flatnonzero(here == position), numeric[position]
            predicted = models.predict(position, rows[places], matrix[places])
            new = np.array([numeric[there[p]].variable.values[rows[p]] for p in places])
            before = cells.predictor.predictions[rows[places]]
            gains[places] += cells.density.log_null(new, predicted)
            gains[places] -= cells.density.log_null(cells.variable.values[rows[places]], before)
            y = cells.density.standardised(new)
            possible[places] &= cells.density.is_usual(y, predicted)
    return np.where(possible, gains, -np.inf)
