"""The kind of each column of a table, detected from its cells."""

from dataclasses import replace

from ..._progress import tracked
from ..numbers import ENOUGH, read_plain
from ..table import RawTable, check_table
from .column import Column, Kind
from .duplicates import mark_duplicates
from .identifiers import counts_up, has_distinct_values, has_identifier_name, is_prose
from .levels import find_levels
from .parse import KINDS, parse_levels
from .typed import is_text, plain, read_typed
from .typed_columns import column_of, number_column

# A level counts if it has so many rows, and so large a part of them.
MIN_ROWS = 5
MIN_SHARE = 0.005
FEW_LEVELS = 25


def read_columns(table: RawTable, first: str | None = None) -> list[Column]:
    r"""Find out what each column holds.

    Parameters
    ----------
    table : RawTable
    first : str, optional
        A column that others are held against first, when duplicates are looked for.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from untaint.io import read_table
    >>> from untaint.io.columns.read import read_columns
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.csv")
    >>> _ = path.write_text("id,when,price\n7,2020-01-01,3\n9,2020-01-02,\n8,2020-01-02,4\n")
    >>> [column.kind for column in read_columns(read_table(path))]
    ['identifier', 'date', 'number']
    """
    check_table(table)
    places = tracked(range(len(table.names)), len(table.names))
    return mark_duplicates([read_column(table, j) for j in places], first)


def read_column(table: RawTable, j: int) -> Column:
    """Detect the kind of a column, whether or not it repeats another."""
    column = read_values(table, j)
    return replace(column, kind=_kind_of_text(column) if column.values is None else _kind(column))


def read_values(table: RawTable, j: int) -> Column:
    """Read a column as numbers, booleans or dates if it holds them, else as text."""
    name, cells = table.names[j], plain(table.column(j))
    if not is_text(cells):
        return read_typed(name, cells)
    values = read_plain(cells, table.dialect.decimal)
    if values is not None:
        return number_column(name, values, {"style": (table.dialect.decimal, "", "")})
    levels = find_levels(cells)
    for kind in KINDS if levels.n_present else ():
        parsed = parse_levels(levels, kind, table.dialect.decimal)
        if parsed is not None and levels.fraction(parsed.valid) >= ENOUGH:
            return column_of(table, j, levels, parsed)
    return Column(name, "text", levels.missing, None, levels)


def _kind(column: Column) -> Kind:
    """Return the kind of a column of values, which may be empty, constant or an identifier."""
    assert column.values is not None
    present = column.values[~column.missing]
    if not len(present):
        return "empty"
    if present.min() == present.max():
        return "constant"
    if column.kind == "number" and (
        counts_up(column.values)
        or (has_identifier_name(column.name) and has_distinct_values(column.values))
    ):
        return "identifier"
    return column.kind


def _kind_of_text(column: Column) -> Kind:
    levels = column.levels
    assert levels is not None
    n_levels, n_present = int(levels.present.sum()), levels.n_present
    if not n_present:
        return "empty"
    if n_levels == 1:
        return "constant"
    if n_levels == n_present:
        return "text" if is_prose(levels) else "identifier"
    often = levels.counts >= max(MIN_ROWS, MIN_SHARE * len(column.missing))
    few = n_levels <= FEW_LEVELS and 2 * n_levels <= n_present
    return "category" if few or levels.fraction(often) >= 0.5 else "text"
