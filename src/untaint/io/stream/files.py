"""The files of a source, and the reader of each kind of file."""

import gzip
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..._progress import report_step, tracked
from ..archives import (
    GZIP,
    TABLE_SUFFIXES,
    ZIP,
    check_zip,
    is_named_like_table,
    only_table,
    open_zip,
)
from ..errors import DataFileError, listed, unreadable
from ..read import read_table
from ..typed_table import TypedTable
from .arrays import count_array_rows, read_array
from .block import BlockFormat, RowBlock
from .selection import ColumnSelector
from .text import read_text_rows
from .typed import count_parquet_rows, read_parquet_rows, read_typed_rows

_PARQUET = (".parquet", ".pq")
_TEXT = {".csv": ",", ".tsv": "\t", ".tab": "\t"}  # and the delimiter that the ending means
_ARRAY = ".npy"
ENDINGS = (*TABLE_SUFFIXES, _ARRAY, ".zip")
_UNLIMITED = 2**63


class ReadOptions(NamedTuple):
    """What earlier blocks have shown of the files, so that all are read again.

    Attributes
    ----------
    text_target : bool
        Whether the targets are text.
    not_utf8 : frozenset of str
        Paths of texts that are no UTF-8.
    """

    text_target: bool = False
    not_utf8: frozenset[str] = frozenset()


def find_files(source: Any) -> list[Path] | None:
    """Return the files of a path, a directory or a list of paths; None for any other source."""
    if _is_path(source):
        path = Path(source)
        files = _files_in(path) if path.is_dir() else [path]
    elif isinstance(source, Sequence) and len(source) and all(map(_is_path, source)):
        files = [Path(path) for path in source]
    else:
        return None
    _check_files(files)
    return files


def _is_path(source: Any) -> bool:
    return isinstance(source, (str, os.PathLike))


def _files_in(directory: Path) -> list[Path]:
    """Return the data files of a directory by name; hidden files and others are skipped."""
    try:
        files = sorted(path for path in directory.iterdir() if path.is_file())
    except OSError as error:
        raise unreadable(directory, error) from error
    files = [path for path in files if kind_of(path) and path.name[0] not in "._"]
    if not files:
        raise DataFileError(f"{directory}: expected files that end in {_endings()}, found none.")
    return files


def _check_files(files: list[Path]) -> None:
    for path in files:
        if kind_of(path) is None:
            raise DataFileError(
                f"{path}: expected a directory, or a file that ends in {_endings()}."
            )
        try:
            directory = stat.S_ISDIR(path.stat().st_mode)
        except OSError as error:
            raise unreadable(path, error) from error
        except ValueError as error:  # a NUL in the name
            raise DataFileError(f"{str(path)!r}: expected the name of a file ({error}).") from error
        if directory:
            raise DataFileError(f"{path}: expected a file, found a directory.")
        if kind_of(path) != kind_of(files[0]):
            raise DataFileError(f"{path}: expected files of one kind, found {files[0]} as well.")


def _endings() -> str:
    return f"{listed(ENDINGS)} (or in .gz after that)"


def kind_of(path: Path) -> str | None:
    """Return the ending that says how to read a file, without .gz."""
    name = path.name.lower()
    if name.endswith((_ARRAY, ".zip")):
        return name[-4:]
    name = name.removesuffix(".gz")
    return next((ending for ending in TABLE_SUFFIXES if name.endswith(ending)), None)


def read_files(
    files: list[Path], columns: ColumnSelector, block_format: BlockFormat, options: ReadOptions
) -> Iterator[RowBlock]:
    """Read the rows of all files, in their order."""
    for path in tracked(files, len(files)) if len(files) > 1 else files:
        kind = kind_of(path)
        if kind == _ARRAY:
            yield from read_array(path, columns, block_format)
        elif path.name.lower().endswith(_PARQUET):
            yield from read_parquet_rows(path, columns, block_format)
        elif kind in _TEXT or (kind == ".zip" and _holds_text(path)):
            yield from _read_text(path, columns, block_format, options)
        else:
            table = read_table(path)  # which bounds what it unpacks
            assert isinstance(table, TypedTable)
            yield from read_typed_rows(table, columns, block_format)


def _read_text(
    path: Path, columns: ColumnSelector, block_format: BlockFormat, options: ReadOptions
) -> Iterator[RowBlock]:
    with open_unpacked(path) as (name, stream, file):
        size = os.fstat(file.fileno()).st_size
        delimiter = _TEXT.get(kind_of(Path(name)) or "", ",")
        known = (delimiter, options.text_target, str(path) in options.not_utf8)
        for rows in read_text_rows(str(path), stream, columns, block_format, *known):
            yield rows
            report_step(file.tell(), size)


@contextmanager
def open_unpacked(path: Path) -> Iterator[tuple[str, BinaryIO, BinaryIO]]:
    """Open a file, or the one table in a zip archive, decompressed; with its name, and as it is."""
    try:
        with ExitStack() as stack:
            stream: Any = stack.enter_context(path.open("rb"))
            name, file = path.name, stream
            if stream.peek(4).startswith(ZIP):
                archive = stack.enter_context(open_zip(str(path), stream))
                entry = only_table(str(path), archive)
                check_zip(str(path), [entry], _UNLIMITED)
                name, stream = entry.filename, stack.enter_context(archive.open(entry))
            if name.lower().endswith(".gz") or stream.peek(2).startswith(GZIP):
                stream = stack.enter_context(gzip.GzipFile(fileobj=stream))
            yield name, stream, file
    except (OSError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise unreadable(path, error) from error


def _holds_text(path: Path) -> bool:
    """Return whether the table in a zip archive is text."""
    with open_unpacked(path) as (name, _, _):
        return kind_of(Path(name)) in _TEXT or not is_named_like_table(name)


def count_rows(files: list[Path]) -> int | None:
    """Return the number of rows, None if the files do not state it."""
    counts = {_ARRAY: count_array_rows, **dict.fromkeys(_PARQUET, count_parquet_rows)}
    count = counts.get(files[0].suffix.lower())
    return None if count is None else sum(count(path) for path in files)
