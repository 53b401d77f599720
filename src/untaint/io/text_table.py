"""A table of text, which keeps its bytes, and can write rows again as they were."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._typing import IntArray
from .arrow import arrow
from .dialect import Dialect
from .encoding import encode
from .fields import field_spans
from .records import Places
from .table import Extra, RawTable, Replacement, as_positions, extra_cells


class TextTable(RawTable):
    """A table that was read from text.

    Parameters
    ----------
    source, names, dialect, notes
        As of every table.
    columns : list of Arrow arrays of strings
    text : bytes
        UTF-8, whatever the file's encoding.
    bounds : array of shape (n_rows + 2,)
        Where records begin, the header included, and the end of the text.
    ends : array of shape (n_rows + 1,)
        Where records end, without line ends.
    lines : array of shape (n_rows + 1,)
        Lines of the file that records begin in.
    """

    def __init__(
        self,
        source: str,
        names: list[str],
        dialect: Dialect,
        notes: list[str],
        *,
        columns: list[Any],
        text: bytes,
        bounds: Places,
        ends: Places,
        lines: Places,
    ) -> None:
        super().__init__(source, names, len(ends) - 1, dialect, notes)
        self._columns = columns
        self._text = text
        self._bounds = bounds
        self._ends = ends
        self._lines = lines

    def header_with(self, *extra: str) -> bytes:
        """Return the header, with the names of further columns."""
        end = self._ends[0]
        header = self._text[:end] + self._cells(extra) + self._text[end : self._bounds[1]]
        return self.dialect.mark + self._encoded(header)

    def rows_bytes(
        self,
        rows: ArrayLike | None = None,
        *,
        extra: Extra | None = None,
        replace: Replacement | None = None,
    ) -> bytes:
        """Return rows as they stand in the file; see `RawTable.rows_bytes`."""
        positions = as_positions(rows, self.n_rows)
        cells = extra_cells(extra, len(positions))
        if cells is None and replace is None:
            pieces = self._runs(positions)
        else:
            pieces = self._changed(positions, cells, replace)
        return self._encoded(b"".join(pieces))

    def _runs(self, positions: IntArray) -> Iterator[bytes]:
        """Yield the bytes of rows; consecutive rows are one slice."""
        breaks = np.flatnonzero(np.diff(positions) != 1) + 1
        for run in np.split(positions, breaks):
            if len(run):
                yield self._text[self._bounds[run[0] + 1] : self._bounds[run[-1] + 2]]
                yield self._missing_line_end(run[-1], positions)

    def _changed(
        self, positions: IntArray, cells: list[list[str]] | None, replace: Replacement | None
    ) -> Iterator[bytes]:
        texts = dict[int, list[tuple[int, str]]]()
        for column, cells_of in (replace or {}).items():
            for i, text in cells_of.items():
                texts.setdefault(i, []).append((column, text))
        added = [b""] * len(positions) if cells is None else [self._cells(row) for row in cells]
        starts, ends, bounds = (
            places[positions + k].tolist()
            for places, k in ((self._bounds, 1), (self._ends, 1), (self._bounds, 2))
        )
        for k, i in enumerate(positions.tolist()):
            record = self._text[starts[k] : ends[k]]
            for column, text in texts.get(i, ()):
                record = self._replaced(record, column, text)
            yield record + added[k] + self._text[ends[k] : bounds[k]]
            if i == self.n_rows - 1:
                yield self._missing_line_end(i, positions)

    def _cells(self, cells: Sequence[str]) -> bytes:
        """Return further cells of a record, each after a delimiter."""
        dialect = self.dialect
        text = "".join(dialect.delimiter + dialect.write_cell(cell) for cell in cells)
        return text.encode(errors="replace")

    def _missing_line_end(self, i: int, positions: IntArray) -> bytes:
        """Return a line end if a row is the last of the file, lacks one, and another follows."""
        if i != self.n_rows - 1 or i == positions[-1]:
            return b""
        return b"" if self._ends[-1] < len(self._text) else self.dialect.line_end.encode()

    def _replaced(self, record: bytes, column: int, text: str) -> bytes:
        quotes = self.dialect.quote is not None
        spans = field_spans(record, self.dialect.delimiter.encode(), quotes=quotes)
        start, end = spans[column]
        quoted = quotes and record.startswith(b'"', start)
        cell = self.dialect.write_cell(text, quoted=quoted).encode(errors="replace")
        return record[:start] + cell + record[end:]

    def _encoded(self, data: bytes) -> bytes:
        return encode(data, self.dialect.encoding)

    def parquet_bytes(self, rows: ArrayLike | None = None) -> bytes:
        """Return rows as a Parquet file in which every column is text."""
        pa, pq = arrow(), arrow("parquet")
        table = pa.Table.from_arrays(self._columns, self.names)
        stream = io.BytesIO()
        pq.write_table(table.take(pa.array(as_positions(rows, self.n_rows))), stream)
        return stream.getvalue()

    def column(self, j: int) -> Any:
        """Return a column as an Arrow array of strings, as they are written, without quotes."""
        return self._columns[j]

    def cell(self, i: int, j: int) -> str:
        """Return the text of a cell, without quotes."""
        return str(self._columns[j][i].as_py())

    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Return the texts of a column in some rows, without quotes."""
        return list(self._columns[j].take(arrow().array(rows)).to_pylist())

    def line_number(self, i: int) -> int:
        """Return the line of the file that a row begins in, from 1."""
        return int(self._lines[i + 1])
