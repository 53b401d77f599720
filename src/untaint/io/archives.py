"""gzip and zip: the bytes of the one file inside, never more of them than is allowed.

How much comes out of an archive is counted before any of it is kept, so that a small archive of
very many bytes is refused and takes no memory.
"""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, NamedTuple

from .errors import DataFileError, listed, reason

GZIP = b"\x1f\x8b"
ZIP = (b"PK\x03\x04", b"PK\x05\x06")  # with files, and empty
# Endings of files that hold a table, whether or not they are in gzip.
TABLE_SUFFIXES = (".csv", ".tsv", ".tab", ".parquet", ".pq", ".jsonl", ".ndjson", ".xlsx", ".xlsm")
# A table may be in gzip within a zip file, and the other way round.
MAX_LAYERS = 2
# What a cell takes in memory, about, while a table is read.
CELL_BYTES = 32
# The most bytes that deflate makes of one.
_MAX_DEFLATE_RATIO = 1032
_CHUNK = 2**20
_PARQUET = b"PAR1"
# What a zip file is, by a file or directory in it.
_WORKBOOK = "xl/workbook.xml"
_OTHERS = {
    "xl/workbook.bin": "a binary Excel workbook (.xlsb); save it as .xlsx or as CSV first",
    "content.xml": "an OpenDocument file; save the table as .xlsx or as CSV first",
    "word/document.xml": "a Word document; save the table as CSV first",
}


class Content(NamedTuple):
    """The content of a source, unpacked.

    Attributes
    ----------
    name : str
        What the source is called in messages.
    data : bytes
    file_name : str
        Name of the file that the bytes are of, which may be one in an archive.
    layers : tuple of str
        What it was packed in, "gzip" or "zip", the outermost first.
    """

    name: str
    data: bytes
    file_name: str
    layers: tuple[str, ...] = ()

    @property
    def is_parquet(self) -> bool:
        """Whether the first bytes are those of a Parquet file."""
        return self.data.startswith(_PARQUET)

    @property
    def is_workbook(self) -> bool:
        """Whether it is an Excel workbook (.xlsx)."""
        if not self.data.startswith(ZIP):
            return False
        return _WORKBOOK in open_zip(self.name, io.BytesIO(self.data)).namelist()


def unpack(name: str, data: bytes, max_bytes: int) -> Content:
    """Return the one file within gzip or zip; anything else is returned as it is.

    Parameters
    ----------
    name : str
        Name of the file, for messages.
    data : bytes
    max_bytes : int
        The most bytes that may come out.
    """
    content = Content(name, data, name)
    while True:
        is_gzip = content.data.startswith(GZIP)
        if not is_gzip and (content.is_workbook or not content.data.startswith(ZIP)):
            return content
        if len(content.layers) == MAX_LAYERS:
            raise DataFileError(
                f"{name}: expected one table in an archive, found archives within archives; "
                "unpack them first."
            )
        if is_gzip:
            data = _gunzip(name, content.data, max_bytes)
            file_name = content.file_name.removesuffix(".gz")
        else:
            data, file_name = _unzip(name, content.data, max_bytes)
        layers = (*content.layers, "gzip" if is_gzip else "zip")
        content = Content(name, data, file_name, layers)


def too_large(name: str, max_bytes: int) -> DataFileError:
    """Return the error for a source with more bytes than are allowed."""
    return DataFileError(
        f"{name}: expected at most {max_bytes:,} bytes when unpacked, found more; "
        "a larger max_bytes (--max-bytes) allows them."
    )


def check_cells(name: str, layers: tuple[str, ...], n_cells: int, max_bytes: int) -> None:
    """Refuse a table from an archive if its cells take more memory than there may be bytes.

    Very many short cells take far more memory than bytes. Whoever has a plain file of them has seen
    its size; an archive of them may be tiny.
    """
    if layers and n_cells * CELL_BYTES > max_bytes:
        raise DataFileError(
            f"{name}: expected an archive of at most {max_bytes:,} bytes when unpacked, found "
            f"about {n_cells:,} cells, which take more; a larger max_bytes (--max-bytes) allows "
            "them."
        )


def read_at_most(stream: IO[bytes], max_bytes: int, name: str) -> bytes:
    """Read a stream to its end, or refuse it as soon as it goes on for too long."""
    kept = io.BytesIO()
    for chunk in _chunks(stream):
        if kept.tell() + len(chunk) > max_bytes:
            raise too_large(name, max_bytes)
        kept.write(chunk)
    return kept.getvalue()


def check_zip(name: str, entries: list[zipfile.ZipInfo], max_bytes: int) -> None:
    """Refuse files of a zip archive that are encrypted, too large, or packed in an unusual way.

    `zipfile` reads no more bytes of a file than the archive says it has, so that the sum of these
    is a bound.
    """
    if any(entry.flag_bits & 1 for entry in entries):
        raise DataFileError(
            f"{name}: expected an archive without a password, found one with a password; "
            "unpack it first."
        )
    if any(
        entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries
    ):
        raise DataFileError(
            f"{name}: expected an archive that is packed by deflate, found another method; "
            "unpack it first."
        )
    if sum(entry.file_size for entry in entries) > max_bytes:
        raise too_large(name, max_bytes)


def _chunks(stream: IO[bytes] | gzip.GzipFile) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _gunzip(name: str, data: bytes, max_bytes: int) -> bytes:
    try:
        if len(data) * _MAX_DEFLATE_RATIO > max_bytes:
            size = 0
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
                for chunk in _chunks(stream):
                    size += len(chunk)
                    if size > max_bytes:
                        raise too_large(name, max_bytes)
        return gzip.decompress(data)
    except EOFError as error:
        raise DataFileError(
            f"{name}: expected a whole gzip file, found one that breaks off before its end."
        ) from error
    except (OSError, zlib.error) as error:
        raise DataFileError(
            f"{name}: expected a gzip file, found one that is damaged ({error})."
        ) from error


def open_zip(name: str, file: IO[bytes]) -> zipfile.ZipFile:
    """Open a zip archive that may be damaged."""
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError) as error:
        raise _damaged(name, error) from error


def _unzip(name: str, data: bytes, max_bytes: int) -> tuple[bytes, str]:
    archive = open_zip(name, io.BytesIO(data))
    entry = only_table(name, archive)
    check_zip(name, [entry], max_bytes)
    try:
        with archive.open(entry) as stream:
            return read_at_most(stream, max_bytes, name), entry.filename
    except DataFileError:
        raise
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, EOFError) as error:
        raise _damaged(name, error) from error
    except (NotImplementedError, RuntimeError) as error:
        raise DataFileError(f"{name}: expected a zip file ({reason(error)}).") from error


def only_table(name: str, archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """Return the one table in an archive: the one file, or the one that is named like a table."""
    for place, what in _OTHERS.items():
        if place in archive.namelist():
            raise DataFileError(f"{name}: expected a table, found {what}.")
    entries = [entry for entry in archive.infolist() if not _is_extra(entry)]
    tables = [entry for entry in entries if is_named_like_table(entry.filename)]
    if len(tables) == 1 or len(entries) == 1:
        return (tables or entries)[0]
    names = [entry.filename for entry in tables or entries]
    if not names:
        raise DataFileError(f"{name}: expected a zip file with one table, found an empty one.")
    raise DataFileError(
        f"{name}: expected a zip file with one table, found {len(names)} "
        f"{'tables' if tables else 'files'}: {listed(names)}; unpack the one that is meant."
    )


def _is_extra(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry is a directory, or was added by the system."""
    last = entry.filename.rpartition("/")[2]
    return not last or last.startswith(".") or entry.filename.startswith("__MACOSX/")


def is_named_like_table(file_name: str) -> bool:
    """Return whether the ending of a name is that of a table, in gzip or not."""
    return file_name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES)


def _damaged(name: str, error: Exception) -> DataFileError:
    return DataFileError(
        f"{name}: expected a whole zip archive or Excel workbook, found a damaged one "
        f"({reason(error)})."
    )
