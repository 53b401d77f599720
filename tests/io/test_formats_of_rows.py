"""`read_rows` reads the formats that `read_table` reads."""

import gzip
import io
import json
import zipfile

import pytest

from untaint.io import DataFileError, read_rows

pytest.importorskip("pyarrow")
RECORDS = [{"size": 1.5, "rooms": 2, "kind": "a"}, {"size": 4, "rooms": 3, "kind": "b"}]
JSON_LINES = "\n".join(map(json.dumps, RECORDS)).encode()
CSV = b"size;rooms;kind\n1,5;2;a\n4;3;b\n"


def workbook(records=RECORDS):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(records[0]))
    for record in records:
        book.active.append(list(record.values()))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet():
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(RECORDS), stream)
    return stream.getvalue()


def zipped(name, content):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
        archive.writestr("__MACOSX/._x", b"")
    return stream.getvalue()


FILES = {
    "t.jsonl": lambda: JSON_LINES,
    "t.ndjson.gz": lambda: gzip.compress(JSON_LINES),
    "t.xlsx": workbook,
    "t.pq": parquet,
    "t.parquet.gz": lambda: gzip.compress(parquet()),
    "t.tab": lambda: CSV,
    "csv.zip": lambda: zipped("t.csv", CSV),
    "csv.gz.zip": lambda: zipped("t.csv.gz", gzip.compress(CSV)),
    "jsonl.zip": lambda: zipped("t.jsonl", JSON_LINES),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_gives_its_rows(write, spools, name):
    with read_rows(write(name, FILES[name]()), target="kind", directory=spools) as table:
        assert table.names == ["size", "rooms"]
        assert table.X.tolist() == [[1.5, 2], [4, 3]]
        assert table.y.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.jsonl", b'{"a": 1, "b": 2}\n\n{"a": 3, "b": null}\n', "line 3: column 'b' is empty"),
        ("t.jsonl", b'{"a": 1, "b": "x"}\n', "column 'b' should hold numbers, found string"),
        ("t.zip", b"PK\x03\x04 no more", "expected a whole zip archive"),
        ("t.zip", zipped("t.csv", b"a,b\n1,x\n"), "line 2: column 'b' should be a number"),
        ("t.csv", b"\x89PNG\r\n\x1a\n\0\0\0\0", "found binary data"),
    ],
)
def test_the_message_names_the_place(write, spools, name, content, message):
    path = write(name, content)
    with pytest.raises(DataFileError, match=message) as caught:
        read_rows(path, directory=spools)
    assert str(caught.value).startswith(str(path))


def test_a_blank_cell_of_a_sheet_is_named(write, spools):
    path = write("t.xlsx", workbook([{"a": 1, "b": 2}, {"a": None, "b": 4}]))
    with pytest.raises(DataFileError, match="sheet row 3: column 'a' is empty"):
        read_rows(path, directory=spools)
