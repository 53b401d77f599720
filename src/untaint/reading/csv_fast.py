"""The fast CSV engine: pyarrow's, which stops at the first doubt.

It serves the bulk of a file. Whatever it refuses, and whatever it reads that is no good number or
label, is left to `csv_exact`, which goes on from the last good block: either to name the line, or
to read on where it is more patient.

pyarrow takes a quote that is never closed for one long last field. So a last row of our own is
added to what it reads: if that does not come out again, a quote has swallowed it.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .block import Form, Rows
from .columns import Picked
from .csv_file import CsvFile
from .numbers import FLOAT64, fits

_BLOCK_BYTES = 2**20
_ROW_BYTES_PER_FIELD = 64  # pyarrow refuses a block that does not hold a row
_LAST = "-4.0625e-291"  # exact, and in nobody's data


class Doubt(Exception):
    """The fast engine does not vouch for the rows that come next."""


def read_fast(
    file: CsvFile, picked: Picked, form: Form, arrow: tuple[Any, Any], *, text_target: bool
) -> Iterator[Rows]:
    """Read rows for as long as there is no doubt about them.

    Raises
    ------
    Doubt
        At the first block that is not good as it is.
    """
    pa, _ = arrow
    try:
        with (
            file.open() as stream,
            # Closed before the stream is, which pyarrow reads in a thread of its own.
            closing(_batches(file, stream, picked, form, arrow, text_target)) as batches,
        ):
            for batch in _without_last(batches):
                yield _rows(batch, picked, form, str(file.path), text_target)
    except (pa.ArrowException, OSError, EOFError, zlib.error) as error:
        raise Doubt from error


def _batches(
    file: CsvFile,
    stream: BinaryIO,
    picked: Picked,
    form: Form,
    arrow: tuple[Any, Any],
    text_target: bool,
) -> Generator[Any, None, None]:
    pa, csv = arrow
    types = {file.header[j]: pa.float64() for j in picked.features}
    if picked.target is not None:
        types[file.header[picked.target]] = pa.string() if text_target else pa.float64()
    width = len(file.header)
    reader = csv.open_csv(
        pa.PythonFile(_WithLastRow(stream, file.delimiter, width), mode="r"),
        # pyarrow reads some thirty blocks ahead; more threads would convert as many at a time.
        read_options=csv.ReadOptions(block_size=_block_bytes(form, width), use_threads=False),
        parse_options=csv.ParseOptions(delimiter=file.delimiter, newlines_in_values=True),
        convert_options=csv.ConvertOptions(
            column_types=types, include_columns=list(types), null_values=[]
        ),
    )
    with reader:
        yield from reader


def _block_bytes(form: Form, width: int) -> int:
    row = _ROW_BYTES_PER_FIELD * width
    wanted = _BLOCK_BYTES if form.block_rows is None else form.block_rows * row
    return max(2**12, row, min(wanted, _BLOCK_BYTES))


class _WithLastRow:
    """A stream with one row more than the file has."""

    closed = False

    def __init__(self, stream: BinaryIO, delimiter: str, width: int) -> None:
        self._stream = stream
        self._last = f"\n{delimiter.join([_LAST] * width)}\n".encode()

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if not data:
            data, self._last = self._last, b""
        return data

    def close(self) -> None:
        self.closed = True


def _without_last(batches: Iterator[Any]) -> Iterator[Any]:
    """Take the added row off the last batch."""
    held = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        if held is not None:
            yield held
        held = batch
    if held is None or not _is_last(held):
        raise Doubt
    yield held.slice(0, held.num_rows - 1)


def _is_last(batch: Any) -> bool:
    return all(column[-1].as_py() in (_LAST, float(_LAST)) for column in batch.columns)


def _rows(batch: Any, picked: Picked, form: Form, place: str, text_target: bool) -> Rows:
    X = np.empty((batch.num_rows, len(picked.features)))
    for j in range(X.shape[1]):
        X[:, j] = batch.column(j)
    y: NDArray[Any] | None = None
    if picked.target is not None:
        column = batch.column(X.shape[1])
        y = _labels(column) if text_target else np.array(column)
    if not fits(X, form.dtype) or not (y is None or text_target or fits(y, FLOAT64)):
        raise Doubt
    return Rows(X, y, place)


def _labels(column: Any) -> NDArray[Any]:
    """Text as objects, equal ones the same."""
    encoded = column.dictionary_encode()
    labels = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)[:-1]
    if not all(label.strip() for label in labels):
        raise Doubt
    return labels[np.asarray(encoded.indices)]
