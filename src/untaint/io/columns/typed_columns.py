"""Columns of numbers, of yes and no, and of dates, with notes on the cells that do not fit in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..._typing import BoolArray, FloatArray
from ..errors import shortened
from ..numbers import Numbers
from ..table import RawTable
from .column import Column
from .dates import Dates
from .levels import Levels

# Numbers that stand for a missing value, such as -999 among lengths; how often, and how far off.
_NINES = [float("9" * k) for k in range(1, 8)]
_CODES = [-1.0, -888.0, -8888.0, *(-code for code in _NINES), *_NINES[2:]]
_SEVERAL, _FAR = 3, 2.0


def number_column(name: str, values: FloatArray, details: Mapping[str, Any]) -> Column:
    """Return a column of numbers; infinite ones count as missing."""
    notes = []
    infinite = np.isinf(values)
    if infinite.any():
        values = np.where(infinite, np.nan, values)
        is_, s = ("is", "s") if infinite.sum() == 1 else ("are", "")
        notes.append(
            f"{_count(infinite.sum())} of {name!r} {is_} infinite, or too large for double "
            f"precision, and count{s} as missing."
        )
    for code in find_sentinels(values):
        notes.append(
            f"{code:g} occurs {int((values == code).sum())} times in {name!r}, far from all else; "
            "it may stand for a missing value."
        )
    return Column(name, "number", np.isnan(values), values, None, details, notes)


def number_column_of(table: RawTable, j: int, levels: Levels, numbers: Numbers) -> Column:
    """Return a column of texts that are numbers; those that are none count as missing."""
    values = levels.spread(numbers.values, np.nan)
    column = number_column(table.names[j], values, {"style": tuple(numbers.style)})
    notes = _misfits(table, j, levels, numbers.valid, "no number", "no numbers")
    return replace(column, levels=levels, notes=notes + column.notes)


def boolean_column_of(table: RawTable, j: int, levels: Levels, booleans: FloatArray) -> Column:
    """Return a column of words for yes and no; others count as missing."""
    values = levels.spread(booleans, np.nan)
    neither = "neither yes nor no"
    notes = _misfits(table, j, levels, ~np.isnan(booleans), neither, neither)
    return Column(table.names[j], "boolean", np.isnan(values), values, levels, {}, notes)


def date_column_of(table: RawTable, j: int, levels: Levels, dates: Dates) -> Column:
    """Return a column of texts that are dates; those that are none count as missing."""
    name = table.names[j]
    values = levels.spread(dates.days, np.nan)
    notes = _misfits(table, j, levels, ~np.isnan(dates.days), "no date", "no dates")
    if dates.guessed:
        order = "the day comes" if dates.day_first else "the month comes"
        notes.append(
            f"The dates of {name!r} do not tell days from months; it is assumed that {order} first."
        )
    details = {"day_first": dates.day_first}
    return Column(name, "date", np.isnan(values), values, levels, details, notes)


def _misfits(
    table: RawTable, j: int, levels: Levels, valid: BoolArray, what: str, several: str
) -> list[str]:
    odd = levels.present & ~valid
    count = int(levels.counts[odd].sum())
    if not count:
        return []
    row = levels.first_row(odd)
    is_what = f"is {what}" if count == 1 else f"are {several}"
    example = shortened(table.cell(row, j).strip())
    return [
        f"{_count(count)} of {table.names[j]!r} {is_what}, such as {example} in {table.place(row)}."
    ]


def _count(cells: int) -> str:
    return "1 cell" if cells == 1 else f"{cells} cells"


def find_sentinels(values: FloatArray) -> list[float]:
    """Return codes that occur several times and lie far outside of the rest.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.io.columns.typed_columns import find_sentinels
    >>> find_sentinels(np.append(np.linspace(0, 50, 100), [-999.0] * 4))
    [-999.0]
    """
    present = values[~np.isnan(values)]
    codes = np.isin(present, _CODES)
    if codes.sum() < _SEVERAL or codes.all():
        return []
    low, high = np.quantile(present[~codes], [0.01, 0.99])
    reach = _FAR * max(high - low, 1e-9)
    found, counts = np.unique(present[codes], return_counts=True)
    far = (found < low - reach) | (found > high + reach)
    return [float(code) for code in found[far & (counts >= _SEVERAL)]]
