"""The column that is to be predicted."""

from difflib import get_close_matches
from typing import Any, Literal, NamedTuple

import numpy as np

from ..._typing import AnyArray, BoolArray
from ..columns.column import Column
from ..columns.levels import find_levels
from ..columns.read import read_values
from ..columns.typed import as_strings, plain
from ..errors import DataFileError, listed
from ..numbers import read_numbers
from ..table import RawTable, check_table

# A column holds mostly numbers if more than this part of its cells are numbers.
MOSTLY = 0.5
TargetKind = Literal["number", "category", "boolean", "date"]


class TargetColumn(NamedTuple):
    """The column that is to be predicted.

    Parameters
    ----------
    name : str
    position : int
        Position of the column in the table.
    kind : {"number", "category", "boolean", "date"}
    values : array of shape (n_rows,)
        Numbers, or days since 1970 for dates, with NaN where they are missing; else labels, as they
        are written, as objects, with None.
    missing : bool array of shape (n_rows,)
    notes : list of str
    unreadable : bool array of shape (n_rows,)
        Cells that hold text that is neither a number nor a word for a missing value, in a column
        that holds mostly numbers, whatever its kind is; elsewhere False.
    """

    name: str
    position: int
    kind: TargetKind
    values: AnyArray
    missing: BoolArray
    notes: list[str]
    unreadable: BoolArray


def read_target(table: RawTable, column_name: str) -> TargetColumn:
    r"""Read the column that is to be predicted.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from untaint.io import read_table, read_target
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("x,y\n1,2.5\n2,\n3,4\n")
    >>> target = read_target(read_table(path), "y")
    >>> target.kind, target.values
    ('number', array([2.5, nan, 4. ]))
    """
    j = find_column(table, column_name)
    column = read_values(table, j)
    if column.missing.all():
        raise DataFileError(
            f"{table.source}: expected values in the target {column_name!r}, found none."
        )
    unreadable = _unreadable(column, table.dialect.decimal)
    kind: TargetKind = "category"
    if column.kind in ("number", "boolean", "date"):
        kind = column.kind
    values: Any = column.values
    missing = column.missing
    if values is None or kind == "boolean":
        levels = column.levels or find_levels(as_strings(plain(table.column(j))))
        words = np.array([*levels.texts.to_pylist(), None], object)[:-1]
        words[~levels.present] = None
        values, missing = levels.spread(words, None), levels.missing
    return TargetColumn(table.names[j], j, kind, values, missing, column.notes, unreadable)


def _unreadable(column: Column, decimal: str) -> BoolArray:
    """Return the cells that hold text that is no number, if most cells are numbers."""
    levels = column.levels
    if column.kind not in ("number", "text") or levels is None:
        return np.zeros(len(column.missing), bool)
    valid = read_numbers(levels, decimal).valid
    if levels.fraction(valid) <= MOSTLY:
        return np.zeros(len(column.missing), bool)
    return levels.spread(levels.present & ~valid, False)


def find_column(table: RawTable, name: str) -> int:
    """Return the position of a column; the error for an unknown name suggests similar ones."""
    check_table(table)
    if name in table.names:
        return table.names.index(name)
    if name.strip() in table.names:
        return table.names.index(name.strip())
    raise DataFileError(
        f"{table.source}: expected a column {name!r}, found {listed(table.names)}"
        f"{hint_at(name, table.names)}"
    )


def hint_at(name: str, names: list[str], question: str = "did you mean") -> str:
    """Return the end of a sentence on an unknown name: a question if others are close to it.

    These differ by little, or by upper and lower case only.

    Examples
    --------
    >>> from untaint.io.encoder.target import hint_at
    >>> hint_at("Price", ["size", "price"])
    "; did you mean 'price'?"
    """
    folded = {other.casefold(): other for other in names}
    close = [folded[other] for other in get_close_matches(name.casefold(), folded, n=3)]
    return f"; {question} {listed(close)}?" if close else "."
