"""What cannot be read is refused in one sentence; nothing else is ever raised."""

import gzip
import io
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from untaint.io import DataFileError, RawTable, TableEncoder, read_rows, read_table

CASES = {
    "empty": (b"", "expected a table, found an empty file."),
    "only a mark": (b"\xef\xbb\xbf", "expected a table, found an empty file."),
    "only blank lines": (b"\n \n", "expected a table, found an empty file."),
    "header only": (b"a,b\n", "expected rows below the column names, found none."),
    "one column": (
        b"a\n1\n2\n",
        "expected at least two columns, found one only (tried tabs, pipes, semicolons, commas as "
        "delimiters).",
    ),
    "one column in quotes": (b'"a,b"\n"c,d"\n', "expected at least two columns, found one only"),
    "a title": (
        b"Report\na,b\n1,2\n3,4\n",
        "expected column names in the first line, found 'Report', while most lines have 2 fields "
        "separated by commas; remove what stands above the names.",
    ),
    "ragged": (
        b"a,b\n1,2\n3\n4,5\n",
        ", line 3: expected 2 fields as in the header, found 1.",
    ),
    "ragged twice": (b"a,b\n1,2,3\n3\n4,5\n", "found 3; another line is like that."),
    "ragged often": (b"a,b\n1\n2\n3\n4,5\n" + 9 * b"6,7\n", "; 2 other lines are like that."),
    "ragged throughout": (b"a,b\n1,2,3\n4,5,6\n", "found 3 in every line below it."),
    "twice": (
        b"a,b,a\n1,2,3\n",
        "expected column names that are all different, found 'a' more than once.",
    ),
    "unclosed": (
        b'a,b\n1,"x"\n2,"y"\n3,"z\n4,5,6\n',
        ", line 4: expected a closing quote for the one that opens there, found none up to the "
        "end of the file.",
    ),
    "JSON array": (b'[{"a": 1, "b": 2},\n {"a": 3, "b": 4}]', "expected JSON with one record on"),
    "JSON object": (b'{\n  "a": [1, 2],\n "b": [3, 4]\n}', "expected JSON with one record on"),
    "NUL": (b"a,b\n1,2\n3,\x004\n", ", line 3: expected text, found a NUL byte;"),
    "binary": (
        bytes(range(256)) * 10,
        "expected a table as text, Parquet, Excel or JSON lines, found binary data.",
    ),
    "damaged zip": (
        b"PK\x03\x04\x14\x00\x06\x00\x99",
        "expected a whole zip archive or Excel workbook, found a damaged one",
    ),
    "no cp1252": (
        b"a,b\n1,\x81\n",
        ", line 2: expected text in UTF-8 or cp1252, found the byte 0x81,",
    ),
    "UTF-16 without a mark": ("a,b\n1,2\n".encode("utf-16-le"), "give encoding='utf-16-le', or"),
    "truncated gzip": (
        gzip.compress(b"a,b\n1,2\n" * 99)[:-12],
        "expected a whole gzip file, found one that breaks off before its end.",
    ),
    "damaged gzip": (
        gzip.compress(b"a,b\n1,2\n")[:-8] + 8 * b"x",
        "expected a gzip file, found one that is damaged",
    ),
    "damaged Parquet": (b"PAR1 no more", "expected a whole Parquet file, found one that is dam"),
}


@pytest.mark.parametrize(("content", "said"), CASES.values(), ids=CASES.keys())
def test_what_is_wrong_is_said_in_one_sentence(read, content, said):
    with pytest.raises(DataFileError, match=re.escape(said)) as caught:
        read(content)
    assert "table.csv" in str(caught.value)
    assert str(caught.value).endswith(".")
    assert "\n" not in str(caught.value)


def test_two_encodings_in_one_file_are_said(read):
    """The bytes of UTF-8 are other letters in cp1252, of which it has no 0x81."""
    table = read(b"a,b\n1,2\n" + b"caf\xe9,2\n" + "café,2\n".encode())
    assert table.dialect.encoding == "cp1252"
    assert table.notes == [
        "The file mixes encodings, as line 4 is UTF-8 and line 3 is not: it is read as cp1252, "
        "Windows' Western text."
    ]
    with pytest.raises(DataFileError, match="expected text in one encoding"):
        read("a,b\nÁ,2\n".encode() + b"caf\xe9,2\n")


def test_bytes_that_a_given_encoding_does_not_have(read):
    with pytest.raises(DataFileError, match="line 2: expected text in utf-8, found the byte 0xe4"):
        read(b"a,b\n\xe4,2\n", encoding="utf-8")


def test_arguments_that_make_no_sense(read):
    for options in ({"encoding": "klingon"}, {"delimiter": "::"}, {"decimal": ";"}):
        with pytest.raises(DataFileError, match=f"{next(iter(options))} should be"):
            read("a,b\n1,2\n", **options)


def test_a_given_delimiter_that_is_not_there(read):
    with pytest.raises(DataFileError, match=r"found one only \(tried semicolons"):
        read("a,b\n1,2\n", delimiter=";")


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "prices.csv").write_text("a,b\n1,2\n")
    with pytest.raises(DataFileError, match=r"none of that name; did you mean 'prices\.csv'"):
        read_table(tmp_path / "price.csv")
    with pytest.raises(DataFileError, match="found a directory"):
        read_table(tmp_path)
    with pytest.raises(DataFileError, match="expected the name of a file"):
        read_table("a\0b")


def test_files_that_may_not_be_read(tmp_path, monkeypatch):
    from pathlib import Path

    def refuse(self, mode):
        raise PermissionError(13, "Permission denied")

    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataFileError, match=r"cannot be read \(Permission denied"):
        read_table(tmp_path / "a.csv")


def test_parquet_in_name_only(read):
    with pytest.raises(DataFileError, match="expected a Parquet file, found something else"):
        read("a,b\n1,2\n", "a.parquet")


def test_without_pyarrow_the_way_to_install_it_is_said(read, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    with pytest.raises(ImportError, match=re.escape("pip install 'untaint[cli]'")):
        read("a,b\n1,2\n")


FUZZ = settings(
    max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def assert_table_or_refusal(read, content, **options):
    try:
        table = read(content, **options)
        assert isinstance(table, RawTable)
        assert table.header_bytes + table.rows_bytes() == content
        assert len(table.rows_cells([table.n_rows - 1])[0]) == len(table.names)
        TableEncoder().fit_transform(table)
    except DataFileError as error:
        assert str(error)


@FUZZ
@given(content=st.binary(max_size=200).filter(lambda raw: not raw.startswith(b"\x1f\x8b")))
def test_any_bytes_are_a_table_or_refused(read, content):
    assert_table_or_refusal(read, content)


@FUZZ
@given(
    body=st.text(alphabet='ab1,;\t|"\r\n .-/:%€\0\u00a0', max_size=60),
    encoding=st.sampled_from(["utf-8", "cp1252", "utf-16", "utf-8-sig"]),
)
def test_any_text_is_a_table_or_refused(read, body, encoding):
    assert_table_or_refusal(read, ("a,b\n1,2\n" + body).encode(encoding, errors="replace"))


@FUZZ
@given(cut=st.integers(0, 600), flip=st.integers(0, 600), letter=st.integers(0, 255))
def test_damaged_parquet_is_a_table_or_refused(read, cut, flip, letter):
    import pyarrow as pa
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2, 3], "b": ["x", None, "z"]}), stream)
    content = bytearray(stream.getvalue())
    content[flip % len(content)] = letter
    try:
        read(bytes(content[: max(cut, 4)] if cut < 300 else content), "a.parquet")
    except DataFileError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"delimiter": 1}, "delimiter should be a single ASCII character, got 1."),
        ({"max_bytes": "a"}, "max_bytes should be a whole number, got 'a'."),
    ],
)
def test_arguments_of_another_type(read, arguments, said):
    with pytest.raises(DataFileError, match=re.escape(said)):
        read(b"a,b\n1,2\n", **arguments)


@pytest.mark.parametrize("source", [None, 3, b"table.csv", ["table.csv"]])
def test_sources_that_are_no_path(source):
    with pytest.raises(DataFileError, match="source should be the path of a file, got"):
        read_table(source)


def test_names_that_no_file_can_have():
    for read_any in (read_table, read_rows):
        with pytest.raises(DataFileError, match="expected the name of a file"):
            read_any("a\0b.csv")
