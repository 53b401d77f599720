"""The files of a source, and the reader of each kind of file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import DataFileError, listed, unreadable
from .arrays import count_array_rows, read_array
from .block import BlockFormat, RowBlock
from .csv_rows import read_csv
from .parquet import count_parquet_rows, read_parquet
from .selection import ColumnSelector

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet", ".npy")


def find_files(source: Any) -> list[Path] | None:
    """Return the files of a path, a directory or a list of paths; None if source is none of these.

    Examples
    --------
    >>> from untaint.io.stream.files import find_files
    >>> find_files(iter([])) is None
    True
    """
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
        if directory:
            raise DataFileError(f"{path}: expected a file, found a directory.")
        if kind_of(path) != kind_of(files[0]):
            raise DataFileError(f"{path}: expected files of one kind, found {files[0]} as well.")


def _endings() -> str:
    return listed(ENDINGS)


def kind_of(path: Path) -> str | None:
    """Return the ending that says how to read a file, without .gz.

    Examples
    --------
    >>> from pathlib import Path
    >>> from untaint.io.stream.files import kind_of
    >>> kind_of(Path("DATA.CSV.gz"))
    '.csv'
    """
    name = path.name.lower()
    return next((end.removesuffix(".gz") for end in ENDINGS if name.endswith(end)), None)


def read_files(
    files: list[Path], columns: ColumnSelector, block_format: BlockFormat, *, text_target: bool
) -> Iterator[RowBlock]:
    """Read the rows of all files, in their order."""
    for path in files:
        kind = kind_of(path)
        if kind == ".parquet":
            yield from read_parquet(path, columns, block_format)
        elif kind == ".npy":
            yield from read_array(path, columns, block_format)
        else:
            delimiter = "\t" if kind == ".tsv" else ","
            yield from read_csv(path, delimiter, columns, block_format, text_target=text_target)


def count_rows(files: list[Path]) -> int | None:
    """Return the number of rows, None if the files do not state it."""
    kind = kind_of(files[0])
    if kind not in (".parquet", ".npy"):
        return None
    count = count_parquet_rows if kind == ".parquet" else count_array_rows
    return sum(count(path) for path in files)
