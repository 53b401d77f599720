"""What the checks read: the cells of columns of numbers and of dates that have a value."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..._typing import BoolArray, FloatArray, IntArray
from ...io.columns.column import Column
from ...io.columns.identifiers import has_identifier_name
from ..finding import CellFinding

# Numbers that are names: their size says nothing.
_CODES = (
    "id|code|codes|zip|zipcode|postcode|phone|fips|sic|naics|isic|cusip|gvkey|case|subject|district"
)
_CODE_NAME = re.compile(rf"(?:^|[\W_])(?:{_CODES})(?:$|[\W_\d])|id$|^rownames$|^serial")


class Cells(NamedTuple):
    """Cells of a column that have a value.

    Attributes
    ----------
    position : int
        Position of the column in the table.
    name : str
    rows : int array of shape (n,)
    values : array of shape (n,)
    """

    position: int
    name: str
    rows: IntArray
    values: FloatArray

    def finding(
        self, i: int, probability: float, kind: str, expected: float | None, reason: str
    ) -> CellFinding:
        """Return that the i-th of these cells is wrong, and what it should hold."""
        value = None if expected is None else float(expected)
        return CellFinding(int(self.rows[i]), self.position, probability, kind, value, reason)


def names_code(name: str) -> bool:
    """Return whether a column's name says that its numbers are names, not sizes.

    Examples
    --------
    >>> from untaint.cells.checks.inputs import names_code
    >>> [names_code(name) for name in ("childid", "zip_code", "weight")]
    [True, True, False]
    """
    return has_identifier_name(name) or _CODE_NAME.search(name.lower()) is not None


def present_cells(columns: Sequence[Column], kind: str, fewest: int) -> Iterator[Cells]:
    """Yield the cells of columns of a kind that have at least so many values.

    Columns whose name says that they hold codes are left out.
    """
    for j, column in enumerate(columns):
        if column.kind != kind or column.values is None or names_code(column.name):
            continue
        rows = np.flatnonzero(~column.missing)
        if len(rows) >= fewest:
            yield Cells(j, column.name, rows, column.values[rows])


def runs(equal: BoolArray) -> tuple[IntArray, IntArray]:
    """Return starts and lengths of runs of at least two, given which are equal to the next."""
    edges = np.diff(np.concatenate([[False], equal, [False]]).astype(np.int8))
    starts = np.flatnonzero(edges == 1)
    return starts, np.flatnonzero(edges == -1) - starts + 1
