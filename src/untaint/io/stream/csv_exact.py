"""The exact CSV engine: the standard library's parser, which knows on which line it is.

It defines the meaning of a file. `csv_fast` is quicker and hands over to this one where it is not
certain, so that this engine finds every error, and finds the first one in the order of the rows,
whatever the size of the blocks.
"""

from __future__ import annotations

import csv
import io
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataFileError, reason, unreadable
from .block import BlockFormat, RowBlock
from .csv_file import CsvFile, open_bytes
from .numbers import FLOAT64, fits, parse, text_error
from .selection import ColumnSelection
from .targets import TextTargetError, shared_labels

_CELL_WEIGHT = 8  # text takes as much more room than a number


class Record(NamedTuple):
    """A row of text, and the line that it begins on."""

    line: int
    cells: list[str]


def records(path: Path, delimiter: str) -> Generator[Record, None, None]:
    """Yield all rows of a file, the header first; empty lines are left out."""
    try:
        with open_bytes(path) as file:
            # Bytes that are no UTF-8 matter only in a column that is read: they pass as surrogates.
            text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
            yield from _parsed(path, text, delimiter)
    except (OSError, EOFError, zlib.error) as error:
        raise unreadable(path, error) from error


def _parsed(path: Path, text: io.TextIOWrapper, delimiter: str) -> Iterator[Record]:
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise DataFileError(f"{path}, line {line}: {reason(error)}.") from error
        if cells is None:
            return
        if lines.ended:  # the parser asks for another line only inside of quotes
            raise DataFileError(f"{path}, line {line}: a quote is opened and never closed.")
        if cells:
            yield Record(line, cells)


class _Lines:
    """Iterator over the lines of a file that records whether the end was reached."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self.ended = False

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._text.readline()
        if not line:
            self.ended = True
            raise StopIteration
        return line


def read_header(path: Path, delimiter: str) -> CsvFile:
    """Read the first line that is not empty, which names the columns."""
    with closing(records(path, delimiter)) as rows:
        first = next(rows, None)
    if first is None:
        raise DataFileError(f"{path}: expected a header line, found an empty file.")
    line, names = first
    if not all(_is_text(name) for name in names):
        raise DataFileError(f"{path}, line {line}: the header is not UTF-8 text.")
    # pandas writes 0, 1, 2, ... where it has no names.
    counted = [str(j) for j in range(len(names))]
    if names != counted and all(text_error(name, FLOAT64) is None for name in names):
        raise DataFileError(
            f"{path}, line {line}: expected a header that names the columns, found only numbers."
        )
    return CsvFile(path, delimiter, names)


def read_exactly(
    file: CsvFile,
    selection: ColumnSelection,
    block_format: BlockFormat,
    *,
    text_target: bool,
    skip: int = 0,
) -> Iterator[RowBlock]:
    """Read all rows but the first few, which have been read already.

    Raises
    ------
    TextTargets
        If targets are to be numbers and one is not.
    """
    source = islice(_full_rows(file), skip, None)
    size = block_format.rows_per_block(_CELL_WEIGHT * len(file.header))
    while True:
        block, error_after = _take(source, size)
        if block:
            yield _convert(file.path, block, selection, block_format, text_target)
        if error_after is not None:
            raise error_after
        if not block:
            return


def _full_rows(file: CsvFile) -> Iterator[Record]:
    width = len(file.header)
    rows = records(file.path, file.delimiter)
    next(rows, None)  # nothing, if the file has been emptied since its header was read
    for record in rows:
        if len(record.cells) != width:
            raise DataFileError(
                f"{file.path}, line {record.line}: expected {width} fields as in the header, found "
                f"{len(record.cells)}."
            )
        yield record


def _take(source: Iterator[Record], size: int) -> tuple[list[Record], DataFileError | None]:
    """Return some rows, and the error that the next raised; errors in the former come first."""
    block: list[Record] = []
    try:
        for record in islice(source, size):
            block.append(record)
    except DataFileError as error_after:
        return block, error_after
    return block, None


def _convert(
    path: Path,
    block: list[Record],
    selection: ColumnSelection,
    block_format: BlockFormat,
    text_target: bool,
) -> RowBlock:
    cells = [record.cells[j] for record in block for j in selection.features]
    labels = (
        [] if selection.target is None else [record.cells[selection.target] for record in block]
    )
    y: NDArray[Any] | None = None
    try:
        X = parse(cells).reshape(len(block), -1)
        if labels:
            y = _as_text(labels) if text_target else parse(labels)
        good = fits(X, block_format.dtype) and (y is None or text_target or fits(y, FLOAT64))
    except ValueError:
        good = False
    if not good:
        _refuse_first(path, block, selection, block_format.dtype, text_target)
    return RowBlock(X, y, str(path))


def _as_text(labels: list[str]) -> NDArray[Any]:
    y = shared_labels(labels)
    if any(_label_error(label) for label in set(labels)):
        raise ValueError("a label is empty, or not text")
    return y


def _refuse_first(
    path: Path,
    block: list[Record],
    selection: ColumnSelection,
    dtype: np.dtype[Any],
    text_target: bool,
) -> None:
    """Raise the first error, row by row, features before the target."""
    for line, cells in block:
        faults = [
            f"{title} {fault}"
            for j, title in zip(selection.features, selection.titles, strict=True)
            if (fault := text_error(cells[j], dtype))
        ]
        if selection.target is not None and not faults:
            fault = _target_error(cells[selection.target], text_target)
            faults += [f"{selection.target_title} {fault}"] if fault else []
        if faults:
            raise DataFileError(f"{path}, line {line}: {faults[0]}.")
    raise AssertionError("a block was refused without an error")


def _target_error(cell: str, text_target: bool) -> str | None:
    if text_target:
        return _label_error(cell)
    fault = text_error(cell, FLOAT64)
    if fault is not None and fault.startswith("should be a number"):
        raise TextTargetError
    return fault


def _label_error(cell: str) -> str | None:
    if not cell.strip():
        return "is empty"
    return None if _is_text(cell) else "is not UTF-8 text"


def _is_text(cell: str) -> bool:
    """Return whether a cell was UTF-8, which leaves no surrogates."""
    try:
        cell.encode()
    except UnicodeEncodeError:
        return False
    return True
