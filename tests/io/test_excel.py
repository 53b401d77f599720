"""Sheets of Excel workbooks."""

import io
import re
import sys
import zipfile
from datetime import datetime, time

import numpy as np
import pytest

from untaint.io import DataFileError, read_columns, read_target

openpyxl = pytest.importorskip("openpyxl")


def workbook(*sheets):
    """The bytes of a workbook of sheets, each a name and rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def edited(content, name, change):
    """A workbook with another content of one of its files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(stream, "w") as new:
        for entry in old.namelist():
            data = old.read(entry)
            new.writestr(entry, change(data) if entry == name else data)
    return stream.getvalue()


ROWS = [
    ["size", "kind", "when", "sold", "price"],
    [1.5, "flat", datetime(2020, 1, 5), True, 100],
    [2, "house, old", datetime(2020, 2, 5), False, None],
    [None, "flat", None, None, 300],
]
BOOK = workbook(("prices", ROWS), ("Notes", [["x", "y"], [1, 2]]))


def test_names_cells_and_types_are_there(read):
    table = read(BOOK, "a.xlsx")
    assert table.names == ROWS[0]
    assert table.rows_cells([1])[0] == ["2.0", "house, old", "2020-02-05", "false", ""]
    kinds = [column.kind for column in read_columns(table)]
    assert kinds == ["number", "text", "date", "boolean", "number"]
    np.testing.assert_array_equal(read_target(table, "price").values, [100, np.nan, 300])
    assert table.dialect.describe() == "Excel, sheet 'prices'"
    assert not table.dialect.parquet


def test_rows_are_written_as_csv(read):
    table = read(BOOK, "a.xlsx")
    assert table.header_bytes + table.rows_bytes([False, True, True]) == (
        b'size,kind,when,sold,price\n2.0,"house, old",2020-02-05,false,\n,flat,,,300\n'
    )


def test_rows_are_counted_as_in_the_sheet(read):
    table = read(workbook(("s", [[], ["x", "y"], [1, 2], [], [3, 4], [" ", None]])), "a.xlsx")
    assert table.n_rows == 2
    assert [table.line_number(i) for i in range(2)] == [3, 5]
    assert table.place(1) == "sheet row 5"
    assert table.notes == ["1 blank row is passed over."]


def test_a_sheet_is_chosen_by_its_name(read):
    assert read(BOOK, "a.xlsx", sheet="Notes").names == ["x", "y"]
    assert "--sheet reads another: 'Notes'" in read(BOOK, "a.xlsx").notes[0]


def test_columns_of_several_types_are_text(read):
    rows = [["x", "y"], [1, "a"], ["n/a", 2.5], [time(5, 30), datetime(2020, 1, 1, 6)]]
    table = read(workbook(("s", rows)), "a.xlsx", decimal=",")
    assert table.texts(0, np.arange(3)) == ["1", "n/a", "05:30:00"]
    assert table.texts(1, np.arange(3)) == ["a", "2,5", "2020-01-01 06:00:00"]


def test_columns_without_names_and_cells_are_not_there(read):
    table = read(workbook(("s", [[None, "x", None, "y"], [None, 1, None, 2]])), "a.xlsx")
    assert table.names == ["x", "y"]


def test_the_size_that_a_sheet_claims_does_not_count(read):
    claim = re.compile(rb'<dimension ref="[^"]*"')
    content = edited(
        BOOK, "xl/worksheets/sheet1.xml", lambda data: claim.sub(b'<dimension ref="A1:A2"', data)
    )
    assert read(content, "a.xlsx").rows_cells([2])[0] == read(BOOK, "a.xlsx").rows_cells([2])[0]


def far_row(data):
    return data.replace(b'<row r="4">', b'<row r="99999999999">')


BAD = {
    "an empty sheet": (workbook(("s", [])), {}, "sheet 's': expected a table, found an empty"),
    "names alone": (workbook(("s", [["x", "y"]])), {}, "expected rows below the column names"),
    "one column": (workbook(("s", [["x"], [1]])), {}, "expected at least two columns, found 1"),
    "a title": (workbook(("s", [["T"], ["x", "y"]])), {}, "row 2: expected 1 cell as in the"),
    "a name twice": (workbook(("s", [["x", "x"], [1, 2]])), {}, "found 'x' more than once"),
    "a wrong name": (BOOK, {"sheet": "notes"}, "found 'prices', 'Notes'; did you mean 'Notes'?"),
    "half a workbook": (BOOK[:-40], {}, "expected a whole zip archive or Excel workbook"),
    "broken XML": (
        edited(BOOK, "xl/worksheets/sheet1.xml", lambda data: data[:-99]),
        {},
        "expected a whole Excel workbook, found one that is damaged",
    ),
    "text": (b"x,y\n1,2\n", {}, "expected an Excel workbook, found something else"),
    "a password": (
        b"\xd0\xcf\x11\xe0\xa1\xb1" + b"\xff" * 99 + "EncryptedPackage".encode("utf-16-le"),
        {},
        "expected a workbook without a password",
    ),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1" + b"\xff" * 99, {}, "found an old Excel workbook"),
    "too many bytes": (BOOK, {"max_bytes": 9000}, "expected at most 9,000 bytes when unpacked"),
    "a row very far away": (
        edited(BOOK, "xl/worksheets/sheet1.xml", far_row),
        {},
        "expected at most 1,048,576 rows",
    ),
}


@pytest.mark.parametrize(("content", "options", "said"), BAD.values(), ids=BAD.keys())
def test_a_bad_workbook_is_refused_in_one_sentence(read, content, options, said):
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        read(content, "a.xlsx", **options)
    assert "a.xlsx" in str(caught.value)
    assert str(caught.value).endswith((".", "?"))
    assert "\n" not in str(caught.value)


def test_a_sheet_of_a_file_without_sheets_is_refused(read):
    with pytest.raises(DataFileError, match="expected an Excel workbook with a sheet 's'"):
        read("x,y\n1,2\n", sheet="s")


def test_without_openpyxl_the_way_to_install_it_is_said(read, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'untaint[excel]'")):
        read(BOOK, "a.xlsx")
