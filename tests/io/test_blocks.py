"""Blocks that the caller makes."""

import re

import numpy as np
import pytest
from scipy import sparse

from untaint.io import DataFileError, read_rows


def test_arrays_are_put_one_below_the_other(spools):
    blocks = [np.zeros((2, 3)), np.ones((0, 3)), np.ones((1, 3), dtype=int)]
    with read_rows(blocks, directory=spools) as table:
        assert table.X.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1]]
        assert table.y is None
        assert table.names is None


def test_a_stream_is_consumed_once(spools):
    taken = []

    def stream():
        for i in range(3):
            taken.append(i)
            yield np.full((1, 2), i)

    with read_rows(stream(), directory=spools) as table:
        assert table.X[:, 0].tolist() == [0, 1, 2]
    assert taken == [0, 1, 2]
    with read_rows(stream, directory=spools) as table:
        assert len(table.X) == 3


def test_pairs_bring_their_targets(spools):
    blocks = [(np.zeros((2, 1)), [1, 2]), (np.zeros((0, 1)), []), ([[1.0]], np.array([[3]]))]
    with read_rows(iter(blocks), directory=spools) as table:
        assert table.y.tolist() == [1, 2, 3]
        assert table.y.dtype == np.float64


def test_text_targets_stay_text(spools):
    blocks = [(np.zeros((2, 1)), ["a", "b"]), (np.zeros((1, 1)), np.array(["a"], dtype=object))]
    with read_rows(blocks, directory=spools) as table:
        assert table.y.tolist() == ["a", "b", "a"]


def test_an_array_or_a_frame_alone_is_one_block(spools):
    pd = pytest.importorskip("pandas")
    with read_rows(np.eye(2), directory=spools) as table:
        assert table.X.tolist() == [[1, 0], [0, 1]]
    with read_rows(pd.DataFrame({"a": [1, 2]}), directory=spools) as table:
        assert table.names == ["a"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_of_frames_are_matched_by_name(library, spools):
    DataFrame = pytest.importorskip(library).DataFrame
    blocks = [
        DataFrame({"a": [1, 2], "kind": ["x", "y"], "b": [True, False]}),
        DataFrame({"b": [0.5], "a": [3], "kind": ["x"]}),
    ]
    with read_rows(blocks, target="kind", directory=spools) as table:
        assert table.names == ["a", "b"]
        assert table.X.tolist() == [[1, 1], [2, 0], [3, 0.5]]
        assert table.y.tolist() == ["x", "y", "x"]


def test_columns_that_pandas_has_only_counted_are_positions(spools):
    pd = pytest.importorskip("pandas")
    with read_rows([pd.DataFrame(np.eye(2))], target=0, directory=spools) as table:
        assert table.names is None
        assert table.y.tolist() == [1, 0]


def test_objects_and_nullable_columns_serve_if_they_hold_numbers(spools):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"a": pd.array([1, 2], dtype="Int64"), "b": np.array([1, 2.5], dtype=object)}
    )
    with read_rows([frame], directory=spools) as table:
        assert table.X.tolist() == [[1, 1], [2, 2.5]]


def test_targets_may_be_categories(spools):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1, 2], "y": pd.Categorical(["u", "v"])})
    with read_rows([frame], target="y", directory=spools) as table:
        assert table.y.tolist() == ["u", "v"]


GOOD = np.zeros((2, 2))


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (np.zeros((2, 3)), "block 2: expected 2 columns as in block 1, found 3."),
        (np.zeros(2), "block 2: expected a 2-d array, a data frame or a pair (X, y), found an"),
        ("t.csv", "block 2: expected a 2-d array, a data frame or a pair (X, y), found str."),
        (7, "block 2: expected a 2-d array, a data frame or a pair (X, y), found int."),
        ([[1, 2], [3]], "block 2: expected a 2-d array, a data frame or a pair (X, y), found rows"),
        (sparse.eye(2), "found a sparse matrix; use its toarray()."),
        (np.ma.masked_less(np.eye(2), 1), "found an array with masked cells."),
        (np.array([["1", "2"]]), "block 2: column 0 should hold numbers, found text."),
        (np.zeros((1, 2), complex), "block 2: column 0 should hold numbers, found complex128."),
        (
            np.array([[1, "x"]], dtype=object),
            "block 2, row 0: column 1 should be a number, found 'x'.",
        ),
        (np.array([[1, None]], dtype=object), "block 2, row 0: column 1 is empty."),
        (
            np.array([[0, 1], [np.inf, 2]]),
            "block 2, row 1: column 0 should be a finite number, found inf.",
        ),
        (
            np.array([[0, np.inf]], np.float32),
            "block 2, row 0: column 1 should be a finite number, found inf.",
        ),
        ((GOOD, [1, 2]), "block 2: expected rows alone as in block 1."),
    ],
)
def test_the_message_names_block_and_reason(spools, block, message):
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_rows(iter([GOOD, block]), directory=spools)


@pytest.mark.parametrize(
    ("targets", "message"),
    [
        (
            [1, 2, 3],
            "block 2: expected one target for each of 2 rows, found an array of shape (3,)",
        ),
        (["a", "b"], "block 2: expected targets that are numbers as in block 1, found text."),
        ([1, np.nan], "block 2, row 1: the target should be a finite number, found nan."),
        ([1, None], "block 2, row 1: the target is empty."),
        (np.array(["a", None], object), "block 2, row 1: the target is empty."),
        (np.array(["a", np.nan], object), "block 2, row 1: the target is empty."),
        (["a", " "], "block 2, row 1: the target is empty."),
        (np.array(["a", 1], object), "block 2, row 1: the target should be text, found 1."),
        (np.array([1, "a"], object), "row 1: the target should be a number, found 'a'."),
        (np.array([1, 2], "M8[s]"), "the target should hold numbers or text, found datetime64[s]"),
    ],
)
def test_the_targets_of_a_pair_are_checked(spools, targets, message):
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_rows([(GOOD, [1, 2]), (GOOD, targets)], directory=spools)


def test_a_pair_leaves_no_choice_of_target(spools):
    with pytest.raises(DataFileError, match="target must be None, got 1"):
        read_rows([(GOOD, [1, 2])], target=1, directory=spools)


def test_named_and_nameless_blocks_do_not_mix(spools):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1], "b": [2]})
    with pytest.raises(DataFileError, match="block 2: expected columns with names as in block 1"):
        read_rows([frame, GOOD], directory=spools)
    with pytest.raises(DataFileError, match="block 2: expected columns without names"):
        read_rows([GOOD, frame], directory=spools)


@pytest.mark.parametrize("blocks", [[], [np.zeros((0, 2))]])
def test_no_rows_at_all_are_refused(spools, blocks):
    with pytest.raises(DataFileError, match="expected at least one row, found none"):
        read_rows(blocks, directory=spools)


def test_an_error_of_the_stream_itself_passes(spools):
    def stream():
        yield GOOD
        raise RuntimeError("the sensor is off")

    with pytest.raises(RuntimeError, match="the sensor is off"):
        read_rows(stream(), directory=spools)
