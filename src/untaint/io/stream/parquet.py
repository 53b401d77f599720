"""Parquet files, through pyarrow, a batch of rows at a time.

Types are known before anything is read: numbers of any kind and booleans are features, and a target
may be text as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataFileError, reason, unreadable
from .arrow import find_arrow
from .block import BlockFormat, RowBlock
from .blocks import stack
from .selection import ColumnSelection, ColumnSelector
from .targets import as_targets

_BUFFER_BYTES = 2**20  # of each column
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # written along, and no column of the frame


def read_parquet(
    path: Path, columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Read the rows of a file."""
    pa, pq = _need_arrow()
    with _open(path, pa, pq) as file:
        fields = [field for field in file.schema_arrow if not _PANDAS_INDEX.fullmatch(field.name)]
        names = [field.name for field in fields]
        selection = columns.select(str(path), names, len(names))
        _check_types(path, [field.type for field in fields], selection, pa)
        first_row = 0
        for batch in _batches(path, file, names, selection, block_format, pa):
            try:
                rows = _rows(batch, selection, block_format, str(path), first_row, pa)
            except (
                UnicodeDecodeError,
                pa.ArrowException,
            ) as error:  # cells that do not have their column's type
                raise _damaged(path, error) from error
            yield rows
            first_row += batch.num_rows


def count_parquet_rows(path: Path) -> int:
    """Return the number of rows of a file, from its footer."""
    pa, pq = _need_arrow()
    with _open(path, pa, pq) as file:
        return int(file.metadata.num_rows)


def _need_arrow() -> tuple[Any, Any]:
    arrow = find_arrow("parquet")
    if arrow is None:
        raise ImportError('Parquet files need pyarrow: pip install "untaint[parquet]".')
    return arrow


def _open(path: Path, pa: Any, pq: Any) -> Any:
    try:
        # By default pyarrow holds a whole row group, and that may be the whole file.
        file = pq.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False)
        # Types and names are decoded on access, and may be invalid.
        _ = [field.name for field in file.schema_arrow]
    except pa.ArrowInvalid as error:
        raise DataFileError(
            f"{path}: expected a whole Parquet file, found none ({reason(error)})."
        ) from error
    except OSError as error:
        raise _os_error(path, error) from error
    except (UnicodeDecodeError, pa.ArrowException) as error:
        raise _damaged(path, error) from error
    return file


def _os_error(path: Path, error: OSError) -> DataFileError:
    """Return the system's error if there is an errno; else pyarrow found the file damaged."""
    if error.errno is not None:
        return unreadable(path, error)
    return _damaged(path, error)


def _damaged(path: Path, error: Exception) -> DataFileError:
    return DataFileError(f"{path}: the Parquet file is damaged ({reason(error)}).")


def _batches(
    path: Path,
    file: Any,
    names: list[str],
    selection: ColumnSelection,
    block_format: BlockFormat,
    pa: Any,
) -> Iterator[Any]:
    positions = selection.features + ([] if selection.target is None else [selection.target])
    wanted = [names[j] for j in positions]
    batches = file.iter_batches(
        block_format.rows_per_block(len(wanted)), columns=wanted, use_threads=False
    )
    try:
        for batch in batches:
            # pyarrow returns columns in the order of the file.
            yield batch.select(wanted)
    except (OSError, pa.ArrowException) as error:
        raise _damaged(path, error) from error


def _check_types(path: Path, types: list[Any], selection: ColumnSelection, pa: Any) -> None:
    for j, title in zip(selection.features, selection.titles, strict=True):
        if not _is_number(types[j], pa):
            raise DataFileError(f"{path}: {title} should hold numbers, found {types[j]}.")
    if selection.target is not None:
        found = types[selection.target]
        if not _is_number(found, pa) and not _is_text(found, pa):
            raise DataFileError(
                f"{path}: {selection.target_title} should hold numbers or text, found {found}."
            )


def _is_number(found: Any, pa: Any) -> bool:
    found = _plain(found, pa)
    is_ = pa.types
    return any(
        test(found) for test in (is_.is_integer, is_.is_floating, is_.is_boolean, is_.is_decimal)
    )


def _is_text(found: Any, pa: Any) -> bool:
    found = _plain(found, pa)
    return any(test(found) for test in (pa.types.is_string, pa.types.is_large_string))


def _plain(found: Any, pa: Any) -> Any:
    """Return the type of the values of a categorical column, else the type itself."""
    return found.value_type if pa.types.is_dictionary(found) else found


def _rows(
    batch: Any,
    selection: ColumnSelection,
    block_format: BlockFormat,
    place: str,
    first_row: int,
    pa: Any,
) -> RowBlock:
    titles = [*selection.titles, selection.target_title]
    arrays = [
        _as_array(column, title, place, first_row, pa)
        for column, title in zip(batch.columns, titles, strict=False)
    ]
    y = None if selection.target is None else arrays.pop()
    if y is not None:
        y = as_targets(y, selection.target_title, place, first_row)
    return RowBlock(stack(arrays, selection.titles, block_format, place, first_row), y, place)


def _as_array(column: Any, title: str, place: str, first_row: int, pa: Any) -> NDArray[Any]:
    column = column.cast(_plain(column.type, pa))
    if column.null_count:
        row = int(np.flatnonzero(np.asarray(column.is_null()))[0])
        raise DataFileError(f"{place}, row {first_row + row}: {title} is empty.")
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    return column.to_numpy(zero_copy_only=False)
