"""Reading a Parquet file, whose columns have types already."""

from __future__ import annotations

import re
from typing import Any

from .archives import too_large
from .arrow import arrow, own_buffer
from .dialect import PARQUET, Dialect
from .errors import DataFileError, reason
from .names import clean_names
from .source import MAX_BYTES, Content
from .typed_table import TypedTable

# Of a cell in memory. Repeated values take next to none in the file.
_CELL_BYTES = 8
_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # written along, and no column of the frame


def read_parquet(content: Content, decimal: str | None, max_bytes: int = MAX_BYTES) -> TypedTable:
    """Read a Parquet file; ``decimal`` is for columns of text."""
    pa, pq = arrow(), arrow("parquet")
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
    visible = [j for j, n in enumerate(written) if not _PANDAS_INDEX.fullmatch(n)]
    if len(visible) < 2:
        raise DataFileError(f"{name}: expected at least two columns, found {len(visible)}.")
    if not table.num_rows:
        raise DataFileError(f"{name}: expected rows below the column names, found none.")
    names, notes = clean_names(name, [written[j] for j in visible])
    dialect = Dialect(typed=PARQUET, layers=content.layers, decimal=decimal or ".")
    return TypedTable(name, names, dialect, notes, table=table, visible=visible)


def _unpacked_size(metadata: Any) -> int:
    """Return how many bytes the columns take in memory, at least."""
    groups = (metadata.row_group(k) for k in range(metadata.num_row_groups))
    unpacked = sum(int(group.total_byte_size) for group in groups)
    return max(unpacked, _CELL_BYTES * metadata.num_rows * metadata.num_columns)
