"""CSV files, as both engines read them: what is accepted, and what is said of the rest."""

import gzip
import re
import tempfile
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untaint.io import DataFileError, read_rows
from untaint.io.stream import text as text_module

BOM = b"\xef\xbb\xbf"


def contents(path, **options):
    with read_rows(path, **options) as table:
        y = None if table.y is None else table.y.tolist()
        return table.names, table.X.tolist(), y


# ---- what is accepted


@pytest.mark.parametrize(
    "text",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\n1,2\n3,4",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "\n\na,b\n\n1,2\n\n\n3,4\n\n",
        BOM + b"a,b\n1,2\n3,4\n",
        '"a","b"\n"1","2"\n"3","4"\n',
        " a , b\n 1 ,\t2\n+3,4e0\n",
    ],
)
def test_every_spelling_of_a_table_is_read(engine, write, spools, text):
    path = write("t.csv", text)
    assert contents(path, directory=spools) == (["a", "b"], [[1.0, 2.0], [3.0, 4.0]], None)


def test_what_only_python_takes_for_a_number_is_read_all_the_same(engine, write):
    assert contents(write("t.csv", "a\n1\n\u00a02\n3\n"))[1] == [[1.0], [2.0], [3.0]]


def test_text_targets_stay_as_they_are_written(engine, write):
    path = write("t.csv", 'a,kind\n1,01\n2,"x, y"\n3,"say ""no"""\n4,"two\nlines"\n5, 1\n')
    assert contents(path, target="kind")[2] == ["01", "x, y", 'say "no"', "two\nlines", " 1"]


def test_numeric_targets_become_floats(engine, write):
    with read_rows(write("t.csv", "y,a\n1,5\n2.5,6\n"), target="y", dtype="float32") as table:
        assert table.y.dtype == np.float64
        assert table.y.tolist() == [1.0, 2.5]


def test_a_single_word_far_down_turns_all_targets_into_text(engine, write, spools):
    rows = "".join(f"{i},0{i % 3}\n" for i in range(5000))
    path = write("t.csv", f"a,y\n{rows}1,x\n")
    y = contents(path, target="y", block_rows=100, directory=spools)[2]
    assert y[:3] == ["00", "01", "02"]
    assert y[-1] == "x"


def test_names_with_underscores_are_no_numbers(engine, write):
    assert contents(write("t.csv", "a,y\n1,20_1\n2,20_2\n"), target="y")[2] == ["20_1", "20_2"]


def test_columns_are_picked_in_the_order_asked_for(engine, write):
    path = write("t.csv", "name,a,b,c\nx,1,2,3\n,4,5,6\n")
    assert contents(path, columns=["c", "a"]) == (["c", "a"], [[3.0, 1.0], [6.0, 4.0]], None)


def test_what_is_not_read_is_not_checked(engine, write):
    path = write("t.csv", b"a,note\n1,\xff\n2,\n3,nan\n")
    assert contents(path, columns=["a"])[1] == [[1.0], [2.0], [3.0]]


def test_an_index_without_a_name_is_left_out_when_columns_are_named(engine, write):
    assert contents(write("t.csv", ",a\n0,5\n1,6\n"), columns=["a"])[1] == [[5.0], [6.0]]


def test_the_names_that_pandas_counts_are_a_header(engine, write):
    assert contents(write("t.csv", "0,1\n5,6\n"))[0] == ["0", "1"]


def test_tabs_separate_the_fields_of_a_tsv_file(engine, write):
    assert contents(write("t.TSV", "a\tb\n1\t2\n"))[1] == [[1.0, 2.0]]


def test_compressed_files_are_read(engine, write):
    assert contents(write("t.csv.gz", gzip.compress(b"a,b\n1,2\n")))[1] == [[1.0, 2.0]]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "cp1252"])
def test_dialects_and_encodings_are_found_as_for_a_table(engine, write, encoding):
    text = "größe;art\r\n3,5;süß\r\n-1e3;salzig\r\n"
    expected = ["größe"], [[3.5], [-1000.0]], ["süß", "salzig"]
    assert contents(write("t.csv", text.encode(encoding)), target="art") == expected


def test_a_text_that_turns_out_not_to_be_utf8_is_read_as_cp1252(engine, write, monkeypatch):
    monkeypatch.setattr(text_module, "_SAMPLE", 64)
    rows = "".join(f"{i},sü\n" for i in range(500)).encode()
    path = write("t.csv", b"a,y\n" + rows + b"1,s\xfc\n")
    y = contents(path, target="y", block_rows=1)[2]
    assert y == ["sü".encode().decode("cp1252")] * 500 + ["sü"]


def test_points_are_no_decimals_where_commas_are(engine, write):
    with pytest.raises(DataFileError, match=r"line 3: column 'b' should be a number, found '1\.5'"):
        read_rows(write("t.csv", "a;b\n1,25;2,5\n2;1.5\n"))


def test_decimals_are_those_of_the_columns_that_are_read(engine, write):
    path = write("t.tsv", "a\tb\n1.5\t2,5\n2\t3,25\n")
    assert contents(path, columns=["a"])[1] == [[1.5], [2.0]]
    assert contents(path, columns=["b"])[1] == [[2.5], [3.25]]


def test_blocks_of_any_size_give_the_same_rows(engine, write, spools):
    X = np.arange(3000.0).reshape(1000, 3)
    text = "a,b,c\n" + "".join(f"{a},{b},{c}\n" for a, b, c in X)
    path = write("t.csv", text)
    for block_rows in (1, 7, 1000, None):
        with read_rows(path, block_rows=block_rows, directory=spools) as table:
            np.testing.assert_array_equal(table.X, X)


def test_a_row_longer_than_a_block_is_read(engine, write):
    note = "x" * 50_000
    path = write("t.csv", f"a,note\n1,{note}\n2,{note}\n")
    assert contents(path, columns=["a"], block_rows=1)[1] == [[1.0], [2.0]]


# ---- what is said of the rest

MALFORMED = [
    ("a,b\n1,2\n3\n", "line 3: expected 2 fields as in the header, found 1."),
    ("a,b\n\n1,2\n3,4,5\n", "line 4: expected 2 fields as in the header, found 3."),
    ("a,b\r\n1,2\r\n   \r\n", "line 3: expected 2 fields as in the header, found 1."),
    ("a,b\n1,n/a\n", "line 2: column 'b' should be a number, found 'n/a'."),
    ('a,b\n1,2\n3,"4,5"\n', "line 3: column 'b' should be a number, found '4,5'."),
    ("a,b\n1,1_0\n", "line 2: column 'b' should be a number, found '1_0'."),
    ("a,b\n1,0x10\n", "line 2: column 'b' should be a number, found '0x10'."),
    ("a,b\n1,True\n", "line 2: column 'b' should be a number, found 'True'."),
    ("a,b\n1,\n", "line 2: column 'b' is empty."),
    ('a,b\n1,2\n" ",2\n', "line 3: column 'a' is empty."),
    ("a,b\n1,NaN\n", "line 2: column 'b' should be a finite number, found 'NaN'."),
    ("a,b\n1,-inf\n", "line 2: column 'b' should be a finite number, found '-inf'."),
    ("a,b\n1,1e999\n", "line 2: column 'b' should be a finite number, found '1e999'."),
    ("a,b\n1,nan(x)\n", "line 2: column 'b' should be a number, found 'nan(x)'."),
    (b"a,b\n1,\xff\n", "line 2: column 'b' should be a number"),
    ('a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote is opened and never closed."),
    ('a,b\n1,2\n3,"', "line 3: a quote is opened and never closed."),
    ("", "expected a header line, found an empty file."),
    ("\n\r\n\n", "expected a header line, found an empty file."),
    ("a,b\n", "expected at least one row, found none."),
    ("a,b,a\n1,2,3\n", "expected distinct column names, found 'a' 2 times."),
    (",a\n0,1\n", "expected a name for every column, found none for column 1 of 2; name it"),
    ("1.5,2\n3,4\n", "line 1: expected a header that names the columns, found only numbers."),
    (b"a,b\n1,2\n3,\x81\n", "line 3: expected text in UTF-8 or cp1252, found the byte 0x81"),
    (BOM + b"a,b\n1,\xff\n", "line 2: expected text in utf-8, found the byte 0xff"),
]


@pytest.mark.parametrize(("text", "message"), MALFORMED)
def test_the_message_names_file_line_and_reason(engine, write, spools, text, message):
    path = write("data/part-2.csv", text)
    with pytest.raises(DataFileError, match=re.escape(message)) as caught:
        read_rows(path, directory=spools)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,y\n1,2\n3,\n", "line 3: column 'y' is empty."),
        ("a,y\n1,x\n3,\n", "line 3: column 'y' is empty."),
        ('a,y\n1,x\n3,"  "\n', "line 3: column 'y' is empty."),
        ("a,y\n1,2\n3,nan\n4,x\n", "line 3: column 'y' should be a finite number, found 'nan'."),
        ("a,y\nb,x\n1,z\n", "line 2: column 'a' should be a number, found 'b'."),
        ('a,y\n1,x\n2,"z\n', "line 3: a quote is opened and never closed."),
    ],
)
def test_targets_are_checked_too(engine, write, spools, text, message):
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_rows(write("t.csv", text), target="y", directory=spools)


def test_a_number_too_large_for_float32_is_refused(engine, write):
    with pytest.raises(DataFileError, match=r"column 'a' should fit into float32, found '1e300'\."):
        read_rows(write("t.csv", "a\n1e300\n"), dtype="float32")


@pytest.mark.parametrize("block_rows", [1, 10, 1000, None])
def test_a_fault_far_down_is_found_on_its_line(engine, write, spools, block_rows):
    rows = ["1,2"] * 3000
    rows[1839] = "1"
    rows[2500] = "1,x"
    path = write("t.csv", "a,b\n" + "\n".join(rows))
    with pytest.raises(DataFileError, match="line 1841: expected 2 fields as in the header"):
        read_rows(path, block_rows=block_rows, directory=spools)


def test_lines_are_counted_through_quoted_line_ends_and_empty_lines(engine, write):
    path = write("t.csv", 'a,note\n\n1,"two\nlines"\n\nx,2\n')
    with pytest.raises(DataFileError, match="line 6: column 'a'"):
        read_rows(path, columns=["a"])


def test_a_quote_that_swallows_a_large_file_takes_no_memory(engine, write, monkeypatch):
    monkeypatch.setattr(text_module, "_LONGEST_RECORD", 10_000)
    path = write("t.csv", 'a,b\n1,2\n3,"4\n' + "5,6\n" * 50_000)
    with pytest.raises(DataFileError, match=r"line 3: expected records of at most 10,000 bytes"):
        read_rows(path, block_rows=1)


def test_the_first_fault_comes_first_whatever_its_kind(engine, write):
    path = write("t.csv", "a,b\n1,x\n2\n")
    with pytest.raises(DataFileError, match="line 2: column 'b'"):
        read_rows(path)


def test_a_damaged_archive_is_named(engine, write, spools):
    whole = gzip.compress(b"a,b\n" + b"1.5,2.25\n" * 5000)
    for data in (whole[:-20], whole[:30] + b"\x00\xff" * 20 + whole[70:], b"a,b\n1,2\n"):
        with pytest.raises(DataFileError, match=r"t\.csv\.gz: the file cannot be read \("):
            read_rows(write("t.csv.gz", data), directory=spools)


# ---- the two engines say the same

ALPHABET = st.sampled_from([*'01.5e-+ax_ ",\n\r\t', "\r\n", "nan", "inf", "\u00e9", "1,2\n"])
FILES = st.builds(
    lambda good, odd, end: f"a,b,y\n{good}{odd}{end}",
    st.lists(st.sampled_from(["1,2,3\n", "4,5,x\n", '6,"7",8\r\n', '9,0,"a\nb"\n', "\n"])).map(
        "".join
    ),
    st.lists(ALPHABET, max_size=12).map("".join),
    st.sampled_from(["", "\n", "\n1,2,3\n", '",3\n1,2,3\n']),
)


@contextmanager
def exact_engine():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "find_arrow", lambda module: None)
        yield


def outcome(path, **options):
    try:
        return contents(path, **options)
    except DataFileError as error:
        return str(error)


@pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed")
@settings(max_examples=250)
@given(
    text=FILES,
    target=st.sampled_from([None, "y"]),
    block_rows=st.sampled_from([None, 1, 2]),
    block_bytes=st.sampled_from([16, 24, 40, 4096]),  # a block may end anywhere in the file
)
def test_both_engines_agree_on_any_file(text, target, block_rows, block_bytes):
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "_block_bytes", lambda block_format, width: block_bytes)
        path = Path(folder) / "t.csv"
        path.write_bytes(text.encode())
        options = {"target": target, "block_rows": block_rows, "columns": ["a", "b"]}
        fast = outcome(path, **options)
        with exact_engine():
            assert outcome(path, **options) == fast


@settings(max_examples=40)
@given(data=st.data())
def test_numbers_come_back_as_they_were_written(data):
    finite = st.floats(allow_nan=False, allow_infinity=False)
    rows = data.draw(st.lists(st.tuples(finite, finite, finite), min_size=1, max_size=20))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.csv"
        path.write_text("a,b,y\n" + "".join(f"{a!r},{b!r},{y!r}\n" for a, b, y in rows))
        expected = [list(row[:2]) for row in rows], [row[2] for row in rows]
        assert contents(path, target="y")[1:] == expected
        with exact_engine():
            assert contents(path, target="y")[1:] == expected
