"""Reading a Parquet file, whose columns have types already."""

from __future__ import annotations

import re

from ..reading.errors import DataFileError, reason
from .arrow import arrow, own_buffer
from .dialect import Dialect
from .names import clean_names
from .parquet_table import ParquetTable
from .source import Content

_PANDAS_INDEX = re.compile(r"__index_level_\d+__")  # written along, and no column of the frame


def read_parquet(content: Content, decimal: str | None) -> ParquetTable:
    """Read a Parquet file; ``decimal`` is for columns of text."""
    pa, pq = arrow(), arrow("parquet")
    name = content.name
    try:
        table = pq.read_table(pa.BufferReader(own_buffer(content.data)))
        table.validate(full=True)
        written = table.column_names
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
    dialect = Dialect(parquet=True, compressed=content.compressed, decimal=decimal or ".")
    return ParquetTable(name, names, dialect, notes, table=table, visible=visible)
