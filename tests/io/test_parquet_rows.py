"""Parquet files."""

import datetime
import re
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from untaint.io import DataFileError, read_rows
from untaint.io.stream.block import BlockFormat
from untaint.io.stream.selection import ColumnSelector
from untaint.io.stream.typed import read_parquet_rows

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def save(tmp_path):
    def save(name, columns, **options):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), path, **options)
        return path

    return save


def test_numbers_of_every_type_are_features(save):
    path = save(
        "t.parquet",
        {
            "int": pa.array([1, 2], pa.int8()),
            "half": pa.array(np.array([1.5, 2.5], np.float16)),
            "flag": [True, False],
            "price": [Decimal("1.25"), Decimal("2.50")],
            "level": pa.array([7, 8]).dictionary_encode(),
            "dotted.name": [0.5, 0.25],
        },
    )
    with read_rows(path) as table:
        assert table.names == ["int", "half", "flag", "price", "level", "dotted.name"]
        assert table.X.tolist() == [[1, 1.5, 1, 1.25, 7, 0.5], [2, 2.5, 0, 2.5, 8, 0.25]]
        assert table.y is None


@pytest.mark.parametrize("encode", [lambda a: a, lambda a: a.dictionary_encode()])
def test_text_is_a_target(save, encode):
    path = save("t.parquet", {"kind": encode(pa.array(["x", "y", "x"])), "a": [1, 2, 3]})
    with read_rows(path, target="kind") as table:
        assert table.names == ["a"]
        assert table.y.tolist() == ["x", "y", "x"]


def test_columns_are_picked_in_the_order_asked_for(save):
    path = save("t.parquet", {"a": [1, 2], "note": ["x", None], "b": [3, 4], "y": [5, 6]})
    with read_rows(path, target="y", columns=["b", "a"]) as table:
        assert table.X.tolist() == [[3, 1], [4, 2]]
        assert table.y.tolist() == [5, 6]


def test_the_index_of_pandas_is_no_column(tmp_path):
    pd = pytest.importorskip("pandas")
    pd.DataFrame({"a": [1.0, 2.0]}, index=[7, 9]).to_parquet(tmp_path / "t.parquet")
    with read_rows(tmp_path / "t.parquet") as table:
        assert table.names == ["a"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1], "b": ["x"]}, "t.parquet: column 'b' should hold numbers, found string."),
        (
            {"a": [1], "b": [datetime.date(2020, 1, 1)]},
            "column 'b' should hold numbers, found date32[day].",
        ),
        ({"a": [1], "b": pa.array([None])}, "column 'b' should hold numbers, found null."),
        ({"a": [1] * 9 + [None]}, "t.parquet, row 9: column 'a' is empty."),
        (
            {"a": [1.0] * 9 + [np.nan]},
            "t.parquet, row 9: column 'a' should be a finite number, found nan.",
        ),
        ({"a": pa.array([], pa.float64())}, "expected at least one row, found none."),
    ],
)
def test_the_message_names_file_row_and_reason(save, spools, columns, message):
    with pytest.raises(DataFileError, match=re.escape(message)):
        read_rows(save("t.parquet", columns), block_rows=4, directory=spools)


def test_a_target_is_numbers_or_text_without_gaps(save, spools):
    dates = save("t.parquet", {"a": [1], "y": [datetime.date(2020, 1, 1)]})
    with pytest.raises(DataFileError, match=r"column 'y' should hold numbers or text, found date"):
        read_rows(dates, target="y", directory=spools)
    gaps = save("t.parquet", {"a": [1, 2], "y": ["x", None]})
    with pytest.raises(DataFileError, match=r"row 1: column 'y' is empty\."):
        read_rows(gaps, target="y", directory=spools)


def test_duplicate_names_are_refused(tmp_path):
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), tmp_path / "t.parquet")
    with pytest.raises(DataFileError, match="distinct column names, found 'a' 2 times"):
        read_rows(tmp_path / "t.parquet")


def test_targets_of_one_kind_in_all_files(save, spools):
    first = save("parts/1.parquet", {"a": [1], "y": [1]})
    save("parts/2.parquet", {"a": [1], "y": ["x"]})
    message = r"2\.parquet: expected targets that are numbers as in .*1\.parquet, found text\."
    with pytest.raises(DataFileError, match=message):
        read_rows(first.parent, target="y", directory=spools)


def test_no_parquet_and_half_a_parquet_file_are_named(save, write, spools):
    whole = save("whole.parquet", {"a": list(range(1000))}).read_bytes()
    for content in (b"", b"a,b\n1,2\n", whole[: len(whole) // 2]):
        with pytest.raises(DataFileError, match=r"t\.parquet: expected a whole Parquet file"):
            read_rows(write("t.parquet", content), directory=spools)


def test_a_damaged_page_is_named(save, write, spools):
    columns = {"a": np.random.default_rng(0).normal(size=2000)}
    whole = bytearray(save("whole.parquet", columns, compression="gzip").read_bytes())
    whole[200:3000] = bytes(2800)
    with pytest.raises(DataFileError, match=r"t\.parquet: the Parquet file is damaged \("):
        read_rows(write("t.parquet", bytes(whole)), directory=spools)


def test_without_pyarrow_the_message_says_what_to_install(save, spools, monkeypatch):
    path = save("t.parquet", {"a": [1]})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape('pip install "untaint[parquet]".')):
        read_rows(path, directory=spools)


def test_a_pyarrow_that_cannot_be_imported_is_not_called_absent(save, spools, monkeypatch):
    path = save("t.parquet", {"a": [1]})

    def broken(name):
        raise ImportError("libarrow.so.22: cannot open shared object file")

    monkeypatch.setattr("untaint.io.arrow.import_module", broken)
    with pytest.raises(ImportError, match=r"pyarrow is installed, but .* libarrow"):
        read_rows(path, directory=spools)


def test_what_is_held_of_a_large_row_group_is_a_part(save):
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=10**6) for name in "abcd"}  # 32 MB
    path = save("t.parquet", columns, row_group_size=10**6, compression="none")
    before = pa.total_allocated_bytes()
    blocks = read_parquet_rows(path, ColumnSelector(None, None), BlockFormat(np.dtype(float), 5000))
    held = [pa.total_allocated_bytes() - before for _ in blocks]
    assert len(held) >= 100
    assert max(held) < 16e6


@settings(max_examples=30)
@given(
    X=arrays(
        st.sampled_from([np.float64, np.float32, np.int32]),
        array_shapes(min_dims=2, max_dims=2, max_side=12),
        elements=st.integers(-1000, 1000),
    ),
    block_rows=st.integers(1, 5),
)
def test_arrays_come_back_as_they_were_written(X, block_rows):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.parquet"
        pq.write_table(pa.table(list(X.T), names=[f"x{j}" for j in range(X.shape[1])]), path)
        with read_rows(path, block_rows=block_rows) as table:
            np.testing.assert_array_equal(table.X, X.astype(np.float64))
