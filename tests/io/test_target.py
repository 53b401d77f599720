"""The column that is to be predicted."""

import numpy as np
import pytest

from untaint.io import DataFileError, read_target


def test_numbers_are_floats(read):
    target = read_target(read("x;y\n1;2,5\n2;NA\n3;2,5\n"), "y")
    assert (target.kind, target.position) == ("number", 1)
    np.testing.assert_array_equal(target.values, [2.5, np.nan, 2.5])
    assert target.missing.tolist() == [False, True, False]


def test_numbers_that_count_up_are_still_numbers(read):
    assert (
        read_target(read("x,id\n" + "".join(f"a,{i}\n" for i in range(9))), "id").kind == "number"
    )


def test_labels_are_as_they_are_written_but_trimmed(read):
    target = read_target(read("x,y\n1, cat\n2,dog\n3,?\n4,cat\n"), "y")
    assert target.kind == "category"
    assert target.values.tolist() == ["cat", "dog", None, "cat"]
    assert target.missing.tolist() == [False, False, True, False]


def test_booleans_keep_their_words(read):
    target = read_target(read("x,y\n1,Yes\n2,no\n3,\n"), "y")
    assert (target.kind, target.values.tolist()) == ("boolean", ["Yes", "no", None])


def test_dates_are_days(read):
    target = read_target(read("x,y\n1,1970-01-02\n2,1970-01-03\n"), "y")
    assert (target.kind, target.values.tolist()) == ("date", [1.0, 2.0])


def test_cells_that_are_no_numbers_are_noted(read):
    rows = "".join(f"1,{i % 5}\n" for i in range(20))
    target = read_target(read("x,y\n" + rows + "1,oops\n"), "y")
    assert target.notes == ["1 cell of 'y' is no number, such as 'oops' in line 22."]
    assert target.missing.sum() == 1


def test_unknown_names_are_answered_with_close_ones(read):
    with pytest.raises(DataFileError, match="found 'x', 'Price'; did you mean 'Price'"):
        read_target(read("x,Price\n1,2\n"), "price")


def test_a_target_without_values_is_refused(read):
    with pytest.raises(DataFileError, match="expected values in the target 'y', found none"):
        read_target(read("x,y\n1,\n2,NA\n"), "y")


def cells(*targets):
    return "x,y\n" + "".join(f"1,{target}\n" for target in targets)


@pytest.mark.parametrize(("n_words", "kind"), [(2, "number"), (8, "category"), (30, "category")])
def test_words_among_numbers_are_unreadable(read, n_words, kind):
    numbers = [f"{i / 7:.2f}" for i in range(40)]
    target = read_target(read(cells(*numbers, *n_words * ["lost"], "", "NA", "?")), "y")
    assert target.kind == kind
    assert target.unreadable.tolist() == 40 * [False] + n_words * [True] + 3 * [False]


def test_among_words_nothing_is_unreadable(read):
    for targets in (["oak", "ash", "7"] * 9, ["yes", "no", "yes"] * 9, ["1", "2.5", "NA"] * 9):
        target = read_target(read(cells(*targets)), "y")
        assert target.unreadable.tolist() == 27 * [False]
    assert not read_target(read(cells("1970-01-02", "1970-01-03")), "y").unreadable.any()
