"""How well wrong cells are found: rows, cells, their kind and what they should hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from . import NAMES
from .columns import is_date


class Found(NamedTuple):
    """Rows that a method flags, and cells with columns row, column, expected and kind."""

    rows: set[int]
    cells: pd.DataFrame


class Score(NamedTuple):
    """What was found of planted mistakes.

    Rows: ``wrong`` have one, ``flagged`` are flagged and ``caught`` both. ``placed`` of the caught
    have a wrong cell named, ``named`` of these have the right kind, and ``right`` the true value,
    to 10 % (dates: a month; text: exactly). ``cells`` are all cells that are flagged.
    """

    wrong: int
    flagged: int
    caught: int
    cells: int
    placed: int
    named: int
    right: int


def score(found: Found, truth: pd.DataFrame) -> Score:
    """Count what was found of the truth, which :func:`.planting.plant` returns.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchmarks.data.planted.scores import Found, score
    >>> truth = pd.DataFrame(
    ...     [(3, "x", "feature_sign", 7.0)], columns="row column kind value".split()
    ... )
    >>> cells = pd.DataFrame([(3, "x", 7.2, "sign")], columns="row column expected kind".split())
    >>> score(Found({3, 5}, cells), truth)
    Score(wrong=1, flagged=2, caught=1, cells=1, placed=1, named=1, right=1)
    """
    mistakes = {(m.row, m.column): m for m in truth.itertuples()}
    wrong = {row for row, _ in mistakes}
    placed, named, right = set[int](), set[int](), set[int]()
    for cell in found.cells.itertuples():
        mistake = mistakes.get((cell.row, cell.column))
        if mistake is None:
            continue
        placed.add(cell.row)
        named |= {cell.row} if cell.kind in NAMES[mistake.kind] else set()
        right |= {cell.row} if _is_close(cell.expected, mistake.value) else set()
    rows = (wrong, found.rows, wrong & found.rows, found.cells, placed, named, right)
    return Score(*map(len, rows))


def _is_close(expected: Any, true: Any) -> bool:
    if is_missing(expected) or is_missing(true):
        return False
    if isinstance(true, int | float | np.number):
        try:
            return abs(float(expected) - float(true)) <= 0.1 * abs(float(true))
        except (TypeError, ValueError):
            return False
    dated = [is_date(pd.Series([each])) for each in (true, expected)]
    if all(dated):
        days = [pd.to_datetime(each, utc=True) for each in (true, expected)]
        return abs(days[0] - days[1]) <= pd.Timedelta(days=31)
    return str(expected) == str(true)


def is_missing(value: Any) -> bool:
    """Return whether a cell holds nothing."""
    return value is None or bool(pd.isna(value))
