"""Findings with reasons in words."""

import numpy as np

from .finding import CellFinding
from .level_cells import LevelCells
from .mistakes import OTHER, Mistake
from .numeric_cells import NumericCells
from .variables import NumericVariable

# Smallest probability of a level that rows like it usually have, and of one that is certain.
USUALLY, CERTAIN = 0.5, 0.9
# A prediction is certain if 85 % of the numbers lie within this part of it, on either side.
NARROW = 0.1


def number_finding(
    cells: NumericCells,
    row: int,
    probability: float,
    mistake: Mistake | None,
    exchanged: NumericVariable | None = None,
) -> CellFinding:
    """Return the finding of a wrong number or date, by a mistake or any, or of an exchanged one."""
    variable, rows = cells.variable, np.array([row])
    value = float(variable.values[row])
    predicted = cells.predictor.predictions[rows]
    usual = float(cells.density.in_own_units(predicted)[0])
    low, high = (float(end[0]) for end in cells.density.bounds(predicted))
    kind, expected, hint = OTHER, usual, ""
    certain = max(high - usual, usual - low) <= NARROW * abs(usual)
    if exchanged is not None:
        kind, expected, certain = "swap", float(exchanged.values[row]), True
        hint = f"; it may have been exchanged with {exchanged.name}"
    elif mistake is not None:
        kind, expected = mistake.kind, float(mistake.undo(np.array([value]))[0])
        certain = True
        hint = f": {mistake.words}"
    reason = (
        f"{variable.name} is {write(value, variable)}, where rows like it have about "
        f"{write(usual, variable)} ({write(low, variable)} to {write(high, variable)}){hint}"
    )
    reason += "" if reason.endswith("?") else "."
    return CellFinding(row, variable.position, probability, kind, expected, reason, certain)


def level_finding(cells: LevelCells, row: int, probability: float) -> CellFinding:
    """Return the finding of a wrong level."""
    variable, own = cells.variable, cells.probabilities[row]
    level = variable.levels[variable.codes[row]]
    order = np.argsort(-own, kind="stable")
    best = [int(cells.predicted[place]) for place in order[:2]]
    expected = variable.levels[best[0] if best[0] != variable.codes[row] else best[1]]
    chance = float(own[order[0] if best[0] != variable.codes[row] else order[1]])
    how = f"usually have {expected!r}" if chance >= USUALLY else f"have {expected!r} more often"
    reason = f"{variable.name} is {level!r}, where rows like it {how}."
    certain = chance >= CERTAIN
    return CellFinding(row, variable.position, probability, "category", expected, reason, certain)


def write(value: float, variable: NumericVariable) -> str:
    """Return a number or a date as text."""
    if variable.kind == "date":
        if not np.isfinite(value) or abs(value) > 1e6:
            return "no date"
        return str(np.datetime64(round(value), "D"))
    return f"{value:.4g}" if abs(value) < 1e4 or abs(value) >= 1e9 else f"{value:,.0f}"
