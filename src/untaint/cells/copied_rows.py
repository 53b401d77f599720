r"""Which of two copies of a row is wrong, if they disagree in one cell.

The other columns, which are the same, predict what both should hold. With :math:`f_0` the density
of right values given these, the cell x of one row and y of the other have

.. math:: P(x \text{ is wrong}) = \frac{f_0(y)}{f_0(x) + f_0(y)} .
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from .finding import CellFinding
from .level_cells import LevelCells
from .numeric_cells import NumericCells
from .reconciliation import ColumnModels

# Two rows of different things may be equal in all other columns all the same.
MOST_PROBABLE = 0.97


def decide_copies(models: ColumnModels, copies: Sequence[CellFinding]) -> list[CellFinding]:
    """Return pairs of copies with the probability that each is the wrong one.

    Parameters
    ----------
    models : ColumnModels
        Fitted without the cells in question.
    copies : sequence of CellFinding
        Findings of copied cells, which have partners.
    """
    expected = {(found.row, found.column): found.expected for found in copies}
    decided = []
    for found in copies:
        column = models.cells.get(found.column)
        own = expected.get((found.partner or 0, found.column))
        if column is None or own is None or found.expected is None:
            decided.append(found)
            continue
        rows = [found.row, found.partner or 0]
        if isinstance(column, NumericCells):
            odds = _of_numbers(column, rows, float(own), float(found.expected))
        else:
            odds = _of_levels(column, rows, str(own), str(found.expected))
        decided.append(found._replace(probability=MOST_PROBABLE * float(expit(odds))))
    return decided


def _of_numbers(column: NumericCells, rows: Sequence[int], own: float, other: float) -> float:
    """Return the log-odds that ``own`` is wrong and not ``other``."""
    predicted = column.predictor.predictions[rows]
    both = [column.density.log_null(np.full(len(rows), value), predicted) for value in (other, own)]
    return float(np.mean(both[0] - both[1]))


def _of_levels(column: LevelCells, rows: Sequence[int], own: str, other: str) -> float:
    """Return the log-odds that ``own`` is wrong and not ``other``, 0 if one is rare."""
    levels = [column.variable.levels[code] for code in column.predicted]
    if own not in levels or other not in levels:
        return 0.0
    found = np.log(np.maximum(column.probabilities[rows], np.finfo(float).tiny))
    return float(np.mean(found[:, levels.index(other)] - found[:, levels.index(own)]))
