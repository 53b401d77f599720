"""Columns of a new table, read as what they were in the table that the encoder was fitted to."""

from typing import Any

import numpy as np

from ..columns.booleans import read_booleans
from ..columns.column import Column
from ..columns.dates import read_dates
from ..columns.levels import Levels, find_levels
from ..columns.typed import as_strings, is_text, plain, read_typed
from ..columns.typed_columns import (
    boolean_column_of,
    date_column_of,
    number_column,
    number_column_of,
)
from ..errors import DataFileError, listed, shortened
from ..numbers import NumberStyle, read_numbers, read_plain
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
    if plan.kind == "number":
        return _numbers(table, j, cells, plan, decimal)
    levels = find_levels(cells)
    if plan.kind == "date":
        return _dates(table, j, levels, plan)
    booleans = read_booleans(levels, strict=False)
    assert booleans is not None
    _check(table, j, levels, ~np.isnan(booleans), plan)
    return boolean_column_of(table, j, levels, booleans)


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
        if column.values is not None:
            return column
        return Column(plan.name, "number", column.missing, np.full(table.n_rows, np.nan))
    row = int(np.flatnonzero(~column.missing)[0])
    raise _disagreement(table, j, row, plan)


def _numbers(table: RawTable, j: int, cells: Any, plan: ColumnPlan, decimal: str) -> Column:
    values = read_plain(cells, table.dialect.decimal)
    if values is not None:
        return number_column(plan.name, values, {})
    levels = find_levels(cells)
    style = NumberStyle(*plan.details.get("style", (decimal, "", "")))
    same = table.dialect.decimal == decimal
    numbers = read_numbers(levels, table.dialect.decimal, style if same else None)
    _check(table, j, levels, numbers.valid, plan)
    return number_column_of(table, j, levels, numbers)


def _dates(table: RawTable, j: int, levels: Levels, plan: ColumnPlan) -> Column:
    dates = read_dates(levels, preferred=bool(plan.details.get("day_first", True)))
    if dates is None:
        _check(table, j, levels, np.zeros(len(levels.present), bool), plan)
        missing = np.ones(table.n_rows, bool)
        return Column(plan.name, "date", missing, np.full(table.n_rows, np.nan))
    _check(table, j, levels, ~np.isnan(dates.days), plan)
    return date_column_of(table, j, levels, dates._replace(guessed=False))


def _check(table: RawTable, j: int, levels: Levels, valid: Any, plan: ColumnPlan) -> None:
    if levels.n_present and levels.fraction(valid) < _ENOUGH:
        raise _disagreement(table, j, levels.first_row(levels.present & ~valid), plan)


_WANTED = {"number": "numbers", "date": "dates", "boolean": "yes or no"}


def _disagreement(table: RawTable, j: int, row: int, plan: ColumnPlan) -> DataFileError:
    return DataFileError(
        f"{table.source}, {table.place(row)}: expected {_WANTED[plan.kind]} in {plan.name!r}, as "
        f"in the table that was learnt from, found {shortened(table.cell(row, j).strip())}."
    )
