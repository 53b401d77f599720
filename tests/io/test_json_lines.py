"""JSON lines."""

import gzip
import re

import numpy as np
import pytest

from untaint.io import DataFileError, read_columns

LINES = (
    '{"size": 1, "kind": "flat", "sold": true, "price": 100}\n'
    "\n"
    '{"kind": "house, old", "sold": false, "price": null, "size": 2.5}\r\n'
    '{"size": NaN, "kind": "flat", "sold": null, "price": 300}'
)


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json", "table"])
def test_records_are_rows(read, name):
    table = read(LINES, name)
    assert table.names == ["size", "kind", "sold", "price"]
    assert table.rows_cells([1])[0] == ["2.5", "house, old", "false", ""]
    assert table.dialect.describe() == "JSON lines"
    kinds = [column.kind for column in read_columns(table)]
    assert kinds == ["number", "text", "boolean", "number"]


def test_lines_are_those_of_the_file(read):
    table = read(LINES, "a.jsonl")
    assert [table.line_number(i) for i in range(3)] == [1, 3, 4]
    assert table.place(1) == "line 3"


def test_rows_are_written_as_csv(read):
    table = read(LINES, "a.jsonl")
    assert table.header_bytes + table.rows_bytes([1, 2]) == (
        b'size,kind,sold,price\n2.5,"house, old",false,\n,flat,,300\n'
    )


def test_gzip_and_byte_order_marks_are_read(read):
    table = read(gzip.compress(b"\xef\xbb\xbf" + LINES.encode()), "a.jsonl.gz")
    assert (table.names[0], table.n_rows) == ("size", 3)
    assert table.dialect.describe() == "JSON lines, gzip"


def test_lists_and_objects_are_text_and_noted(read):
    table = read('{"x": [1, "é"], "y": 1}\n{"x": {"a": null}, "y": 2}\n', "a.jsonl")
    assert table.texts(0, np.arange(2)) == ['[1, "é"]', '{"a": null}']
    assert table.notes == ["Lists and objects are read as text, in 'x'."]


def test_whole_numbers_of_any_size_keep_their_digits(read):
    table = read('{"x": 1180591620717411303425, "y": 1}\n', "a.jsonl")
    assert table.cell(0, 0) == "1180591620717411303425"


BAD = {
    "arrays": ("[1, 2]\n[3, 4]\n", "line 1: expected an object with the columns as keys, found an"),
    "an array below": ('{"x": 1, "y": 2}\n\n[1]\n', "line 3: expected an object"),
    "numbers": ("3\n", "found a number"),
    "words": ('{"x": 1, "y": 2}\nhello\n', "line 2: expected a JSON object (Expecting value at"),
    "no key": ('{"x": 1, "y": 2}\n{"x": 1}\n', "line 2: expected the same keys as in line 1, fo"),
    "another key": ('{"x": 1, "y": 2}\n{"x": 1, "y": 2, "z": 3}\n', "found 'z' as well"),
    "a key twice": ('{"x": 1, "x": 2}\n', "the key 'x' occurs twice"),
    "one key": ('{"x": 1}\n', "expected at least two columns, found 1"),
    "no keys": ("{}\n", "expected at least two columns, found 0"),
    "blank lines": ("\n \n", "expected a table, found an empty file"),
    "deep": ('{"x": 1, "y": ' + "[" * 100_000, "too many arrays or objects within one another"),
    "digits": ('{"x": 1' + "0" * 9999 + ', "y": 1}', "too many digits"),
    "half a record": ('{"x": 1, "y": 2}\n{"x": 1, "y"', "line 2: expected a JSON object"),
}


@pytest.mark.parametrize(("content", "said"), BAD.values(), ids=BAD.keys())
def test_bad_lines_are_refused_in_one_sentence(read, content, said):
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        read(content, "a.jsonl")
    assert "a.jsonl" in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)
