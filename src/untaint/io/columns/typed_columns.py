"""Columns of numbers, of yes and no, and of dates, with notes on the cells that do not fit in."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..._typing import FloatArray
from ..errors import shortened
from ..table import RawTable
from .column import Column
from .levels import Levels
from .parse import Parsed

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


def column_of(table: RawTable, j: int, levels: Levels, parsed: Parsed) -> Column:
    """Return a column of texts that are values of a kind; those that are none count as missing."""
    name, values = table.names[j], levels.spread(parsed.values, np.nan)
    notes = _misfits(table, j, levels, parsed)
    if parsed.kind == "number":
        column = number_column(name, values, parsed.details)
        return replace(column, levels=levels, notes=notes + column.notes)
    if parsed.guess:
        notes.append(
            f"The dates of {name!r} do not tell days from months; it is assumed that "
            f"{parsed.guess}."
        )
    return Column(name, parsed.kind, np.isnan(values), values, levels, parsed.details, notes)


def _misfits(table: RawTable, j: int, levels: Levels, parsed: Parsed) -> list[str]:
    odd = levels.present & ~parsed.valid
    count = int(levels.counts[odd].sum())
    if not count:
        return []
    row = levels.first_row(odd)
    what = "neither yes nor no" if parsed.kind == "boolean" else f"no {parsed.kind}"
    plural = "" if count == 1 or parsed.kind == "boolean" else "s"
    example = shortened(table.cell(row, j).strip())
    return [
        f"{_count(count)} of {table.names[j]!r} {'is' if count == 1 else 'are'} {what}{plural}, "
        f"such as {example} in {table.place(row)}."
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
