"""The choice of columns."""

import re

import pytest

from untaint.io import DataFileError
from untaint.io.stream.selection import ColumnSelector

NAMES = ["age", "height", "kind"]


@pytest.mark.parametrize(
    ("target", "columns", "message"),
    [
        ("knid", None, "t.csv: target must name one of its columns, 'age', 'height', 'kind', got "),
        ("knid", None, "got 'knid'. Did you mean 'kind'?"),
        (None, ["age", "hight"], "columns must name one of its columns, 'age', 'height', 'kind', "),
        (None, ["age", "hight"], "got 'hight'. Did you mean 'height'?"),
        (2, None, "target must name one of its columns, 'age', 'height', 'kind', got 2."),
        ("age", ["age", "kind"], "t.csv: the target must not be among columns."),
        (None, ["age", "age"], "t.csv: columns must name every column once."),
    ],
)
def test_what_cannot_be_found_is_named_with_what_is_close(target, columns, message):
    with pytest.raises(DataFileError, match=re.escape(message)):
        ColumnSelector(target, columns).select("t.csv", NAMES, 3)


def test_a_long_list_of_names_is_cut():
    names = [f"x{j}" for j in range(1000)]
    with pytest.raises(DataFileError, match=r"'x7' and 992 more, got 'none'\."):
        ColumnSelector("none", None).select("t.csv", names, 1000)


def test_a_target_alone_is_no_table():
    with pytest.raises(DataFileError, match="at least one column besides the target, found 0"):
        ColumnSelector("y", None).select("t.csv", ["y"], 1)


@pytest.mark.parametrize("key", ["y", 3, -4])
def test_columns_without_names_have_positions(key):
    with pytest.raises(DataFileError, match="so target must hold a position below 3, got"):
        ColumnSelector(key, None).select("block 1", None, 3)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["age", "kind"], "b.csv: expected the columns of a.csv, found no 'height'."),
        ([*NAMES, "size"], "b.csv: expected the columns of a.csv, found 'size' besides."),
        (
            ["age", "Height", "kind"],
            "b.csv: expected the columns of a.csv, found no 'height' and found 'Height' besides.",
        ),
        (["age", "height"], "b.csv: expected the columns of a.csv, found no 'kind'."),
    ],
)
def test_a_later_file_must_have_the_same_columns(names, message):
    chosen = ColumnSelector("kind", None)
    chosen.select("a.csv", NAMES, 3)
    with pytest.raises(DataFileError, match=re.escape(message)):
        chosen.select("b.csv", names, len(names))


def test_a_later_file_needs_only_the_columns_that_are_read():
    chosen = ColumnSelector(None, ["kind", "age"])
    chosen.select("a.csv", NAMES, 3)
    assert chosen.select("b.csv", ["size", "age", "kind"], 3).features == [2, 1]


@pytest.mark.parametrize("target", [True, 1.5, ["y"]])
def test_a_target_is_a_name_or_a_position(target):
    with pytest.raises(ValueError, match="target must be the name of a column, or its position"):
        ColumnSelector(target, None)


@pytest.mark.parametrize("columns", ["age", 3, [], [1.5]])
def test_columns_are_a_list_of_names(columns):
    with pytest.raises(ValueError, match=r"columns must (be a list|name at least|be the name)"):
        ColumnSelector(None, columns)
