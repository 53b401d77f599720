"""A table of text, which keeps its bytes, and can write rows again as they were."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .._typing import IntArray
from .arrow import pa
from .dialect import Dialect
from .encoding import encode
from .fields import field_spans
from .records import Records
from .table import RawTable, Replacement


class TextTable(RawTable):
    """A table that was read from text.

    Parameters
    ----------
    source, names, dialect, notes
        As of every table.
    columns : list of Arrow arrays of strings
    text : bytes
        UTF-8, whatever the file's encoding.
    records : Records
        Where the header and the rows stand in it.
    """

    def __init__(
        self,
        source: str,
        names: list[str],
        dialect: Dialect,
        notes: list[str],
        columns: list[Any],
        text: bytes,
        records: Records,
    ) -> None:
        super().__init__(source, names, len(records.ends) - 1, dialect, notes)
        self._columns, self._text = columns, text
        self._bounds, self._ends, self._lines = records.bounds, records.ends, records.lines

    def header_with(self, *extra: str) -> bytes:
        """Return the header, with the names of further columns."""
        end = self._ends[0]
        header = self._text[:end] + self._cells(extra) + self._text[end : self._bounds[1]]
        return self.dialect.mark + self._encoded(header)

    def _rows_bytes(
        self, positions: IntArray, cells: list[list[str]] | None, replace: Replacement
    ) -> bytes:
        changed = cells is not None or replace
        pieces = self._changed(positions, cells, replace) if changed else self._runs(positions)
        return self._encoded(b"".join(pieces))

    def _runs(self, positions: IntArray) -> Iterator[bytes]:
        """Yield the bytes of rows; consecutive rows are one slice."""
        breaks = np.flatnonzero(np.diff(positions) != 1) + 1
        for run in np.split(positions, breaks):
            if len(run):
                yield self._text[self._bounds[run[0] + 1] : self._bounds[run[-1] + 2]]
                yield self._missing_line_end(run[-1], positions)

    def _changed(
        self, positions: IntArray, cells: list[list[str]] | None, replace: Replacement
    ) -> Iterator[bytes]:
        texts = dict[int, list[tuple[int, str]]]()
        for column, cells_of in replace.items():
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

    def _taken(self, positions: IntArray) -> Any:
        return pa.Table.from_arrays(self._columns, self.names).take(pa.array(positions))

    def column(self, j: int) -> Any:
        """Return a column as an Arrow array of strings, as they are written, without quotes."""
        return self._columns[j]

    def cell(self, i: int, j: int) -> str:
        """Return the text of a cell, without quotes."""
        return str(self._columns[j][i].as_py())

    def texts(self, j: int, rows: IntArray) -> list[str]:
        """Return the texts of a column in some rows, without quotes."""
        return list(self._columns[j].take(pa.array(rows)).to_pylist())

    def line_number(self, i: int) -> int:
        """Return the line of the file that a row begins in, from 1."""
        return int(self._lines[i + 1])
