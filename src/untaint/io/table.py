"""A table as it was read: names, cells, and the bytes of every row."""

import io
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import IntArray
from .arrow import pq
from .dialect import Dialect
from .errors import DataFileError

# What cells should say, by position of their column and by row.
Replacement = Mapping[int, Mapping[int, str]]
# For each row that is written: a cell, or several.
Extra = Sequence[str] | Sequence[Sequence[str]]


class RawTable(ABC):
    """A table as it was read; rows are numbered from 0, the header not counted.

    Attributes
    ----------
    source : str
        Name of the table in messages.
    names : list of str
        Names of the columns.
    n_rows : int
        Number of rows, without the header.
    dialect : Dialect
        Delimiter, encoding and number format of the file.
    notes : list of str
        Remarks about irregularities that were found while reading.
    """

    def __init__(
        self, source: str, names: list[str], n_rows: int, dialect: Dialect, notes: list[str]
    ) -> None:
        self.source, self.names, self.n_rows = source, names, n_rows
        self.dialect, self.notes = dialect, notes

    line_word = "line"  # what `place` counts

    @property
    def header_bytes(self) -> bytes:
        """The header as it stands in the file, with its line end."""
        return self.header_with()

    @abstractmethod
    def header_with(self, *extra: str) -> bytes:
        """Return the header, with the names of further columns."""

    def rows_bytes(
        self,
        rows: ArrayLike | None = None,
        *,
        extra: Extra | None = None,
        replace: Replacement | None = None,
    ) -> bytes:
        """Return rows as they stand in the file, with their line ends.

        Parameters
        ----------
        rows : bool array of shape (n_rows,) or int array, default=all
            Which rows, as a mask, or as positions in any order.
        extra : sequence, optional
            A cell (or a sequence of cells) to append to each row that is written.
        replace : mapping of int to mapping, optional
            What cells should say, by position of their column and by row. All other cells keep
            their bytes.
        """
        positions = as_positions(rows, self.n_rows)
        return self._rows_bytes(positions, extra_cells(extra, len(positions)), replace or {})

    @abstractmethod
    def _rows_bytes(
        self, positions: IntArray, cells: list[list[str]] | None, replace: Replacement
    ) -> bytes: ...

    def parquet_bytes(self, rows: ArrayLike | None = None) -> bytes:
        """Return rows as a Parquet file: with the types they had, or as text if they were text."""
        stream = io.BytesIO()
        pq.write_table(self._taken(as_positions(rows, self.n_rows)), stream)
        return stream.getvalue()

    @abstractmethod
    def _taken(self, positions: IntArray) -> Any:
        """Return rows as an Arrow table."""

    @abstractmethod
    def column(self, j: int) -> Any:
        """Return a column as an Arrow array: text as written, or typed if the file has types."""

    @abstractmethod
    def cell(self, i: int, j: int) -> str:
        """Return the text of a cell."""

    @abstractmethod
    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Return the texts of a column in some rows."""

    @abstractmethod
    def line_number(self, i: int) -> int:
        """Return the line of the file that a row begins in, or the row's number without lines."""

    def place(self, i: int) -> str:
        """Return the place of a row in words, such as "line 17"."""
        return f"{self.line_word} {self.line_number(i)}"

    def rows_cells(self, rows: IntArray) -> list[list[str]]:
        """Return the texts of some rows."""
        columns = [self.texts(j, rows) for j in range(len(self.names))]
        return [list(cells) for cells in zip(*columns, strict=True)]


def as_positions(rows: ArrayLike | None, n_rows: int) -> IntArray:
    """Return positions of rows that were given as a mask, or as positions."""
    if rows is None:
        return np.arange(n_rows)
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n_rows,):
            raise ValueError(f"a mask of rows should have length {n_rows}, got shape {rows.shape}.")
        return np.flatnonzero(rows)
    positions = rows.astype(np.intp).ravel()
    if len(positions) and not (positions.min() >= 0 and positions.max() < n_rows):
        raise ValueError(f"rows should lie between 0 and {n_rows - 1}.")
    return positions


def extra_cells(extra: Extra | None, n: int) -> list[list[str]] | None:
    """Return the cells to append to each of ``n`` rows."""
    if extra is None:
        return None
    if len(extra) != n:
        raise ValueError(f"extra should have a cell for each of {n} rows, got {len(extra)}.")
    return [[cells] if isinstance(cells, str) else list(cells) for cells in extra]


def check_table(table: Any) -> None:
    """Raise unless a table has been read."""
    if not isinstance(table, RawTable):
        raise DataFileError(f"table should be what read_table returns, got {type(table).__name__}.")
