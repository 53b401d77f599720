"""Rows whose cells are shifted by one column.

A cell does not fit its column if it is text in a column of numbers or dates, or a number in a
column of words (at least 98 % of whose rows have no digit). It fits a neighbouring column if it is
one of the levels that this has in other rows, or a number within the range of its other values.
A row is shifted if at least two of its cells do not fit their own column, and all of these fit the
next one on the same side. The cells from the first of them to the last are reported.
"""

from collections.abc import Sequence

import numpy as np

from ..._typing import BoolArray, IntArray
from ...io.arrow import arrow
from ...io.columns.column import Column
from ...io.columns.levels import Levels, as_bool
from ..finding import CellFinding
from .texts import unreadable
from .wording import quoted

FEWEST = 20
MIN_CELLS = 2
MAX_SHARE = 0.02
_WORDS = ("category", "text")
_NUMBER = r"^[-+]?\d+([.,]\d+)?$"


def find_shifted(columns: Sequence[Column]) -> list[CellFinding]:
    """Find rows whose cells are shifted by one column.

    Examples
    --------
    >>> import pandas
    >>> from untaint.cells.checks.shifted import find_shifted
    >>> from untaint.io.columns.read import read_columns
    >>> from untaint.io.frame import frame_table
    >>> rows = [(str(i * i % 31), "male" if i % 3 else "female") for i in range(60)]
    >>> rows[7] = "male", "18"
    >>> columns = read_columns(frame_table(pandas.DataFrame(rows, columns=["age", "sex"])))
    >>> [(finding.row, finding.column) for finding in find_shifted(columns)]
    [(7, 0), (7, 1)]
    """
    if not columns or len(columns[0].missing) < FEWEST:
        return []
    odd: dict[int, list[int]] = {}
    for j, column in enumerate(columns):
        for row in _odd_rows(column):
            odd.setdefault(int(row), []).append(j)
    found = []
    for row, own in sorted(odd.items()):
        if len(own) < MIN_CELLS:
            continue
        if any(all(_fits(columns, row, j, j + step) for j in own) for step in (1, -1)) or (
            len(own) == MIN_CELLS and own[1] == own[0] + 1 and _exchanged(columns, row, *own)
        ):
            found += _findings(columns, row, own)
    return found


def _odd_rows(column: Column) -> IntArray:
    """Return the rows whose cells do not fit a column, if they are few."""
    if column.kind in ("number", "date"):
        odd = unreadable(column)
    elif column.kind in _WORDS and column.levels is not None:
        odd = column.levels.spread(_numeric_levels(column.levels), False)
    else:
        return np.empty(0, np.intp)
    rows = np.flatnonzero(odd)
    return rows if len(rows) <= max(1, MAX_SHARE * len(odd)) else rows[:0]


def _numeric_levels(levels: Levels) -> BoolArray:
    """Return which levels are numbers, none of them if others have digits."""
    pc = arrow("compute")
    numeric = as_bool(pc.match_substring_regex(levels.texts, _NUMBER)) & levels.present
    digits = as_bool(pc.match_substring_regex(levels.texts, r"\d")) & levels.present
    if levels.fraction(digits) > MAX_SHARE:
        return np.zeros(len(numeric), bool)
    return numeric


def _exchanged(columns: Sequence[Column], row: int, left: int, right: int) -> bool:
    return _fits(columns, row, left, right) and _fits(columns, row, right, left)


def _fits(columns: Sequence[Column], row: int, j: int, k: int) -> bool:
    """Return whether a cell of column j would be usual in column k."""
    if not 0 <= k < len(columns):
        return False
    levels, other = columns[j].levels, columns[k]
    assert levels is not None
    code = int(levels.codes[row])
    text = str(levels.texts[code])
    if other.kind in _WORDS and other.levels is not None:
        same = np.flatnonzero(np.asarray(other.levels.texts.to_pylist(), object) == text)
        return bool(len(same)) and int(other.levels.counts[same[0]]) >= MIN_CELLS
    if other.kind == "number" and other.values is not None:
        value = _as_number(text)
        return value is not None and bool(
            np.nanmin(other.values) <= value <= np.nanmax(other.values)
        )
    return False


def _as_number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _findings(columns: Sequence[Column], row: int, own: Sequence[int]) -> list[CellFinding]:
    names = f"{quoted(columns[own[0]].name)} to {quoted(columns[own[-1]].name)}"
    reason = f"The cells from {names} look shifted by one column: {len(own)} of them fit the next."
    return [
        CellFinding(row, j, 0.95, "shifted", None, reason)
        for j in range(own[0], own[-1] + 1)
        if not columns[j].missing[row] or j in own
    ]
