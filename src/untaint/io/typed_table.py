"""A table with types: rows are written as CSV text, or as Parquet with the types they had."""

from typing import Any

import numpy as np

from .._typing import IntArray
from .arrow import pa
from .columns.typed import written
from .dialect import Dialect
from .table import RawTable, Replacement


class TypedTable(RawTable):
    """A table that was read from a file with types: Parquet, Excel or JSON lines.

    Parameters
    ----------
    source, names, dialect, notes
        As of every table; the dialect is that of the text it writes.
    table : Arrow table
        With everything that the file held.
    visible : list of int, default=all
        Positions in it of the columns that are the user's.
    lines : int array of shape (n_rows,), optional
        Where each row stands in the file, from 1; by default rows are counted.
    line_word : str
        What such a place is called.
    """

    def __init__(
        self,
        source: str,
        names: list[str],
        dialect: Dialect,
        notes: list[str],
        *,
        table: Any,
        visible: list[int] | None = None,
        lines: IntArray | None = None,
        line_word: str = "row",
    ) -> None:
        super().__init__(source, names, table.num_rows, dialect, notes)
        self._table, self._lines, self.line_word = table, lines, line_word
        self._visible = list(range(len(names))) if visible is None else visible

    def header_with(self, *extra: str) -> bytes:
        """Return the header of the rows as CSV text, with the names of further columns."""
        return self._line([*self.names, *extra]).encode(errors="replace")

    def _rows_bytes(
        self, positions: IntArray, cells: list[list[str]] | None, replace: Replacement
    ) -> bytes:
        added = cells or [[]] * len(positions)
        columns = [self.texts(j, positions) for j in range(len(self.names))]
        for column, texts in replace.items():
            for k, i in enumerate(positions.tolist()):
                columns[column][k] = texts.get(i, columns[column][k])
        lines = (self._line([*cells, *more]) for *cells, more in zip(*columns, added, strict=True))
        return "".join(lines).encode(errors="replace")

    def _line(self, cells: list[str]) -> str:
        written = (self.dialect.write_cell(cell) for cell in cells)
        return self.dialect.delimiter.join(written) + self.dialect.line_end

    def _taken(self, positions: IntArray) -> Any:
        if not (np.diff(positions) > 0).all():
            return self._table.take(pa.array(positions))
        mask = np.zeros(self.n_rows, bool)
        mask[positions] = True
        # Nested types can be filtered always, but not always taken.
        return self._table.filter(pa.array(mask))

    def column(self, j: int) -> Any:
        """Return a column as an Arrow array of the type it has in the file."""
        return self._table.column(self._visible[j])

    def cell(self, i: int, j: int) -> str:
        """Return a cell as text, empty if it is missing."""
        return written(self.column(j).slice(i, 1))[0] or ""

    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Return the cells of a column in some rows as text, empty if they are missing."""
        return [text or "" for text in written(self.column(j).take(pa.array(rows)))]

    def line_number(self, i: int) -> int:
        """Return where a row stands in the file, or its number, from 1."""
        return i + 1 if self._lines is None else int(self._lines[i])
