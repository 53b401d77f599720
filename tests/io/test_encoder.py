"""From tables to numbers, the one that was learnt from and others."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from untaint.io import DataFileError, TableEncoder, read_table, read_target
from untaint.io.columns.read import read_columns

COLOURS = ["red", "green", "blue", "red"]


@pytest.fixture
def table(read):
    rows = [
        f"{i},{'' if i % 10 == 3 else i * 7 % 11},{COLOURS[i % 4]},{['yes', 'no'][i % 2]},"
        f"2020-01-{i % 28 + 1:02},same,{i * 3 % 7 / 2}"
        for i in range(40)
    ]
    return read("nr,size,colour,ok,day,fixed,y\n" + "\n".join(rows) + "\n")


def test_features_come_from_columns_that_tell_something(table):
    encoder = TableEncoder().fit(table, target="y")
    assert encoder.names_ == [
        "size",
        "size is missing",
        "colour = red",
        "colour = green",
        "colour = blue",
        "ok",
        "day",
    ]
    assert encoder.sources_.tolist() == [1, 1, 2, 2, 2, 3, 4]
    assert [plan.used for plan in encoder.columns_] == [False, *[True] * 4, False, False]
    assert [plan.kind for plan in encoder.columns_][:2] == ["identifier", "number"]
    assert encoder.notes_ == [
        "4 of 40 cells of 'size' are missing; the median, 5, stands in, and a feature says where.",
        "Set aside: 'nr' (identifier), 'fixed' (always the same).",
    ]


def test_features_are_what_the_cells_say(table):
    X = TableEncoder().fit_transform(table, target="y")
    np.testing.assert_array_equal(X[3, :3], [5, 1, 1])
    np.testing.assert_array_equal(X[1, :6], [7, 0, 0, 1, 0, 0])
    assert X[1, 6] - X[0, 6] == 1
    assert abs(np.median(X[:, 6])) == 0
    assert X.dtype == np.float64 and np.isfinite(X).all()


def test_the_same_table_has_the_same_features(table):
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    np.testing.assert_array_equal(encoder.transform(table), X)
    assert encoder.last_notes_ == []


def test_columns_may_come_in_any_order_and_number(table, read):
    encoder = TableEncoder().fit(table, target="y")
    new = read("new;day;ok;colour;size\n7;2020-01-02;no;green;3,5\n8;2020-01-01;YES;red;\n")
    X, notes = encoder.transform_noting(new)
    np.testing.assert_array_equal(X[0, :6], [3.5, 0, 0, 1, 0, 0])
    np.testing.assert_array_equal(X[1, :6], [5, 1, 1, 0, 0, 1])
    assert notes == ["Columns that were not there before are ignored: 'new'."]


def test_unknown_levels_count_as_other(table, read):
    encoder = TableEncoder().fit(table, target="y")
    X, notes = encoder.transform_noting(read("size,colour,ok,day\n1,pink,no,2020-01-01\n"))
    np.testing.assert_array_equal(X[0, 2:5], 0)
    assert notes == [
        "1 cell of 'colour' has a level that was not there before and counts as other: 'pink'."
    ]


def test_rare_levels_are_one_feature(read):
    cells = ["a"] * 30 + ["b"] * 20 + ["c"] * 10 + ["d", "e", "f"]
    table = read("x,y\n" + "".join(f"{cell},{i % 5}\n" for i, cell in enumerate(cells)))
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    assert encoder.names_ == ["x = a", "x = b", "x = c", "x = other"]
    assert X.sum(axis=0).tolist() == [30, 20, 10, 3]
    new = encoder.transform(read("x\ty\nf\t1\nz\t1\n"))
    assert new[:, 3].tolist() == [1, 1]


def test_of_very_many_levels_some_are_one_feature(read):
    cells = [f"level {k}" for k in range(30)] * 10
    table = read("x,y\n" + "".join(f"{cell},{i % 5}\n" for i, cell in enumerate(cells)))
    names = TableEncoder().fit(table, target="y").names_
    assert len(names) == 26 and names[-1] == "x = other"


def test_two_levels_are_one_feature(read):
    table = read("x,y\n" + "b,1\nb,2\na,3\n" * 5 + ",4\n")
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    assert encoder.names_ == ["x = a", "x is missing"]
    assert X[:, 0].tolist() == [0, 0, 1] * 5 + [0]


def test_missing_levels_have_no_feature_but_their_own(read):
    table = read("x,y\n" + "a,1\nb,2\nc,3\n,4\n" * 6)
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    assert encoder.names_ == ["x = a", "x = b", "x = c", "x is missing"]
    assert X[3].tolist() == [0, 0, 0, 1]


def test_few_missing_values_have_no_feature(read):
    table = read("x,y\n" + "".join(f"{i * i % 97},1\n" for i in range(100)) + "?,2\n")
    encoder = TableEncoder().fit(table, target="y")
    assert encoder.names_ == ["x"]
    assert "1 cell of 'x' is missing; the median" in encoder.notes_[0]


def test_times_of_day_are_waves(read):
    stamps = [f"2020-01-{d:02} {h:02}:00" for d in range(1, 6) for h in (0, 6, 12)]
    table = read("t,y\n" + "".join(f"{stamp},1\n" for stamp in stamps))
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    assert encoder.names_ == ["t", *(f"t {w} of day" for w in WAVES)]
    np.testing.assert_allclose(X[1, 1:], [1, 0, 0, -1], atol=1e-12)
    assert TableEncoder().fit(
        read("t,y\n2020-01-01 10:00,1\n2020-01-02 11:00,2\n"), "y"
    ).names_ == ["t"]


WAVES = ("sine", "cosine", "second sine", "second cosine")


def test_a_column_that_repeats_the_target_is_set_aside(read):
    table = read("copy,x,y\n1,3,1\n5,1,5\n3,4,3\n")
    encoder = TableEncoder().fit(table, target="y")
    assert encoder.names_ == ["x"]
    assert "'copy' (the same as 'y')" in encoder.notes_[0]


def test_columns_can_be_left_out(table):
    encoder = TableEncoder(leave_out=["day", "colour"]).fit(table, target="y")
    assert encoder.names_ == ["size", "size is missing", "ok"]
    assert "day" not in encoder.notes_[-1]


def test_missing_columns_are_named_with_what_they_may_be(table, read):
    encoder = TableEncoder().fit(table, target="y")
    with pytest.raises(
        DataFileError, match=r"expected a column 'size', .* did you rename it to 'Size"
    ):
        encoder.transform(read("Sizes,colour,ok,day\n1,red,no,2020-01-01\n"))
    with pytest.raises(DataFileError, match=r"'size' \(and 'colour', 'ok', 'day'\)"):
        encoder.transform(read("u,v\n1,2\n"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("big,red,no,2020-01-01", "line 2: expected numbers in 'size', .* found 'big'"),
        ("1,red,no,soon", "line 2: expected dates in 'day', .* found 'soon'"),
        ("1,red,maybe,2020-01-01", "line 2: expected yes or no in 'ok', .* found 'maybe'"),
    ],
)
def test_columns_of_another_kind_are_refused(table, read, row, said):
    encoder = TableEncoder().fit(table, target="y")
    with pytest.raises(DataFileError, match=said):
        encoder.transform(read(f"size,colour,ok,day\n{row}\n"))


def test_new_tables_may_lack_all_values_of_a_column(table, read):
    encoder = TableEncoder().fit(table, target="y")
    X = encoder.transform(read("size,colour,ok,day\n,,,\n"))
    np.testing.assert_array_equal(X, [[5, 1, 0, 0, 0, 0, 0]])


def test_single_rows_are_read_in_the_style_that_was_learnt(read):
    table = read('x,y\n"$1,234",1\n"$7,891,011.5",2\n$8,3\n')
    encoder = TableEncoder().fit(table, target="y")
    assert encoder.transform(read('x,y\n"$2,345",1\n'))[0, 0] == 2345
    dates = read("t,y\n12/31/2020,1\n01/02/2020,2\n")
    encoder = TableEncoder().fit(dates, target="y")
    new, old = encoder.transform(read("t,y\n01/02/2020,1\n")), encoder.transform(dates)
    assert new[0, 0] == old[1, 0]


def test_tables_without_features_are_refused(read):
    with pytest.raises(DataFileError, match="at least one column to learn from"):
        TableEncoder().fit(read("x,y\n1,2\n1,3\n"), target="y")


def test_unknown_targets_are_named(table):
    with pytest.raises(DataFileError, match=r"expected a column 'sizes', .* did you mean 'size'"):
        TableEncoder().fit(table, target="sizes")


def test_it_is_an_estimator(table):
    with pytest.raises(NotFittedError):
        TableEncoder().transform(table)
    assert clone(TableEncoder(leave_out=["a"])).leave_out == ["a"]


def test_it_can_be_saved(table):
    sio = pytest.importorskip("skops.io")
    encoder = TableEncoder().fit(table, target="y")
    saved = sio.dumps(encoder)
    types = sio.get_untrusted_types(data=saved)
    assert all(name.startswith("untaint.io.") for name in types)
    loaded = sio.loads(saved, trusted=types)
    np.testing.assert_array_equal(loaded.transform(table), encoder.transform(table))


def test_the_target_is_not_among_the_columns_to_leave_out(read):
    table = read("x,y\n1.5,2\n2.5,3\n4,5\n")
    with pytest.raises(DataFileError, match="found the target, 'y'"):
        TableEncoder(leave_out=["y"]).fit(table, target="y")


def test_a_column_that_is_still_needed_is_no_renamed_one(read):
    encoder = TableEncoder().fit(
        read("temp_min,b,temp_max\n1,4,2\n2,6,3\n3,5,4\n"), target="temp_max"
    )
    with pytest.raises(DataFileError, match=r"expected a column 'temp_min', [^;]*$"):
        encoder.transform(read("b,temp_max\n1,2\n"))


@pytest.mark.parametrize("given", [None, "foo", np.eye(2)])
def test_what_is_no_table_is_refused(given):
    for read_it in (read_columns, lambda table: read_target(table, "y"), TableEncoder().fit):
        with pytest.raises(DataFileError, match="table should be what read_table returns"):
            read_it(given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"decimal": np.ones(2)}, "decimal should be"),
        ({"delimiter": [";"]}, "delimiter should be a single ASCII character"),
        ({"source": ""}, "source: expected a file, got an empty path"),
    ],
)
def test_options_of_reading_are_checked(tmp_path, options, message):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataFileError, match=message):
        read_table(**{"source": path, **options})
