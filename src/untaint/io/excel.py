"""Reading a sheet of an Excel workbook (.xlsx), through openpyxl.

Rows come one after the other, so that the memory needed follows from the cells that a sheet has,
and not from the size that it claims. A formula counts as the value that was saved with it.
"""

import io
import warnings
import zipfile
from collections.abc import Iterator
from itertools import compress
from typing import Any

from .._progress import report_step
from .archives import Content, check_cells, check_zip
from .encoder.target import hint_at
from .errors import DataFileError, listed, reason
from .source import MAX_BYTES
from .typed_cells import typed_table
from .typed_table import TypedTable

# Rows that a sheet of Excel has at most.
_MAX_ROWS = 2**20
# Rows after which the progress is reported.
_REPORTED = 1000
Row = tuple[int, list[Any]]


def read_excel(
    content: Content, sheet: str | None, decimal: str | None, max_bytes: int = MAX_BYTES
) -> TypedTable:
    """Read a sheet, by default the first; its first row that is not blank holds the names."""
    name = content.name
    notes: list[str] = []
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            check_zip(name, archive.infolist(), max_bytes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and extensions, which are not read
            found = _find_sheet(name, _open_workbook(content.data), sheet, notes)
            rows = _read_rows(f"{name}, sheet {found.title!r}", found, max_bytes)
    except (DataFileError, ImportError, MemoryError):
        raise
    except Exception as error:  # openpyxl lets through whatever a broken workbook makes of it
        raise DataFileError(
            f"{name}: expected a whole Excel workbook, found one that is damaged ({reason(error)})."
        ) from error
    sheet = f"sheet {found.title!r}"
    (_, header), *body = _without_empty_columns(rows)
    lines, columns = [line for line, _ in body], zip(*(row for _, row in body), strict=True)
    n_blank = rows[-1][0] - rows[0][0] - len(body)
    if n_blank:
        notes.append(f"{n_blank} blank row{' is' if n_blank == 1 else 's are'} passed over.")
    place, kind = f"{name}, {sheet}", f"Excel, {sheet}"
    return typed_table(content, kind, decimal, header, columns, lines, "sheet row", notes, place)


def _open_workbook(data: bytes) -> Any:
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise ImportError(
            "reading Excel workbooks needs openpyxl: pip install 'untaint[excel]'"
        ) from error
    return load_workbook(io.BytesIO(data), read_only=True, data_only=True)


def _find_sheet(name: str, workbook: Any, sheet: str | None, notes: list[str]) -> Any:
    sheets = {found.title: found for found in workbook.worksheets}
    if not sheets:
        raise DataFileError(f"{name}: expected a workbook with a sheet of cells, found none.")
    if sheet is None:
        first = next(iter(sheets))
        if len(sheets) > 1:
            notes.append(
                f"The first of {len(sheets)} sheets, {first!r}, was read; --sheet reads another: "
                f"{listed(list(sheets)[1:])}."
            )
        return sheets[first]
    if sheet not in sheets:
        known = f"{listed(list(sheets))}{hint_at(sheet, list(sheets))}"
        raise DataFileError(f"{name}: expected a sheet {sheet!r}, found {known}")
    return sheets[sheet]


def _read_rows(place: str, sheet: Any, max_bytes: int) -> list[Row]:
    """Return the rows that are not blank, with their numbers, all as long as the first."""
    rows: list[Row] = []
    width, first = 0, 0
    for line, cells in _filled_rows(place, sheet):
        if not rows:
            width, first = len(cells), line
        if len(cells) > width:
            expected = "1 cell" if width == 1 else f"{width} cells"
            raise DataFileError(
                f"{place}, row {line}: expected {expected} as in the column names in row {first}, "
                f"found {len(cells)}."
            )
        rows.append((line, cells + [None] * (width - len(cells))))
        check_cells(place, ("zip",), len(rows) * width, max_bytes)  # which a workbook is
    if not rows:
        raise DataFileError(f"{place}: expected a table, found an empty sheet.")
    return rows


def _without_empty_columns(rows: list[Row]) -> list[Row]:
    """Return the rows without columns that have neither a name nor a cell."""
    if None not in rows[0][1]:
        return rows
    used = [
        any(cell is not None for cell in cells)
        for cells in zip(*(row for _, row in rows), strict=True)
    ]
    return [(line, list(compress(row, used))) for line, row in rows]


def _filled_rows(place: str, sheet: Any) -> Iterator[Row]:
    """Yield rows without the empty cells at their ends, and none that is blank."""
    claimed = sheet.max_row or 0
    sheet.reset_dimensions()  # what the file says of them may be wrong
    for line, cells in enumerate(sheet.iter_rows(values_only=True), 1):
        if line % _REPORTED == 0:
            report_step(min(line, claimed), claimed)
        if line > _MAX_ROWS:
            raise DataFileError(
                f"{place}: expected at most {_MAX_ROWS:,} rows, as Excel has, found more."
            )
        filled = [None if isinstance(cell, str) and not cell.strip() else cell for cell in cells]
        while filled and filled[-1] is None:
            filled.pop()
        if filled:
            yield line, filled
