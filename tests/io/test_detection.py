"""How a file is written is found out."""

import gzip

import pytest

TEXTS = {
    "commas": ("a,b\n1,2\n", "commas, UTF-8"),
    "semicolons and decimal commas": ("a;b\n1,5;2\n", "semicolons, decimal commas, UTF-8"),
    "semicolons and decimal points": ("a;b\n1.5;2\n", "semicolons, UTF-8"),
    "tabs": ("a\tb\n1\t2\n", "tabs, UTF-8"),
    "pipes": ("a|b\n1|2\n", "pipes, UTF-8"),
    "Windows": ("a,b\r\n1,2\r\n", "commas, UTF-8, Windows line ends"),
    "old Mac": ("a,b\r1,2\r", "commas, UTF-8, old Mac line ends"),
    "commas within quotes": ('a;b\n"x,y,z";2\n"u,v";6\n', "semicolons, UTF-8"),
    "commas in names and numbers": ("m, kg;s, m\n1,5;2,5\n", "semicolons, decimal commas, UTF-8"),
    "thousands or decimals, semicolons": ("a;b\n1,234;2\n", "semicolons, decimal commas, UTF-8"),
    "thousands or decimals, tabs": ("a\tb\n1,234\t2\n", "tabs, UTF-8"),
    "German thousands": ("a\tb\n1.234,5\t2\n", "tabs, decimal commas, UTF-8"),
    "American thousands": ("a;b\n1,234.5;2\n", "semicolons, UTF-8"),
    "euros": ("a;b\n3,50 €;2\n", "semicolons, decimal commas, UTF-8"),
    "inches": ('a,b\n5",1\n"6,2\n', "commas, quotes as ordinary characters, UTF-8"),
}


@pytest.mark.parametrize(("text", "said"), TEXTS.values(), ids=TEXTS.keys())
def test_the_dialect_is_found(read, text, said):
    assert read(text).dialect.describe() == said


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", "UTF-8"),
        ("utf-8-sig", "UTF-8 with a byte order mark"),
        ("utf-16", "UTF-16-LE with a byte order mark"),
        ("utf-32", "UTF-32-LE with a byte order mark"),
        ("cp1252", "cp1252"),
    ],
)
def test_the_encoding_is_found(read, encoding, said):
    content = "größe,b\nä,2\n".encode(encoding)
    table = read(content)
    assert table.dialect.describe() == f"commas, {said}"
    assert table.names == ["größe", "b"]
    assert table.header_bytes + table.rows_bytes() == content


@pytest.mark.parametrize("encoding", ["latin-1", "cp1250", "utf-16-le", "utf-8", "shift_jis"])
def test_a_given_encoding_is_kept_to(read, encoding):
    content = "a,b\nx,2\n".encode(encoding)
    table = read(content, encoding=encoding)
    assert table.rows_cells([0])[0] == ["x", "2"]
    assert table.header_bytes + table.rows_bytes() == content


def test_cp1252_is_said(read):
    assert "no UTF-8" in read("a,b\nä,2\n".encode("cp1252")).notes[0]


def test_quotes_that_are_letters_are_said(read):
    table = read('a,b\n5",1\n"6,2\n')
    assert [table.cell(i, 0) for i in range(2)] == ['5"', '"6']
    assert "ordinary characters" in table.notes[0]


def test_quotes_within_fields_do_not_open(read):
    table = read('a,b\n5" pipe,"x, y"\n6" pipe,z\n')
    assert table.rows_cells([0])[0] == ['5" pipe', "x, y"]


def test_gzip_is_unpacked_whatever_the_name(read):
    for name in ("a.csv.gz", "a.csv"):
        table = read(gzip.compress(b"a,b\n1,2\n"), name)
        assert table.dialect.describe() == "commas, UTF-8, gzip"
        assert table.rows_bytes() == b"1,2\n"


def test_what_is_given_is_not_questioned(read):
    table = read("a,b;c\n1,2;3\n", delimiter=";", decimal=",")
    assert table.names == ["a,b", "c"]
    assert table.dialect.decimal == ","
    assert read("a\tb\n1\t2\n", delimiter="tab").names == ["a", "b"]


def test_names_are_trimmed_and_filled_in(read):
    table = read("\ufeff, b ,\n0,1,2\n")
    assert table.names == ["column 1", "b", "column 3"]
    assert "Column 1 has no name" in table.notes[0]


def test_a_first_line_that_looks_like_values_is_said(read):
    assert "looks like values" in read("1,2\n3,4\n").notes[0]


def test_more_than_the_sample_is_read(read):
    rows = "".join(f'{i},"x, {i}"\n' for i in range(30_000))
    table = read("a,b\n" + rows)
    assert table.n_rows == 30_000
    assert table.rows_cells([29_999])[0] == ["29999", "x, 29999"]


def test_a_record_may_be_longer_than_a_block(read):
    long = "x" * 3_000_000
    table = read(f"a,b\n1,{long}\n2,y\n")
    assert table.cell(0, 1) == long
