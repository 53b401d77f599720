"""What is read can be written again, byte for byte, and says what Python's csv module says."""

import codecs
import csv
import io
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from untaint.io.fields import split_record
from untaint.io.records import find_records

ANYWHERE = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
}


@dataclass
class Written:
    """A file, and what it should be read as."""

    content: bytes
    rows: list[list[str]]
    delimiter: str
    encoding: str


def cell(text, delimiter, always):
    special = any(letter in text for letter in (delimiter, '"', "\r", "\n"))
    return '"' + text.replace('"', '""') + '"' if always or special else text


@st.composite
def written_tables(draw, letters="ab 0é€,;|\t\"\r\n.'"):
    """Well-formed tables in any dialect, the header being one of the rows."""
    delimiter = draw(st.sampled_from(",;\t|"))
    line_end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8", "cp1252", "utf-16-le", "utf-16-be"]))
    marked = encoding.startswith("utf-16") or (encoding == "utf-8" and draw(st.booleans()))
    width = draw(st.integers(2, 4))
    texts = st.text(alphabet=letters, max_size=6)
    header = [f"n{j}" for j in range(width)]
    body = draw(st.lists(st.lists(texts, min_size=width, max_size=width), min_size=1, max_size=8))
    rows = [header, *body]
    always = draw(st.booleans())
    lines = [delimiter.join(cell(text, delimiter, always) for text in row) for row in rows]
    text = line_end.join(lines) + draw(st.sampled_from(["", line_end, 2 * line_end]))
    mark = MARKS[encoding] if marked else b""
    return Written(mark + text.encode(encoding), rows, delimiter, encoding)


def read_written(read, written):
    return read(written.content, delimiter=written.delimiter, encoding=written.encoding)


@ANYWHERE
@given(written=written_tables())
def test_all_rows_are_the_file_again(read, written):
    table = read_written(read, written)
    assert table.header_bytes + table.rows_bytes() == written.content


@ANYWHERE
@given(written=written_tables())
def test_cells_are_what_was_written(read, written):
    table = read_written(read, written)
    assert table.names == written.rows[0]
    assert [table.rows_cells([i])[0] for i in range(table.n_rows)] == written.rows[1:]


@ANYWHERE
@given(written=written_tables(), data=st.data())
def test_rows_that_are_kept_and_dropped_make_up_the_file(read, written, data):
    table = read_written(read, written)
    n = table.n_rows
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    again = read(
        table.header_bytes + table.rows_bytes(mask) if mask.any() else written.content,
        delimiter=written.delimiter,
        encoding=written.encoding,
    )
    kept = np.flatnonzero(mask) if mask.any() else range(n)
    assert [again.rows_cells([i])[0] for i in range(again.n_rows)] == [
        table.rows_cells([i])[0] for i in kept
    ]
    assert len(table.rows_bytes(mask)) + len(table.rows_bytes(~mask)) == len(table.rows_bytes())


@ANYWHERE
@given(written=written_tables(), data=st.data())
def test_rows_in_any_order_do_not_run_together(read, written, data):
    table = read_written(read, written)
    order = np.array(data.draw(st.permutations(range(table.n_rows))))
    again = read(
        table.header_bytes + table.rows_bytes(order),
        delimiter=written.delimiter,
        encoding=written.encoding,
    )
    assert [again.rows_cells([i])[0] for i in range(again.n_rows)] == [
        table.rows_cells([i])[0] for i in order
    ]


@ANYWHERE
@given(written=written_tables(), data=st.data())
def test_marked_and_repaired_rows_read_as_intended(read, written, data):
    table = read_written(read, written)
    n, width = table.n_rows, len(table.names)
    texts = st.text(alphabet='ab,;|\t"\r\n', max_size=4)
    extra = data.draw(st.lists(texts, min_size=n, max_size=n))
    column = data.draw(st.integers(0, width - 1))
    changed = data.draw(st.dictionaries(st.integers(0, n - 1), texts, max_size=n))
    again = read(
        table.header_with("mark, it") + table.rows_bytes(extra=extra, replace={column: changed}),
        delimiter=written.delimiter,
        encoding=written.encoding,
    )
    assert again.names == [*table.names, "mark, it"]
    for i in range(n):
        expected = [*table.rows_cells([i])[0], extra[i]]
        expected[column] = changed.get(i, expected[column])
        assert again.rows_cells([i])[0] == expected


@ANYWHERE
@given(
    text=st.text(alphabet='ab,;"\n\r', min_size=1, max_size=40).filter(lambda text: text.strip())
)
def test_records_are_those_of_pythons_csv_module_however_odd_the_quotes(text):
    raw = text.encode()
    records = find_records(raw, ",", quotes=True)
    ours = [
        split_record(raw[start:end], b",", quotes=True)
        for start, end in zip(records.starts, records.ends, strict=True)
    ]
    theirs = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if records.unclosed is None:
        assert ours == theirs
        assert records.counts(raw, ",").tolist() == [len(row) for row in theirs]


@ANYWHERE
@given(
    body=st.lists(
        st.lists(st.text(alphabet="ab \"\n\r'", max_size=5), min_size=2, max_size=2),
        min_size=1,
        max_size=6,
    )
)
def test_tables_that_csv_wrote_are_found_out(read, body):
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([["left", "right"], *body])
    table = read(stream.getvalue())
    assert [table.rows_cells([i])[0] for i in range(table.n_rows)] == body
    assert table.header_bytes + table.rows_bytes() == stream.getvalue().encode()


def test_replaced_cells_leave_other_bytes_alone(read):
    table = read('a,b,c\n"1" ,  2,"3"\n4,"5",6')
    assert table.rows_bytes(replace={1: {0: "9", 1: "x"}}) == b'"1" ,9,"3"\n4,"x",6'


def test_several_cells_can_be_appended(read):
    table = read("a,b\r\n1,2\r\n3,4")
    assert table.header_with("c", "d") == b"a,b,c,d\r\n"
    assert table.rows_bytes(extra=[["x", "y"], ["", "z"]]) == b"1,2,x,y\r\n3,4,,z"


def test_characters_that_an_encoding_lacks_become_question_marks(read):
    table = read("a,b\nä,2\n".encode("cp1252"))
    assert table.rows_bytes(extra=["→"]) == "ä,2,?\n".encode("cp1252")


def test_where_quotes_are_letters_nothing_is_wrapped_in_them(read):
    table = read('size,b\n5",1\n"6,2\n7,3"\n')
    assert table.dialect.quote is None
    assert table.rows_bytes([0], extra=["a,\nb"]) == b'5",1,a  b\n'


def test_blank_lines_go_with_the_row_above(read):
    content = b"\na,b\n\n1,2\n  \n3,4\n\n"
    table = read(content)
    assert table.header_bytes + table.rows_bytes() == content
    assert table.rows_bytes([1]) == b"3,4\n\n"
    assert [table.line_number(i) for i in range(2)] == [4, 6]
    assert table.notes == ["4 blank lines are passed over."]


def test_lines_are_counted_within_quotes_too(read):
    table = read('a,b\n"x\ny",1\n2,3\n')
    assert [table.place(i) for i in range(2)] == ["line 2", "line 4"]


def test_masks_and_positions_are_checked(read):
    table = read("a,b\n1,2\n")
    with pytest.raises(ValueError, match="length 1"):
        table.rows_bytes([True, False])
    with pytest.raises(ValueError, match="between 0 and 0"):
        table.rows_bytes([1])
    with pytest.raises(ValueError, match="each of 1 rows"):
        table.rows_bytes(extra=[])


def test_standard_input_is_read_as_bytes(monkeypatch):
    class Stream:
        buffer = io.BytesIO("a;b\n1;2\n".encode("utf-8-sig"))

    from untaint.io import read_table

    monkeypatch.setattr(sys, "stdin", Stream)
    table = read_table("-")
    assert table.source == "standard input"
    assert table.header_bytes + table.rows_bytes() == b"\xef\xbb\xbfa;b\n1;2\n"
