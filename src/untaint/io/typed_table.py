"""A table with types: rows are written as CSV text, or as Parquet with the types they had."""

import io
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import IntArray
from .arrow import arrow
from .columns.typed import written
from .dialect import Dialect
from .table import Extra, RawTable, Replacement, as_positions, extra_cells


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
        self._table = table
        self._visible = list(range(len(names))) if visible is None else visible
        self._lines = lines
        self.line_word = line_word

    def header_with(self, *extra: str) -> bytes:
        """Return the header of the rows as CSV text, with the names of further columns."""
        return self._line([*self.names, *extra]).encode(errors="replace")

    def rows_bytes(
        self,
        rows: ArrayLike | None = None,
        *,
        extra: Extra | None = None,
        replace: Replacement | None = None,
    ) -> bytes:
        """Return rows as CSV text; see `RawTable.rows_bytes`."""
        positions = as_positions(rows, self.n_rows)
        added = extra_cells(extra, len(positions)) or [[]] * len(positions)
        taken = arrow().array(positions)
        columns = [
            [text or "" for text in written(self.column(j).take(taken))]
            for j in range(len(self.names))
        ]
        for column, texts in (replace or {}).items():
            for k, i in enumerate(positions.tolist()):
                columns[column][k] = texts.get(i, columns[column][k])
        lines = (self._line([*cells, *more]) for *cells, more in zip(*columns, added, strict=True))
        return "".join(lines).encode(errors="replace")

    def _line(self, cells: list[str]) -> str:
        written = (self.dialect.write_cell(cell) for cell in cells)
        return self.dialect.delimiter.join(written) + self.dialect.line_end

    def parquet_bytes(self, rows: ArrayLike | None = None) -> bytes:
        """Return rows as a Parquet file with the types, and the metadata, that the file had."""
        positions = as_positions(rows, self.n_rows)
        mask = np.zeros(self.n_rows, bool)
        mask[positions] = True
        pa, pq = arrow(), arrow("parquet")
        in_order = bool((np.diff(positions) > 0).all())
        # Nested types can be filtered always, but not always taken.
        table = (
            self._table.filter(pa.array(mask))
            if in_order
            else self._table.take(pa.array(positions))
        )
        stream = io.BytesIO()
        pq.write_table(table, stream)
        return stream.getvalue()

    def column(self, j: int) -> Any:
        """Return a column as an Arrow array of the type it has in the file."""
        return self._table.column(self._visible[j])

    def cell(self, i: int, j: int) -> str:
        """Return a cell as text, empty if it is missing."""
        return written(self.column(j).slice(i, 1))[0] or ""

    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Return the cells of a column in some rows as text, empty if they are missing."""
        return [text or "" for text in written(self.column(j).take(arrow().array(rows)))]

    def line_number(self, i: int) -> int:
        """Return where a row stands in the file, or its number, from 1."""
        return i + 1 if self._lines is None else int(self._lines[i])
