"""The fast CSV engine: pyarrow's, which stops at the first block that is not certain.

It reads the bulk of a file. Whatever it refuses, and whatever it reads that is no valid number or
label, is left to `csv_exact`, which goes on from the last valid block: either to name the line, or
to read on where it is more tolerant.

pyarrow takes a quote that is never closed for one long last field. So a sentinel row is appended to
what it reads: if that is not read back, a quote has swallowed it.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .block import BlockFormat, RowBlock
from .csv_file import CsvFile
from .numbers import FLOAT64, fits
from .selection import ColumnSelection

_BLOCK_BYTES = 2**20
_ROW_BYTES_PER_FIELD = 64  # pyarrow refuses a block that does not hold a row
_SENTINEL = "-4.0625e-291"  # exact in binary, and very unlikely in data


class FastPathRejected(Exception):
    """The fast engine cannot read the next rows with certainty."""


def read_fast(
    file: CsvFile,
    selection: ColumnSelection,
    block_format: BlockFormat,
    arrow: tuple[Any, Any],
    *,
    text_target: bool,
) -> Iterator[RowBlock]:
    """Read rows up to the first block that the fast engine is not certain of.

    Raises
    ------
    Doubt
        At the first block that is not certain to be right.
    """
    pa, _ = arrow
    try:
        with (
            file.open() as stream,
            # It is closed before the stream, which pyarrow reads in a thread of its own.
            closing(_batches(file, stream, selection, block_format, arrow, text_target)) as batches,
        ):
            for batch in _without_sentinel(batches):
                yield _rows(batch, selection, block_format, str(file.path), text_target)
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        raise FastPathRejected from error


def _batches(
    file: CsvFile,
    stream: BinaryIO,
    selection: ColumnSelection,
    block_format: BlockFormat,
    arrow: tuple[Any, Any],
    text_target: bool,
) -> Generator[Any, None, None]:
    pa, csv = arrow
    types = {file.header[j]: pa.float64() for j in selection.features}
    if selection.target is not None:
        types[file.header[selection.target]] = pa.string() if text_target else pa.float64()
    width = len(file.header)
    reader = csv.open_csv(
        pa.PythonFile(_WithSentinelRow(stream, file.delimiter, width), mode="r"),
        # pyarrow reads some thirty blocks ahead; more threads would convert as many at a time.
        read_options=csv.ReadOptions(
            block_size=_block_bytes(block_format, width), use_threads=False
        ),
        parse_options=csv.ParseOptions(delimiter=file.delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[]
        ),
    )
    with reader:
        yield from reader


def _block_bytes(block_format: BlockFormat, width: int) -> int:
    row = _ROW_BYTES_PER_FIELD * width
    wanted = _BLOCK_BYTES if block_format.block_rows is None else block_format.block_rows * row
    return max(2**12, row, min(wanted, _BLOCK_BYTES))


class _WithSentinelRow:
    """A stream with a sentinel row after the last row of the file."""

    closed = False

    def __init__(self, stream: BinaryIO, delimiter: str, width: int) -> None:
        self._stream = stream
        self._sentinel = f"\n{delimiter.join([_SENTINEL] * width)}\n".encode()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if not data:
            data, self._sentinel = self._sentinel, b""
        return data

    def close(self) -> None:
        self.closed = True


def _without_sentinel(batches: Iterator[Any]) -> Iterator[Any]:
    """Remove the sentinel row from the last batch."""
    held = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        if held is not None:
            yield held
        held = batch
    if held is None or not _is_sentinel(held):
        raise FastPathRejected
    yield held.slice(0, held.num_rows - 1)


def _is_sentinel(batch: Any) -> bool:
    return all(column[-1].as_py() in (_SENTINEL, float(_SENTINEL)) for column in batch.columns)


def _rows(
    batch: Any, selection: ColumnSelection, block_format: BlockFormat, place: str, text_target: bool
) -> RowBlock:
    X = np.empty((batch.num_rows, len(selection.features)))
    for j in range(X.shape[1]):
        X[:, j] = batch.column(j)
    y: NDArray[Any] | None = None
    if selection.target is not None:
        column = batch.column(X.shape[1])
        y = _labels(column) if text_target else np.array(column)
    if not fits(X, block_format.dtype) or not (y is None or text_target or fits(y, FLOAT64)):
        raise FastPathRejected
    return RowBlock(X, y, place)


def _labels(column: Any) -> NDArray[Any]:
    """Return text as objects, where equal labels are one object."""
    encoded = column.dictionary_encode()
    labels = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)[:-1]
    if not all(label.strip() for label in labels):
        raise FastPathRejected
    return labels[np.asarray(encoded.indices)]
