"""A cell that is probably wrong."""

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
