"""A cell that is probably wrong."""

from collections.abc import Iterable
from typing import NamedTuple


class CellFinding(NamedTuple):
    """A cell that is probably wrong.

    Attributes
    ----------
    row, column : int
        Positions in the table.
    probability : float
        Probability that the cell is wrong.
    kind : str
        Kind of mistake, such as "typo" or "sign".
    expected : float or str or None
        What the cell should hold: a number (days since 1970 for a date), a level, or None if
        nothing in particular.
    reason : str
        One sentence for people.
    certain : bool
        Whether what is expected is known well enough to take the place of the cell.
    partner : int or None
        A row that is equal but for this cell: one of both is wrong.
    """

    row: int
    column: int
    probability: float
    kind: str
    expected: float | str | None
    reason: str
    certain: bool = True
    partner: int | None = None


def best_of_each_cell(findings: Iterable[CellFinding]) -> list[CellFinding]:
    """Return the most probable finding of each cell."""
    best: dict[tuple[int, int], CellFinding] = {}
    for found in findings:
        place = found.row, found.column
        if place not in best or found.probability > best[place].probability:
            best[place] = found
    return list(best.values())
