"""The unpacked bytes of a source, and its kind by the first of them."""

import os
import stat
import sys
from difflib import get_close_matches
from pathlib import Path

from .archives import Content, read_at_most, too_large, unpack
from .errors import DataFileError, unreadable

STANDARD_INPUT = "-"
# The most bytes that a source may have when it is unpacked, unless another bound is given.
MAX_BYTES = 2**31
_EXPECTED_ENDINGS = {"a Parquet file": (".parquet", ".pq"), "an Excel workbook": (".xlsx", ".xlsm")}
# What people hand in by mistake, by its first bytes.
_OLE = b"\xd0\xcf\x11\xe0"
_OTHERS = {
    _OLE: "an old Excel workbook (.xls)",
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


def read_content(source: str | os.PathLike[str], max_bytes: int = MAX_BYTES) -> Content:
    """Read a file, or standard input for "-"."""
    if source == STANDARD_INPUT:
        name, data = "standard input", _read_standard_input(max_bytes)
    else:
        path = Path(source)
        name, data = str(path), read_file(path, max_bytes)
    content = unpack(name, data, max_bytes)
    _check_is_table(content)
    return content


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """Read a file or a pipe, at most so many bytes of it; devices are refused.

    Raises
    ------
    DataFileError
        With one sentence that says what was expected, and what was found.
    """
    try:
        place = path.expanduser()
        status = place.stat()
        if stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode):
            if status.st_size > max_bytes:
                raise too_large(str(path), max_bytes)
            with place.open("rb") as stream:
                return read_at_most(stream, max_bytes, str(path))
    except FileNotFoundError as error:
        raise DataFileError(
            f"{path}: expected a file, found none of that name{_similar_names_hint(path)}"
        ) from error
    except OSError as error:
        raise unreadable(path, error) from error
    except DataFileError:
        raise
    except (ValueError, RuntimeError) as error:  # a NUL in the name; an unknown home directory
        raise DataFileError(f"{str(path)!r}: expected the name of a file ({error}).") from error
    found = "a directory" if stat.S_ISDIR(status.st_mode) else "a device or a socket"
    raise DataFileError(f"{path}: expected a file, found {found}.")


def _read_standard_input(max_bytes: int) -> bytes:
    name, stream = "standard input", sys.stdin.buffer
    try:
        mode = os.fstat(stream.fileno()).st_mode
        is_device = stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and not stream.isatty())
    except OSError:  # it is no file
        is_device = False
    if is_device and not os.path.samestat(os.fstat(stream.fileno()), os.stat(os.devnull)):
        raise DataFileError(f"{name}: expected a table, found a device.")
    return read_at_most(stream, max_bytes, name)


def _similar_names_hint(path: Path) -> str:
    """Return a hint at files in the same directory with similar names."""
    try:
        names = [entry.name for entry in path.expanduser().parent.iterdir()]
    except (OSError, RuntimeError):
        return "."
    close = get_close_matches(path.name, names, n=1)
    return f"; did you mean {close[0]!r}?" if close else "."


def _check_is_table(content: Content) -> None:
    name, data = content.name, content.data
    if not data:
        raise DataFileError(f"{name}: expected a table, found an empty file.")
    for magic, what in _OTHERS.items():
        # A text may open with "ORC" or "BZh" as well, but not with bytes beyond ASCII after it.
        if data.startswith(magic) and not data[:64].isascii():
            if magic == _OLE and "EncryptedPackage".encode("utf-16-le") in data:
                raise DataFileError(
                    f"{name}: expected a workbook without a password, found one with a password; "
                    "save it without."
                )
            raise DataFileError(f"{name}: expected a table, found {what}; save it as CSV first.")
    is_expected = {"a Parquet file": content.is_parquet, "an Excel workbook": content.is_workbook}
    for what, endings in _EXPECTED_ENDINGS.items():
        if content.file_name.lower().endswith(endings) and not is_expected[what]:
            raise DataFileError(f"{name}: expected {what}, found something else.")
