"""Rows of files whose columns have types: Parquet in batches, Excel and JSON lines as a whole.

Types are known before the rows are: numbers of any kind and booleans are features, and a target
may be text as well.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..._progress import report_step
from ..._typing import AnyArray
from ..arrow import pa
from ..columns.typed import plain
from ..errors import DataFileError
from ..parquet import batches_of, damaged, open_parquet, user_columns
from ..typed_table import TypedTable
from .block import BlockFormat, Converter, RowBlock
from .selection import ColumnSelection, ColumnSelector


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
        wanted = [names[j] for j in selection.positions]
        first = 0
        n_rows = block_format.rows_per_block(len(wanted))
        shared = (selection, block_format.dtype, str(path))
        for batch in batches_of(file, path, wanted, n_rows):
            try:
                rows = _rows(batch.columns, Converter(*shared, first))
            except (UnicodeDecodeError, pa.ArrowException) as error:
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
        block = [cells[j].slice(first, step) for j in selection.positions]
        shared = (selection, block_format.dtype, table.source)
        yield _rows(block, Converter(*shared, first, table.place))


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
    return found.value_type if pa.types.is_dictionary(found) else found


def _is_text(found: Any) -> bool:
    found, is_ = _values(found), pa.types
    return bool(is_.is_string(found) or is_.is_large_string(found))


def _is_number(found: Any) -> bool:
    found, is_ = _values(found), pa.types
    tests = (is_.is_integer, is_.is_floating, is_.is_boolean, is_.is_decimal)
    return any(test(found) for test in tests)


def _rows(columns: list[Any], convert: Converter) -> RowBlock:
    titles = [*convert.selection.titles, convert.selection.target_title]
    pairs = zip(columns, titles, strict=False)
    return convert.from_columns([_as_array(column, title, convert) for column, title in pairs])


def _as_array(column: Any, title: str, convert: Converter) -> AnyArray:
    column = column.cast(_values(column.type))
    if column.null_count:
        row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
        raise convert.error(row, title, "is empty")
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column.to_numpy(zero_copy_only=False)
