"""Rows of a text, a block of whole records at a time.

Every block is read as a table of its own, with the header before it: records by `..records`, and
numbers by Arrow through `..cells`. Where Arrow refuses a block, reads something that is no finite
number, or is not installed, the records are split one by one, which names the line of the first
error in the order of the rows whatever the size of the blocks, and reads on where Python's floats
are more tolerant.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..._typing import AnyArray
from ..arrow import find_arrow
from ..cells import parse_columns, split_records, split_text
from ..decimals import find_decimal
from ..dialect import Dialect
from ..encoding import StreamDecoder
from ..errors import DataFileError
from ..fields import split_record
from ..records import Records, count_lines, find_records, length_of_whole_records
from ..sniff import find_delimiter
from .block import BlockFormat, RowBlock, shared_labels
from .checks import FLOAT64, fits, label_error, parse, text_error
from .selection import ColumnSelection, ColumnSelector
from .targets import TextTargetError

_SAMPLE = 2**16  # bytes that determine the dialect
_BLOCK_BYTES = 2**20
_FIELD_BYTES = 64  # more than most fields take
_LONGEST_RECORD = 2**27


def read_text_rows(
    place: str,
    stream: BinaryIO,
    columns: ColumnSelector,
    block_format: BlockFormat,
    delimiter: str,
    text_target: bool,
    fallback_encoding: bool,
) -> Iterator[RowBlock]:
    """Read the rows of a stream of bytes.

    Parameters
    ----------
    place : str
        What messages call the stream.
    stream : binary stream
    columns, block_format
        What to read, and how much of it at a time.
    delimiter : str
        The one to prefer.
    text_target : bool
        Whether targets are text; else TextTargetError is raised for one that is no number.
    fallback_encoding : bool
        Whether the text is known not to be UTF-8; else OtherEncodingError is raised if that is
        found too late.
    """
    blocks = _WholeRecords(place, stream, delimiter, fallback_encoding)
    delimiter = blocks.delimiter
    header, after_header = _read_header(place, blocks)
    names = split_record(header, delimiter.encode(), quotes=True)
    selection = columns.select(place, [name.strip() for name in names], len(names))
    dialect = Dialect(delimiter, decimal=_find_decimal(blocks, selection))
    n_lines = count_lines(header) + 1
    reader = _BlockReader(place, dialect, len(names), selection, block_format.dtype, text_target)
    size = _block_bytes(block_format, len(names))
    rest: Iterator[bytes | memoryview] = iter(lambda: blocks.take(size), b"")
    for body in chain([after_header], rest):
        text = b"".join((header, b"\n", body))
        records = _records(text, delimiter)
        first_line = blocks.line - n_lines
        blocks.line = first_line + records.n_lines
        yield from reader.read(text, records, first_line - 1)


def _block_bytes(block_format: BlockFormat, width: int) -> int:
    if block_format.block_rows is None:
        return _BLOCK_BYTES
    return max(2**12, min(block_format.block_rows * width * _FIELD_BYTES, _BLOCK_BYTES))


class _WholeRecords:
    """The text of a stream, cut between records, and what its first bytes show."""

    def __init__(self, place: str, stream: BinaryIO, delimiter: str, fallback: bool) -> None:
        head = stream.read(_SAMPLE)
        decoder = StreamDecoder(place, head, fallback=fallback)
        self.place, self._stream, self._decoder = place, stream, decoder
        self._ahead = head[len(decoder.mark) :]
        self.cut = len(head) == _SAMPLE  # whether more follows the sample
        self.sample = self._ahead.decode(decoder.encoding, errors="ignore").encode()
        self.delimiter = delimiter
        if self.sample.strip():
            self.delimiter = find_delimiter(place, self.sample, delimiter, cut=self.cut)
        self._rest = b""
        self._ended = False
        self.line = 1  # that the next records begin on, which whoever takes them counts

    def take(self, size: int) -> memoryview:
        """Return some whole records, none if the stream has ended; its last one may be broken."""
        text, whole = self._rest, 0
        while not whole and not self._ended:
            raw, self._ahead = self._ahead[:size], self._ahead[size:]
            raw = raw or self._stream.read(size)
            self._ended = not raw
            line = self.line + count_lines(text)
            text += self._decoder.decode(raw, line, final=not raw)
            whole = len(text) if self._ended else length_of_whole_records(text, self.delimiter)
            if len(text) > whole + _LONGEST_RECORD:
                raise DataFileError(
                    f"{self.place}, line {self.line}: expected records of at most "
                    f"{_LONGEST_RECORD:,} bytes, found a longer one; a quote may be opened and "
                    "never closed."
                )
            size *= 2
        self._rest = text[whole:]
        return memoryview(text)[:whole]


def _find_decimal(blocks: _WholeRecords, selection: ColumnSelection) -> str:
    """Return the decimal mark of the columns that are read, as the first records show it."""
    if blocks.delimiter == "," or b"," not in blocks.sample:
        return "."
    header, *rows = split_text(blocks.sample, blocks.delimiter)
    rows = [row for row in rows[: len(rows) - blocks.cut] if len(row) == len(header)]
    columns = [[row[j] for row in rows] for j in selection.positions]
    return find_decimal(columns, blocks.delimiter)


def _read_header(place: str, blocks: _WholeRecords) -> tuple[bytes, bytes]:
    """Return the first record, which names the columns, and the records read along with it."""
    while True:
        text = bytes(blocks.take(2**12))
        if not text:
            raise DataFileError(f"{place}: expected a header line, found an empty file.")
        records = _records(text, blocks.delimiter)
        if len(records.starts):
            break
        blocks.line += records.n_lines
    line = blocks.line + int(records.lines[0]) - 1
    if records.unclosed is not None and len(records.starts) == 1:
        raise _unclosed(place, line)
    header = text[records.starts[0] : records.ends[0]]
    names = split_record(header, blocks.delimiter.encode(), quotes=True)
    # pandas writes 0, 1, 2, ... where it has no names.
    counted = [str(j) for j in range(len(names))]
    if names != counted and all(text_error(name, FLOAT64) is None for name in names):
        raise DataFileError(
            f"{place}, line {line}: expected a header that names the columns, found only numbers."
        )
    start = int(records.bounds[1])
    blocks.line += count_lines(text[:start])
    return header, text[start:]


def _records(text: bytes, delimiter: str) -> Records:
    return find_records(text, delimiter, quotes=True, skip_spaces=False)


def _unclosed(place: str, line: int) -> DataFileError:
    return DataFileError(f"{place}, line {line}: a quote is opened and never closed.")


class _BlockReader(NamedTuple):
    """What every block of a text is read with, the header before it."""

    place: str
    dialect: Dialect
    width: int
    selection: ColumnSelection
    dtype: np.dtype[Any]
    text_target: bool

    def read(self, text: bytes, records: Records, line: int) -> Iterator[RowBlock]:
        """Read a block, given how many lines of the file come before it."""
        if len(records.starts) < 2:
            return
        quick = find_arrow("csv") is not None and records.unclosed is None
        rows = self._by_arrow(text, records) if quick else None
        if rows is None:
            yield from self._one_by_one(text, records, line)
        else:
            yield rows

    def _by_arrow(self, text: bytes, records: Records) -> RowBlock | None:
        """Return the rows of a block, None unless all of it is certain to be right."""
        pa, target = find_arrow(), self.selection.target
        types = dict.fromkeys(self.selection.positions, pa.float64())
        if self.text_target:
            types[target] = pa.string()
        delimiter, decimal = self.dialect.delimiter, self.dialect.decimal
        columns = parse_columns(text, records, delimiter, self.width, types, decimal=decimal)
        if columns is None:
            return None
        y: AnyArray | None = None
        if target is not None:
            column = columns.pop()
            y = _shared_labels(column) if self.text_target else np.array(column)
            if y is None or not (self.text_target or fits(y, FLOAT64)):
                return None
        X = np.empty((len(records.starts) - 1, len(columns)))
        for j, column in enumerate(columns):
            X[:, j] = column
        return RowBlock(X, y, self.place) if fits(X, self.dtype) else None

    def _one_by_one(self, text: bytes, records: Records, line: int) -> Iterator[RowBlock]:
        """Yield the rows before the first record that is broken, then raise its error."""
        n_closed = len(records.starts) - (records.unclosed is not None)
        counts = records.counts(text, self.dialect.delimiter)[:n_closed]
        ragged = np.flatnonzero(counts != self.width)
        end = int(ragged[0]) if len(ragged) else n_closed
        lines = (records.lines + line).tolist()
        whole = records._replace(starts=records.starts[1:end], ends=records.ends[1:end])
        rows = list(split_records(text, whole, self.dialect.delimiter))
        if rows:
            yield self._convert(rows, lines[1:])
        if len(ragged):
            raise DataFileError(
                f"{self.place}, line {lines[end]}: expected {self.width} fields as in the header, "
                f"found {counts[end]}."
            )
        if records.unclosed is not None:
            raise _unclosed(self.place, lines[-1])

    def _convert(self, rows: list[list[str]], lines: list[int]) -> RowBlock:
        selection, decimal = self.selection, self.dialect.decimal
        labels = [] if selection.target is None else [row[selection.target] for row in rows]
        y: AnyArray | None = None
        try:
            X = parse([row[j] for row in rows for j in selection.features], decimal)
            X = X.reshape(len(rows), -1)
            good = fits(X, self.dtype)
            if labels and self.text_target:
                y = shared_labels(labels)
                good &= all(label.strip() for label in set(labels))
            elif labels:
                y = parse(labels, decimal)
                good &= fits(y, FLOAT64)
        except ValueError:
            good = False
        if not good:
            self._refuse_first(rows, lines)
        return RowBlock(X, y, self.place)

    def _refuse_first(self, rows: list[list[str]], lines: list[int]) -> None:
        """Raise the first error, row by row, features before the target."""
        titles = [*self.selection.titles, self.selection.target_title]
        for line, row in zip(lines, rows, strict=False):
            for j, title in zip(self.selection.positions, titles, strict=False):
                fault = self._fault(row[j], is_target=j == self.selection.target)
                if fault:
                    raise DataFileError(f"{self.place}, line {line}: {title} {fault}.")
        raise AssertionError("a block was refused without an error")

    def _fault(self, cell: str, *, is_target: bool) -> str | None:
        if is_target and self.text_target:
            return label_error(cell)
        fault = text_error(cell, FLOAT64 if is_target else self.dtype, self.dialect.decimal)
        if is_target and fault is not None and fault.startswith("should be a number"):
            raise TextTargetError
        return fault


def _shared_labels(column: Any) -> AnyArray | None:
    """Return text as objects, where equal labels are one object; None if one is blank."""
    encoded = column.combine_chunks().dictionary_encode()
    labels = np.array([*encoded.dictionary.to_pylist(), None], dtype=object)[:-1]
    if not all(label.strip() for label in labels):
        return None
    return labels[np.asarray(encoded.indices)]
