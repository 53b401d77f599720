"""Wrong cells by row, for the assessment of rows and for the reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..cells import CellFinding
from .findings import FLAG_SCORE

# Odds of a wrong cell, in powers of ten, that double the score of its row.
DECADES = 4.0
MOST_DECADES = 12.0


class WrongCells(NamedTuple):
    """The wrong cells of assessed rows.

    Attributes
    ----------
    by_row : mapping of int to list of CellFinding
        Cells but the target's, of each assessed row that has any.
    targets : mapping of int to CellFinding
        Wrong targets.
    scores : array of shape (n,)
        Score of the most probable wrong cell of each row, in robust deviations.
    """

    by_row: Mapping[int, list[CellFinding]]
    targets: Mapping[int, CellFinding]
    scores: FloatArray

    @property
    def feature_outlier(self) -> BoolArray:
        """Which rows have a wrong cell that is not the target."""
        found = np.zeros(len(self.scores), dtype=bool)
        found[list(self.by_row)] = True
        return found

    def none(self) -> WrongCells:
        """Return that no cell is wrong."""
        return WrongCells({}, {}, np.zeros(len(self.scores)))


def cells_by_row(
    findings: Sequence[CellFinding], rows: IntArray, n_rows: int, target: int = -1
) -> WrongCells:
    """Return wrong cells by assessed row.

    Parameters
    ----------
    findings : sequence of CellFinding
    rows : int array
        Positions in the table of the assessed rows.
    n_rows : int
        Number of rows of the table.
    target : int
        Position of the target among the columns, -1 for none.
    """
    place = np.full(n_rows, -1, dtype=np.intp)
    place[rows] = np.arange(len(rows))
    by_row: dict[int, list[CellFinding]] = {}
    targets, scores = dict[int, CellFinding](), np.zeros(len(rows))
    for found in findings:
        row = int(place[found.row])
        if row < 0:
            continue
        scores[row] = max(scores[row], float(score_of(found.probability)))
        if found.column == target:
            targets[row] = found
        else:
            by_row.setdefault(row, []).append(found)
    return WrongCells(by_row, targets, scores)


def score_of(probability: FloatArray | float) -> FloatArray:
    """Return scores on the scale of robust deviations.

    Examples
    --------
    >>> import numpy as np
    >>> score_of(np.array([0.01, 0.5, 0.9999])).round(2)
    array([ 2.51,  5.  , 10.  ])
    """
    probability, least = np.asarray(probability, float), 10.0**-MOST_DECADES
    right = np.maximum(1.0 - probability, least)
    odds = np.log10(np.maximum(probability, least)) - np.log10(right)
    return np.asarray(FLAG_SCORE * np.maximum(1.0 + odds / DECADES, 0.0))
