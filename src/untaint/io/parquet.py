"""Parquet files, whose columns have types already: a whole table, or a batch of rows at a time."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .archives import Content, too_large
from .arrow import own_buffer, pa, pq
from .dialect import PARQUET, Dialect
from .errors import DataFileError, reason, unreadable
from .names import clean_names
from .source import MAX_BYTES
from .typed_table import TypedTable

# Of a cell in memory. Repeated values take next to none in the file.
_CELL_BYTES = 8
_BUFFER_BYTES = 2**20  # of each column
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # written along, and no column of the frame


def read_parquet(content: Content, decimal: str | None, max_bytes: int = MAX_BYTES) -> TypedTable:
    """Read a Parquet file; ``decimal`` is for columns of text."""
    name = content.name
    try:
        buffer = own_buffer(content.data)
        if _unpacked_size(pq.read_metadata(pa.BufferReader(buffer))) > max_bytes:
            raise too_large(name, max_bytes)
        table = pq.read_table(pa.BufferReader(buffer))
        table.validate(full=True)
        written = table.column_names
    except DataFileError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, RuntimeError) as error:
        raise DataFileError(
            f"{name}: expected a whole Parquet file, found one that is damaged ({reason(error)})."
        ) from error
    visible = user_columns(written)
    if len(visible) < 2:
        raise DataFileError(f"{name}: expected at least two columns, found {len(visible)}.")
    if not table.num_rows:
        raise DataFileError(f"{name}: expected rows below the column names, found none.")
    names, notes = clean_names(name, [written[j] for j in visible])
    dialect = Dialect(typed=PARQUET, layers=content.layers, decimal=decimal or ".")
    return TypedTable(name, names, dialect, notes, table=table, visible=visible)


def user_columns(names: list[str]) -> list[int]:
    """Return the positions of columns that are the user's, and not the index of a pandas frame."""
    return [j for j, name in enumerate(names) if not _PANDAS_INDEX.fullmatch(name)]


def _unpacked_size(metadata: Any) -> int:
    """Return how many bytes the columns take in memory, at least."""
    groups = (metadata.row_group(k) for k in range(metadata.num_row_groups))
    unpacked = sum(int(group.total_byte_size) for group in groups)
    return max(unpacked, _CELL_BYTES * metadata.num_rows * metadata.num_columns)


def open_parquet(path: Path) -> Any:
    """Open a file to read batches of its rows."""
    try:
        # By default pyarrow holds a whole row group, and that may be the whole file.
        file = pq.ParquetFile(path, buffer_size=_BUFFER_BYTES, pre_buffer=False)
        # Types and names are decoded on access, and may be invalid.
        _ = [field.name for field in file.schema_arrow]
    except pa.ArrowInvalid as error:
        raise DataFileError(
            f"{path}: expected a whole Parquet file, found none ({reason(error)})."
        ) from error
    except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
        if getattr(error, "errno", None) is not None:  # else pyarrow found the file damaged
            raise unreadable(path, error) from error
        raise damaged(str(path), error) from error
    return file


def batches_of(file: Any, path: Path, names: list[str], n_rows: int) -> Iterator[Any]:
    """Yield batches of some columns of an open file, in the order of the names."""
    try:
        for batch in file.iter_batches(n_rows, columns=names, use_threads=False):
            # pyarrow returns columns in the order of the file.
            yield batch.select(names)
    except (OSError, pa.ArrowException) as error:
        raise damaged(str(path), error) from error


def damaged(name: str, error: Exception) -> DataFileError:
    """Return the error for a file whose pages or types are not what they should be."""
    return DataFileError(f"{name}: the Parquet file is damaged ({reason(error)}).")
