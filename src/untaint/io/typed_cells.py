"""Columns of cells that each have a type of their own, as those of Excel and JSON lines have.

A column whose cells are all numbers, all true or false, or all dates keeps that type. Any other
column becomes text, and what it holds is found out as for a file of text.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time
from typing import Any

import numpy as np

from .archives import Content
from .arrow import pa
from .dialect import Dialect
from .errors import DataFileError
from .names import clean_names
from .typed_table import TypedTable


def typed_table(
    content: Content,
    kind: str,
    decimal: str | None,
    header: Iterable[Any],
    columns: Iterable[Sequence[Any]],
    lines: Sequence[int],
    line_word: str,
    notes: list[str],
    place: str = "",
) -> TypedTable:
    """Return a table of Python's values, whose rows stand in some lines of a file.

    Messages about the header call the table by its place, or by the name of the file.
    """
    place, written = place or content.name, [as_text(cell) or "" for cell in header]
    if len(written) < 2:
        raise DataFileError(f"{place}: expected at least two columns, found {len(written)}.")
    if not lines:
        raise DataFileError(f"{place}: expected rows below the column names, found none.")
    names, remarks = clean_names(place, written)
    dialect = Dialect(typed=kind, layers=content.layers, decimal=decimal or ".")
    table = pa.table([typed_column(cells, dialect.decimal) for cells in columns], names=names)
    where: dict[str, Any] = {"lines": np.array(lines), "line_word": line_word}
    return TypedTable(content.name, names, dialect, notes + remarks, table=table, **where)


def typed_column(cells: Sequence[Any], decimal: str = ".") -> Any:
    """Return cells as an Arrow array of one type.

    Parameters
    ----------
    cells : sequence
        Text, numbers, booleans, dates, lists and dictionaries; None where a cell is missing.
    decimal : {".", ","}
        How numbers are written in a column that becomes text.

    Examples
    --------
    >>> from untaint.io.typed_cells import typed_column
    >>> typed_column([1, 2.5, None]).to_pylist(), typed_column([1, "two"]).to_pylist()
    ([1.0, 2.5, None], ['1', 'two'])
    """
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        return pa.nulls(len(cells))
    if kinds == {bool}:
        return pa.array(cells, pa.bool_())
    if kinds <= {int, float}:
        try:
            return pa.array(cells, pa.int64() if kinds == {int} else pa.float64())
        except (OverflowError, pa.ArrowInvalid):  # whole numbers that do not fit
            pass
    if kinds <= {date, datetime}:
        days = all(map(_is_day, cells))
        return pa.array(cells, pa.date32() if days else pa.timestamp("us"))
    return pa.array([as_text(cell, decimal) for cell in cells], pa.string())


def as_text(cell: Any, decimal: str = ".") -> str | None:
    """Return a cell as text, None if it is missing."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        return repr(cell).replace(".", decimal)
    if isinstance(cell, datetime):
        return cell.date().isoformat() if _is_day(cell) else cell.isoformat(" ")
    text = json.dumps(cell, ensure_ascii=False) if isinstance(cell, (list, dict)) else str(cell)
    # JSON may hold halves of characters, which are no text.
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_day(cell: date | None) -> bool:
    return not isinstance(cell, datetime) or cell.time() == time()
