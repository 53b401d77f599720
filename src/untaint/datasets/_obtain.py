"""Where a data set comes from: a directory, else its archive, which is then kept in a directory.

The directories, in this order, both to look in and to keep a download in: ``data_home``, or when
that is None the one that the environment variable ``UNTAINT_DATA`` names; then ``untaint`` in the
user's cache directory, ``XDG_CACHE_HOME`` or ``~/.cache``. A directory that cannot be written is
passed over, and when none can be, the data are returned all the same.
"""

import gzip
import hashlib
import os
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeAlias

from .._atomic_write import open_atomically
from ._archives import LARGEST_FILE
from ._sources import DatasetSource
from ._table import DatasetTable, parse_dataset, write_dataset

PathLike: TypeAlias = str | os.PathLike[str]

DATA_HOME_VARIABLE = "UNTAINT_DATA"


def obtain(
    source: DatasetSource, data_home: PathLike | None = None, *, download_if_missing: bool = True
) -> DatasetTable:
    """Return a data set's table, or say in one sentence how to provide it."""
    home = os.environ.get(DATA_HOME_VARIABLE) if data_home is None else data_home
    folders = list(_folders(home))
    path = _find(source, folders)
    if path is not None:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        return parse_dataset(content, source.task)
    if not source.urls:
        return source.parse(b"")
    failures = [] if download_if_missing else ["download_if_missing is False"]
    for url in source.urls if download_if_missing else ():
        try:
            table, file = _fetch(source, url)
        except (OSError, HTTPException) as error:
            failures.append(f"{url} did not serve it ({getattr(error, 'reason', error)})")
        else:
            _keep(file, source.filename, folders)
            return table
    place = f"in {os.fspath(home)!r}" if home else "because no data directory is set"
    raise FileNotFoundError(
        f"{source.filename} was not found {place}, and {', and '.join(failures)}: pass data_home, "
        f"or set the environment variable {DATA_HOME_VARIABLE}, to a directory that holds the "
        "file, or let it be downloaded, with download_if_missing=True and a network connection "
        f"(original source: {source.origin})."
    )


def _folders(home: PathLike | None) -> Iterator[Path]:
    if home:
        yield Path(home).expanduser()
    cache = os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or os.path.join("~", ".cache"))
    if os.path.isabs(cache):  # else the user has no home
        yield Path(cache) / "untaint"


def _find(source: DatasetSource, folders: list[Path]) -> Path | None:
    names = (source.filename, f"{source.filename}.gz")
    paths = (folder / name for folder in folders for name in names)
    # A directory that may not be entered is one without the file, which Path.is_file may dispute.
    return next((path for path in paths if os.path.isfile(path)), None)


def _fetch(source: DatasetSource, url: str) -> tuple[DatasetTable, bytes]:
    """Download a table, check it, and return it with the bytes of its CSV file."""
    raw = _download(url)
    try:
        table = source.parse(raw)
    except Exception as error:  # bytes that are not the file can break a parser in any way
        raise OSError(f"what came could not be read: {error}") from error
    file = write_dataset(table)
    checksum = hashlib.sha256(file).hexdigest()
    if checksum != source.checksum:
        rows, columns = table.data.shape
        raise OSError(
            f"its table, {rows} x {columns}, has the SHA-256 {checksum} in place of the expected "
            f"{source.checksum}"
        )
    return table, file


def _download(url: str) -> bytes:
    from sklearn.datasets import fetch_file  # only here, as it takes a second to import

    with TemporaryDirectory() as folder:
        # Other addresses are tried, in place of the same one again.
        path = fetch_file(url, folder=folder, local_filename="download", n_retries=0)
        if path.stat().st_size > LARGEST_FILE:
            raise OSError(f"more than {LARGEST_FILE} bytes")
        return path.read_bytes()


def _keep(file: bytes, filename: str, folders: list[Path]) -> None:
    """Write a file into the first directory that takes it, so that no reader sees it half done."""
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with open_atomically(folder / filename) as stream:
                stream.write(file)
        except OSError:
            continue
        else:
            return
