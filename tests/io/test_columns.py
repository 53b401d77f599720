"""What a column holds is found out from its cells."""

import numpy as np
import pytest

from untaint.io import read_columns


def column(read, cells, name="x", delimiter=";", **options):
    """The first of two columns."""
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    rows = "".join(f"{cell}{delimiter}{'ab'[i % 2]}\n" for i, cell in enumerate(quoted))
    table = read(f"{name}{delimiter}other\n{rows}", delimiter=delimiter, **options)
    return read_columns(table)[0]


NUMBERS = {
    "points": (["1.5", "-2", "+3e2", ".5"], [1.5, -2, 300, 0.5]),
    "commas": (["1,5", "-2", "0,25"], [1.5, -2, 0.25]),
    "American thousands": (["1,234.5", "1,234,567", "8.25"], [1234.5, 1234567, 8.25]),
    "German thousands": (["1.234,5", "1.234.567", "8,25"], [1234.5, 1234567, 8.25]),
    "French thousands": (["1 234,5", "1\u00a0234\u202f567", "8,25"], [1234.5, 1234567, 8.25]),
    "Swiss thousands": (["1'234.5", "8.25"], [1234.5, 8.25]),
    "percent": (["5%", "7.5 %", "-1%"], [5, 7.5, -1]),
    "dollars": (["$1,200.50", "$ 3", "-$4.25"], [1200.5, 3, -4.25]),
    "euros": (["3,50 €", "1.200,00 €"], [3.5, 1200]),
    "spaces": ([" 1.5", "2 "], [1.5, 2]),
    "odd minus": (["\u22121.5", "2.5"], [-1.5, 2.5]),
    "zero and one": (["0", "1", "0"], [0, 1, 0]),
}


@pytest.mark.parametrize(("cells", "values"), NUMBERS.values(), ids=NUMBERS.keys())
def test_numbers_however_they_are_written(read, cells, values):
    found = column(read, cells)
    assert found.kind == "number"
    np.testing.assert_allclose(found.values, values)


@pytest.mark.parametrize(
    "token",
    ["", "NA", "N/A", "n/a", "NaN", "null", "NULL", "None", "-", "--", "?", ".", "#N/A", "Missing"],
)
def test_missing_values_have_many_names(read, token):
    for cells in (["1", token, " ", "3"], ["a", token, "b", "a", "b"]):
        found = column(read, cells)
        assert found.kind in ("number", "category")
        assert found.missing.tolist()[:2] == [False, True]


def test_a_few_cells_that_are_no_numbers_count_as_missing_and_are_named(read):
    found = column(read, [str(k % 7) for k in range(20)] + ["abc", "abc"], "price")
    assert found.kind == "number"
    assert found.n_missing == 2
    assert found.notes == ["2 cells of 'price' are no numbers, such as 'abc' in line 22."]


def test_too_many_cells_that_are_no_numbers_make_a_category(read):
    assert column(read, ["1", "2", "abc"] * 10).kind == "category"


def test_a_sign_in_some_cells_only_makes_them_no_numbers(read):
    found = column(read, [str(k % 7) for k in range(40)] + ["5%"])
    assert found.kind == "number"
    assert "such as '5%'" in found.notes[0]


def test_infinite_numbers_count_as_missing(read):
    found = column(read, ["1", "2", "inf", "-Infinity", "1e999"])
    assert found.missing.tolist() == [False, False, True, True, True]
    said = "are infinite, or too large for double precision, and count as missing"
    assert found.notes == [f"3 cells of 'x' {said}."]


def test_codes_for_missing_values_are_noted_and_kept(read):
    found = column(read, [str(k % 30) for k in range(90)] + ["-999"] * 4)
    assert found.n_missing == 0
    assert found.notes == [
        "-999 occurs 4 times in 'x', far from all else; it may stand for a missing value."
    ]


def test_codes_within_the_range_of_the_rest_are_numbers(read):
    assert column(read, [str(100 * k % 2900) for k in range(90)] + ["999"] * 4).notes == []


@pytest.mark.parametrize("pair", ["true false", "YES no", "T F", "y N", "ja nein", "Oui NON"])
def test_booleans_have_many_words(read, pair):
    yes, no = pair.split()
    found = column(read, [yes, no, "", yes])
    assert found.kind == "boolean"
    np.testing.assert_array_equal(found.values, [1, 0, np.nan, 1])


def test_words_of_two_pairs_are_no_booleans(read):
    assert column(read, ["yes", "nein"] * 5).kind == "category"


def day(text):
    return np.datetime64(text, "us").astype(float) / 86400e6


DATES = {
    "ISO": (["2020-01-31", "2021-12-01"], ["2020-01-31", "2021-12-01"]),
    "ISO times": (
        ["2020-01-31T10:30:00Z", "2021-12-01 08:00"],
        ["2020-01-31T10:30", "2021-12-01T08"],
    ),
    "zones": (
        ["2020-01-31T10:30+02:00"] * 2 + ["2020-02-01"],
        ["2020-01-31T08:30"] * 2 + ["2020-02-01"],
    ),
    "fractions": (["2020-01-31 00:00:01.5", "2020-02-01"], ["2020-01-31T00:00:01.5", "2020-02-01"]),
    "points": (["1.2.2020", "03.04.2021"], ["2020-02-01", "2021-04-03"]),
    "day first": (["31/01/2020", "01/02/2020"], ["2020-01-31", "2020-02-01"]),
    "month first": (["01/31/2020", "01/02/2020"], ["2020-01-31", "2020-01-02"]),
    "year first": (["2020/01/31", "2020/02/01"], ["2020-01-31", "2020-02-01"]),
    "afternoon": (["01/31/2020 3:15 PM", "1/2/2020 12:00 am"], ["2020-01-31T15:15", "2020-01-02"]),
    "two digits": (["31.01.20", "01.02.99"], ["2020-01-31", "1999-02-01"]),
    "leap day": (["2020-02-29", "2020-03-01"], ["2020-02-29", "2020-03-01"]),
}


@pytest.mark.parametrize(("cells", "days"), DATES.values(), ids=DATES.keys())
def test_dates_however_they_are_written(read, cells, days):
    found = column(read, cells)
    assert found.kind == "date"
    assert found.notes == []
    np.testing.assert_allclose(found.values, [day(text) for text in days])


def test_days_that_could_be_months_are_noted(read):
    found = column(read, ["01/02/2020", "03/04/2020"])
    assert found.values[0] == day("2020-02-01")
    assert "do not tell days from months" in found.notes[0]


def test_days_that_no_calendar_has_are_no_dates(read):
    found = column(read, [f"2020-01-{k + 1:02}" for k in range(20)] + ["2021-02-29"])
    assert found.kind == "date"
    assert "such as '2021-02-29'" in found.notes[0]


def test_text_with_few_levels_is_a_category(read):
    assert column(read, ["red", "green", "red ", "green"]).kind == "category"


def test_many_levels_are_a_category_if_the_frequent_ones_cover_half(read):
    rare = [f"rare {k}" for k in range(100)]
    assert column(read, ["common"] * 150 + rare + rare[:1]).kind == "category"
    assert column(read, ["common"] * 20 + rare + rare[:50]).kind == "text"


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("x", [str(k) for k in range(10)]),
        ("x", [str(5 * k + 100) for k in range(10)]),
        ("user_id", ["17", "4", "9"]),
        ("orderId", ["17", "4", "9"]),
        ("Nr.", ["17", "4", "9"]),
        ("whatever", ["a1", "b7", "c9"]),
    ],
)
def test_what_tells_rows_apart_is_an_identifier(read, name, cells):
    assert column(read, cells, name).kind == "identifier"


def test_what_only_looks_like_an_identifier_is_not_one(read):
    assert column(read, ["17", "4", "4"], "user_id").kind == "number"
    assert column(read, ["1.5", "4", "5"], "id").kind == "number"
    assert column(read, ["17", "4", "9"], "paid").kind == "number"


def test_distinct_sentences_are_text(read):
    assert column(read, [f"this is remark number {k}" for k in range(9)]).kind == "text"


def test_what_says_nothing_is_constant_or_empty(read):
    assert column(read, ["7", "7.0", ""]).kind == "constant"
    assert column(read, ["a", "a", "NA"]).kind == "constant"
    assert column(read, ["", "NA", "-"]).kind == "empty"


def test_duplicates_name_the_column_they_repeat(read):
    table = read("a,b,c,d\n1,1.0,x,x\n3,3,y,y\n2,2,x,x\n2,2,y,y\n")
    columns = read_columns(table)
    assert [found.kind for found in columns] == ["number", "duplicate", "category", "duplicate"]
    assert [found.details["of"] for found in columns[1::2]] == ["a", "c"]
