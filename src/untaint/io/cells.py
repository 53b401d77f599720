"""All cells of a text, column by column, through Arrow.

Arrow is quick, and its number of rows is held against our own records. Where it refuses a text, or
counts otherwise, the records are split one by one, which is slow and always possible.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from .._progress import tracked
from .arrow import arrow, own_buffer, pa
from .fields import split_record
from .records import Records, find_records

_BLOCK = 2**20
_PART = 2**25  # bytes that Arrow reads in one call


def read_cells(text: bytes, records: Records, delimiter: str, *, quotes: bool) -> list[Any] | None:
    """Return columns of all records but the first; None if numbers of fields differ."""
    header = text[records.starts[0] : records.ends[0]]
    width = len(split_record(header, delimiter.encode(), quotes=quotes))
    strings = dict.fromkeys(range(width), pa.string())
    columns = parse_columns(text, records, delimiter, width, strings, quotes=quotes)
    if columns is not None:
        return columns
    if (records.counts(text, delimiter) != width).any():
        return None
    rows = list(split_records(text, records, delimiter, quotes=quotes))[1:]
    return [pa.chunked_array([[row[j] for row in rows]], pa.string()) for j in range(width)]


def parse_columns(
    text: bytes,
    records: Records,
    delimiter: str,
    width: int,
    types: Mapping[int, Any],
    *,
    quotes: bool = True,
    decimal: str = ".",
) -> list[Any] | None:
    """Return some columns of all records but the first, None if Arrow cannot read them.

    Parameters
    ----------
    text, records, delimiter, quotes
        Of the whole text, the header included.
    width : int
        Number of columns.
    types : mapping of int to Arrow type
        Positions of the columns to return, and their types.
    decimal : {".", ","}
    """
    csv = arrow("csv")
    longest = int(np.diff(records.bounds).max())
    wanted = {str(j): kind for j, kind in types.items()}
    names, block_size = [str(j) for j in range(width)], max(_BLOCK, 2 * longest + 2)
    quote, multiline = '"' if quotes else False, records.multiline
    selected = {"column_types": wanted, "include_columns": list(wanted), "null_values": []}
    options = (
        csv.ReadOptions(column_names=names, block_size=block_size),
        csv.ParseOptions(delimiter=delimiter, quote_char=quote, newlines_in_values=multiline),
        csv.ConvertOptions(check_utf8=False, decimal_point=decimal, **selected),
    )
    cuts = _cuts(records)
    parts = []
    pairs = list(pairwise(cuts))
    for first, last in tracked(pairs, len(pairs)) if len(pairs) > 1 else pairs:
        try:
            source = pa.BufferReader(own_buffer(_part(text, records, first, last)))
            parts.append(csv.read_csv(source, *options))
        except (pa.ArrowException, ValueError, OverflowError):
            return None
        if parts[-1].num_rows != last - first:
            return None
    return list(pa.concat_tables(parts).columns)


def _cuts(records: Records) -> list[int]:
    """Return bounds of parts of the records but the first, so that no part is large."""
    start, n = int(records.bounds[1]), len(records.starts)
    sizes = range(start + _PART, records.size, _PART)
    return [1, *(k for k in np.searchsorted(records.starts, sizes).tolist() if 1 < k < n), n]


def _part(text: bytes, records: Records, first: int, last: int) -> bytes | memoryview:
    """Return some records, without blank lines of spaces, which Arrow takes for records."""
    if not records.spaces:
        return memoryview(text)[int(records.bounds[first]) : int(records.bounds[last])]
    starts, ends = records.starts[first:last].tolist(), records.ends[first:last].tolist()
    return b"\n".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def split_records(
    text: bytes, records: Records, delimiter: str, *, quotes: bool = True
) -> Iterator[list[str]]:
    """Yield the cells of every record."""
    for start, end in zip(records.starts.tolist(), records.ends.tolist(), strict=True):
        yield split_record(text[start:end], delimiter.encode(), quotes=quotes)


def split_text(text: bytes, delimiter: str) -> list[list[str]]:
    r"""Return the cells of every record of a text, blank lines left out; without Arrow.

    Examples
    --------
    >>> from untaint.io.cells import split_text
    >>> split_text(b'a,b\n\n1,"x, y"\n', ",")
    [['a', 'b'], ['1', 'x, y']]
    """
    if not text.strip():
        return []
    return list(split_records(text, find_records(text, delimiter, quotes=True), delimiter))
