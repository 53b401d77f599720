"""Rows of files whose columns have types: Parquet in batches, Excel and JSON lines as a whole.

Types are known before the rows are: numbers of any kind and booleans are features, and a target
may be text as well.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._progress import report_step
from ..arrow import arrow
from ..columns.typed import plain
from ..errors import DataFileError
from ..parquet import batches_of, damaged, open_parquet, user_columns
from ..typed_table import TypedTable
from .block import BlockFormat, RowBlock
from .blocks import stack
from .selection import ColumnSelection, ColumnSelector
from .targets import as_targets


def read_parquet_rows(
    path: Path, columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Read the rows of a Parquet file; they are counted from 0."""
    with open_parquet(path) as file:
        schema = file.schema_arrow
        fields = [schema.field(j) for j in user_columns(schema.names)]
        names = [field.name for field in fields]
        selection = columns.select(str(path), names, len(names))
        _check_types(str(path), [field.type for field in fields], selection)
        wanted = [names[j] for j in _positions(selection)]
        first = 0
        n_rows = block_format.rows_per_block(len(wanted))
        for batch in batches_of(file, path, wanted, n_rows):
            try:
                rows = _rows(batch.columns, selection, block_format, str(path), first)
            except (UnicodeDecodeError, arrow().ArrowException) as error:
                raise damaged(str(path), error) from error  # cells not of their column's type
            yield rows
            first += batch.num_rows
            report_step(first, file.metadata.num_rows)


def count_parquet_rows(path: Path) -> int:
    """Return the number of rows of a file, from its footer."""
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def read_typed_rows(
    table: TypedTable, columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Read the rows of a table that is in memory; messages say where they stand in the file."""
    selection = columns.select(table.source, table.names, len(table.names))
    cells = [plain(table.column(j)) for j in range(len(table.names))]
    _check_types(table.source, [column.type for column in cells], selection)
    step = block_format.rows_per_block(len(cells))
    for first in range(0, table.n_rows, step):
        block = [cells[j].slice(first, step) for j in _positions(selection)]
        yield _rows(block, selection, block_format, table.source, first, table.place)


def _positions(selection: ColumnSelection) -> list[int]:
    return selection.features + ([] if selection.target is None else [selection.target])


def _check_types(place: str, types: list[Any], selection: ColumnSelection) -> None:
    for j, title in zip(selection.features, selection.titles, strict=True):
        if not _is_number(types[j]):
            raise DataFileError(f"{place}: {title} should hold numbers, found {types[j]}.")
    if selection.target is not None:
        found = types[selection.target]
        if not _is_number(found) and not _is_text(found):
            raise DataFileError(
                f"{place}: {selection.target_title} should hold numbers or text, found {found}."
            )


def _values(found: Any) -> Any:
    """Return the type of the values of a categorical column, else the type itself."""
    return found.value_type if arrow().types.is_dictionary(found) else found


def _is_text(found: Any) -> bool:
    found, is_ = _values(found), arrow().types
    return bool(is_.is_string(found) or is_.is_large_string(found))


def _is_number(found: Any) -> bool:
    found, is_ = _values(found), arrow().types
    tests = (is_.is_integer, is_.is_floating, is_.is_boolean, is_.is_decimal)
    return any(test(found) for test in tests)


def _rows(
    columns: list[Any],
    selection: ColumnSelection,
    block_format: BlockFormat,
    place: str,
    first_row: int,
    row_name: Callable[[int], str] = "row {}".format,
) -> RowBlock:
    titles = [*selection.titles, selection.target_title]
    arrays = [
        _as_array(column, title, place, first_row, row_name)
        for column, title in zip(columns, titles, strict=False)
    ]
    y = None if selection.target is None else arrays.pop()
    if y is not None:
        y = as_targets(y, selection.target_title, place, first_row)
    return RowBlock(stack(arrays, selection.titles, block_format, place, first_row), y, place)


def _as_array(
    column: Any, title: str, place: str, first_row: int, row_name: Callable[[int], str]
) -> NDArray[Any]:
    pa = arrow()
    column = column.cast(_values(column.type))
    if column.null_count:
        row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
        raise DataFileError(f"{place}, {row_name(first_row + row)}: {title} is empty.")
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column.to_numpy(zero_copy_only=False)
