"""Columns of a new table, read as what they were in the table that the encoder was fitted to."""

from typing import Any

import numpy as np

from ..columns.column import Column, Kind
from ..columns.levels import find_levels
from ..columns.parse import parse_levels
from ..columns.typed import as_strings, is_text, plain, read_typed
from ..columns.typed_columns import column_of, number_column
from ..errors import DataFileError, listed, shortened
from ..numbers import read_plain
from ..table import RawTable
from .plan import ColumnPlan

# Part of the cells that must be what they were.
_ENOUGH = 0.5


def read_as(table: RawTable, j: int, plan: ColumnPlan, decimal: str) -> Column:
    """Read a column as its plan expects.

    Parameters
    ----------
    table : RawTable
    j : int
        Position of the column in this table.
    plan : ColumnPlan
    decimal : {".", ","}
        Decimals of the table that the plan was made from.

    Raises
    ------
    DataFileError
        If it holds something else.
    """
    cells = plain(table.column(j))
    if plan.kind == "category":
        levels = find_levels(as_strings(cells))
        return Column(plan.name, "category", levels.missing, None, levels)
    if not is_text(cells):
        return _typed(table, j, cells, plan)
    values = read_plain(cells, table.dialect.decimal) if plan.kind == "number" else None
    if values is not None:
        return number_column(plan.name, values, {})
    levels, known = find_levels(cells), dict(plan.details)
    if table.dialect.decimal != decimal:
        known.pop("style", None)
    parsed = parse_levels(levels, plan.kind, table.dialect.decimal, known)
    valid = np.zeros(len(levels.present), bool) if parsed is None else parsed.valid
    if levels.n_present and levels.fraction(valid) < _ENOUGH:
        raise _disagreement(table, j, levels.first_row(levels.present & ~valid), plan)
    return _missing(table, plan) if parsed is None else column_of(table, j, levels, parsed)


def unknown_levels(column: Column, plan: ColumnPlan) -> list[str]:
    """Return a note on levels of a category that were not there before."""
    levels = column.levels
    if plan.kind != "category" or levels is None:
        return []
    known = set(plan.details["known"])
    new = np.array([text not in known for text in levels.texts.to_pylist()], bool) & levels.present
    if not new.any():
        return []
    texts = [text for text, is_new in zip(levels.texts.to_pylist(), new, strict=True) if is_new]
    count = int(levels.counts[new].sum())
    cells = "1 cell" if count == 1 else f"{count} cells"
    return [
        f"{cells} of {plan.name!r} {'has' if count == 1 else 'have'} a level that was not there "
        f"before and counts as other: {listed(texts)}."
    ]


def _typed(table: RawTable, j: int, cells: Any, plan: ColumnPlan) -> Column:
    column = read_typed(plan.name, cells)
    numeric = column.kind in ("number", "boolean") and plan.kind in ("number", "boolean")
    if column.kind == plan.kind or numeric or column.missing.all():
        return column if column.values is not None else _missing(table, plan)
    row = int(np.flatnonzero(~column.missing)[0])
    raise _disagreement(table, j, row, plan)


def _missing(table: RawTable, plan: ColumnPlan) -> Column:
    """Return a column without any value."""
    kind: Kind = "date" if plan.kind == "date" else "number"
    return Column(plan.name, kind, np.ones(table.n_rows, bool), np.full(table.n_rows, np.nan))


_WANTED = {"number": "numbers", "date": "dates", "boolean": "yes or no"}


def _disagreement(table: RawTable, j: int, row: int, plan: ColumnPlan) -> DataFileError:
    return DataFileError(
        f"{table.source}, {table.place(row)}: expected {_WANTED[plan.kind]} in {plan.name!r}, as "
        f"in the table that was learnt from, found {shortened(table.cell(row, j).strip())}."
    )
