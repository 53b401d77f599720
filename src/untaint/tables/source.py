"""The unpacked bytes of a source, and its kind by the first of them."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from ..reading.errors import DataFileError, unreadable

STANDARD_INPUT = "-"
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
# What people hand in by mistake, by its first bytes.
_OTHERS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"%PDF": "a PDF document",
    b"SQLite format 3": "an SQLite database",
    b"\x89PNG": "a picture",
    b"\x89HDF": "an HDF5 file",
    b"\xff\xd8\xff": "a picture",
    b"\x93NUMPY": "a NumPy array",
    b"ARROW1": "a Feather file",
    b"ORC": "an ORC file",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
}


class Content(NamedTuple):
    """The content of a source.

    Attributes
    ----------
    name : str
        What the source is called in messages.
    data : bytes
    compressed : bool
        Whether it came in gzip.
    """

    name: str
    data: bytes
    compressed: bool

    @property
    def is_parquet(self) -> bool:
        """Whether the first bytes are those of a Parquet file."""
        return self.data.startswith(_PARQUET)


def read_content(source: str | os.PathLike[str]) -> Content:
    """Read a file, or standard input for "-".

    Examples
    --------
    >>> from untaint.tables.source import read_content
    >>> read_content("nowhere.csv")
    Traceback (most recent call last):
    untaint.reading.errors.DataFileError: nowhere.csv: expected a file, found none of that name.
    """
    if source == STANDARD_INPUT:
        name, data = "standard input", sys.stdin.buffer.read()
    else:
        path = Path(source)
        name, data = str(path), _read_file(path)
    content = _unpacked(name, data)
    _check_is_table(content, expect_parquet=name.lower().endswith((".parquet", ".pq")))
    return content


def _read_file(path: Path) -> bytes:
    try:
        return path.expanduser().read_bytes()
    except FileNotFoundError as error:
        raise DataFileError(
            f"{path}: expected a file, found none of that name{_similar_names_hint(path)}"
        ) from error
    except IsADirectoryError as error:
        raise DataFileError(f"{path}: expected a file, found a directory.") from error
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, RuntimeError) as error:  # a NUL in the name; an unknown home directory
        raise DataFileError(f"{str(path)!r}: expected the name of a file ({error}).") from error


def _similar_names_hint(path: Path) -> str:
    """Return a hint at files in the same directory with similar names."""
    try:
        names = [entry.name for entry in path.expanduser().parent.iterdir()]
    except (OSError, RuntimeError):
        return "."
    close = get_close_matches(path.name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


def _unpacked(name: str, data: bytes) -> Content:
    if not data.startswith(_GZIP):
        return Content(name, data, compressed=False)
    try:
        return Content(name, gzip.decompress(data), compressed=True)
    except EOFError as error:
        raise DataFileError(
            f"{name}: expected a whole gzip file, found one that breaks off before its end."
        ) from error
    except (OSError, zlib.error) as error:
        raise DataFileError(
            f"{name}: expected a gzip file, found one that is damaged ({error})."
        ) from error


def _check_is_table(content: Content, *, expect_parquet: bool) -> None:
    name, data = content.name, content.data
    if not data:
        raise DataFileError(f"{name}: expected a table, found an empty file.")
    if expect_parquet and not content.is_parquet:
        raise DataFileError(f"{name}: expected a Parquet file, found something else.")
    for magic, what in _OTHERS.items():
        # A text may open with "ORC" or "BZh" as well, but not with bytes beyond ASCII after it.
        if data.startswith(magic) and not data[:64].isascii():
            raise DataFileError(
                f"{name}: expected CSV text or Parquet, found {what}; save the table as CSV first."
            )
