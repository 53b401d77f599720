"""The spool: blocks go into a temporary file, one after the other, and come back as one array.

The file has a name for as long as the array lives, because that is how other processes reach it:
joblib hands its workers the name of a mapped file instead of a copy of the rows. It is removed when
the table is closed, when no reference to the array or a view of it is left, and at exit.
"""

import os
import tempfile
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np

from ..._typing import AnyArray
from ..errors import DataFileError, reason


class Spool:
    """Rows on their way into a file, which the ``with`` block removes unless `finish` was called.

    Parameters
    ----------
    directory : Path or None
        Where the file goes; None for the system's temporary directory.
    dtype : numpy.dtype
        Type of the rows as written.
    count_rows : callable
        Returns the number of rows, None if unknown; called only if the disk is full.
    """

    def __init__(
        self, directory: Path | None, dtype: np.dtype[Any], count_rows: Callable[[], int | None]
    ) -> None:
        self._directory = Path(tempfile.gettempdir()) if directory is None else directory
        self._dtype, self._count_rows = dtype, count_rows
        self.n_rows = self._width = 0
        self._path, self._file = self._open()

    def _open(self) -> tuple[Path, BinaryIO]:
        try:
            descriptor, name = tempfile.mkstemp(".rows", "untaint-", self._directory)
        except OSError as error:
            raise DataFileError(
                f"{self._directory}: no temporary file can be made there ({reason(error)}); pass "
                "another directory."
            ) from error
        return Path(name), os.fdopen(descriptor, "wb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._file.closed:  # not finished
            with suppress(OSError):  # the rest of the buffer is not needed
                self._file.close()
            _remove(self._path, os.getpid())

    def write(self, X: AnyArray) -> None:
        """Append a block of rows."""
        if len(X) == 0:
            return
        try:
            self._file.write(np.ascontiguousarray(X, dtype=self._dtype).data)
        except OSError as error:
            raise self._full(error) from error
        self.n_rows += len(X)
        self._width = X.shape[1]

    def finish(self) -> tuple[np.memmap[Any, Any], Callable[[], object]]:
        """Map all rows; return them and a function that removes their file."""
        try:
            self._file.flush()
        except OSError as error:
            raise self._full(error) from error
        X = np.memmap(self._path, self._dtype, mode="r", shape=(self.n_rows, self._width))
        self._file.close()
        # Views of X keep its mapping alive, and not X itself.
        return X, weakref.finalize(X.base, _remove, self._path, os.getpid())

    def _full(self, error: OSError) -> DataFileError:
        row_bytes = self._width * self._dtype.itemsize
        rows = self._count_rows()
        needed = f" of {rows * row_bytes:,}" if rows is not None and row_bytes else ""
        return DataFileError(
            f"{self._directory}: the rows cannot be spooled there ({reason(error)}) after "
            f"{self.n_rows * row_bytes:,}{needed} bytes; pass another directory."
        )


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a fork has a copy of every finalizer, but does not own the file
        with suppress(OSError):
            path.unlink(missing_ok=True)
