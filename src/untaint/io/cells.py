"""All cells of a text, column by column, as Arrow strings.

Arrow is quick, and its number of rows is held against our own records. Where it refuses a text, or
counts otherwise, the records are split one by one, which is slow and always possible.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrow import arrow, own_buffer
from .fields import split_record
from .records import Records

_BLOCK = 2**20


def read_cells(text: bytes, records: Records, delimiter: str, *, quotes: bool) -> list[Any] | None:
    r"""Return columns of all records but the first; None if numbers of fields differ.

    Examples
    --------
    >>> from untaint.io.cells import read_cells
    >>> from untaint.io.records import find_records
    >>> text = b"a,b\n1,2\n3,4\n"
    >>> columns = read_cells(text, find_records(text, ",", quotes=True), ",", quotes=True)
    >>> columns[1].to_pylist()
    ['2', '4']
    """
    header = text[records.starts[0] : records.ends[0]]
    width = len(split_record(header, delimiter.encode(), quotes=quotes))
    columns = _by_arrow(text, records, delimiter, width, quotes=quotes)
    if columns is not None:
        return columns
    if (records.counts(text, delimiter) != width).any():
        return None
    return _one_by_one(text, records, delimiter, width, quotes=quotes)


def _by_arrow(
    text: bytes, records: Records, delimiter: str, width: int, *, quotes: bool
) -> list[Any] | None:
    pa, csv = arrow(), arrow("csv")
    n = len(records.starts) - 1
    names = [str(j) for j in range(width)]
    longest = int(np.diff(records.bounds).max())
    try:
        table = csv.read_csv(
            pa.BufferReader(own_buffer(_body(text, records))),
            read_options=csv.ReadOptions(
                column_names=names, block_size=max(_BLOCK, 2 * longest + 2)
            ),
            parse_options=csv.ParseOptions(
                delimiter=delimiter,
                quote_char='"' if quotes else False,
                newlines_in_values=records.multiline,
            ),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), null_values=[], check_utf8=False
            ),
        )
    except (pa.ArrowException, ValueError, OverflowError):
        return None
    return list(table.columns) if table.num_rows == n else None


def _body(text: bytes, records: Records) -> bytes | memoryview:
    """Return all but the first record, without blank lines, which Arrow takes for records."""
    if not records.spaces:
        return memoryview(text)[int(records.bounds[1]) :]
    bounds = zip(records.starts[1:].tolist(), records.ends[1:].tolist(), strict=True)
    return b"\n".join(text[start:end] for start, end in bounds)


def _one_by_one(
    text: bytes, records: Records, delimiter: str, width: int, *, quotes: bool
) -> list[Any]:
    pa = arrow()
    bounds = zip(records.starts[1:].tolist(), records.ends[1:].tolist(), strict=True)
    rows = [
        split_record(text[start:end], delimiter.encode(), quotes=quotes) for start, end in bounds
    ]
    return [pa.chunked_array([[row[j] for row in rows]], pa.string()) for j in range(width)]
