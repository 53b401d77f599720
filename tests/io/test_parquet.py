"""Tables with types."""

import io
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import pytest

from untaint.io import DataFileError, TableEncoder, read_columns, read_target

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

COLUMNS = {
    "whole": pa.array([4, None, 9, 2], pa.int32()),
    "real": pa.array([1.5, np.nan, np.inf, 2.0]),
    "exact": pa.array([Decimal("1.50"), None, Decimal("2.25"), Decimal("3.00")]),
    "flag": pa.array([True, False, None, True]),
    "day": pa.array([date(2020, 1, 1), None, date(2020, 1, 3), date(2020, 1, 9)]),
    "time": pa.array([datetime(2020, 1, d, 5) for d in (1, 2, 4, 8)], pa.timestamp("ns", "UTC")),
    "word": pa.array(["a", "b,c", None, "a"]),
    "level": pa.array(["u", "v", "u", "v"]).dictionary_encode(),
    "list": pa.array([[1], [2, 3], None, []]),
    "nothing": pa.nulls(4),
    "raw": pa.array([b"x", b"\xff", b"z", b"x"]),
}


def as_parquet(columns, **options):
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


@pytest.fixture
def table(read):
    return read(as_parquet(COLUMNS), "a.parquet")


def test_names_and_cells_are_there(table):
    assert table.names == list(COLUMNS)
    assert table.dialect.describe() == "Parquet"
    assert table.rows_cells([0])[0] == [
        *("4", "1.5", "1.50", "true", "2020-01-01", "2020-01-01 05:00:00+00:00", "a", "u", "[1]"),
        *("", "x"),
    ]
    assert table.cell(1, 0) == ""
    assert (table.line_number(1), table.place(1)) == (2, "row 2")


def test_kinds_follow_from_types(table):
    kinds = {column.name: column.kind for column in read_columns(table)}
    assert kinds == {
        "whole": "number",
        "real": "number",
        "exact": "number",
        "flag": "boolean",
        "day": "date",
        "time": "date",
        "word": "text",
        "level": "category",
        "list": "identifier",
        "nothing": "empty",
        "raw": "text",
    }


def test_types_are_kept_exactly(table):
    kept = pq.read_table(io.BytesIO(table.parquet_bytes([True, False, True, False])))
    original = pq.read_table(io.BytesIO(as_parquet(COLUMNS)))
    assert kept.schema.equals(original.schema, check_metadata=True)
    assert kept.drop_columns("real").equals(original.take([0, 2]).drop_columns("real"))
    turned = pq.read_table(io.BytesIO(table.parquet_bytes([3, 0])))
    assert turned.column("whole").to_pylist() == [2, 4]


def test_rows_are_written_as_csv(read):
    table = read(as_parquet({"x": [1.5, 2.0], "w": ["a,b", None]}), "a.parquet")
    assert table.header_with("mark") == b"x,w,mark\n"
    assert table.rows_bytes(extra=["", "!"], replace={0: {1: "7"}}) == b'1.5,"a,b",\n7,,!\n'
    assert table.header_bytes + table.rows_bytes([False, True]) == b"x,w\n2.0,\n"


def test_the_index_of_pandas_is_kept_and_not_shown(read):
    pd = pytest.importorskip("pandas")
    stream = io.BytesIO()
    frame = pd.DataFrame({"a": [1, 2], "b": [3.0, 4.0]}, index=["r", "s"])
    frame.to_parquet(stream)
    table = read(stream.getvalue(), "a.parquet")
    assert table.names == ["a", "b"]
    again = pd.read_parquet(io.BytesIO(table.parquet_bytes([False, True])))
    pd.testing.assert_frame_equal(again, frame.iloc[1:])


def test_features_and_targets_are_read(read):
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=30), "ok": rng.random(30) < 0.5, "y": np.arange(30) % 3}
    table = read(as_parquet(columns), "a.parquet")
    encoder = TableEncoder()
    X = encoder.fit_transform(table, target="y")
    np.testing.assert_array_equal(X, np.column_stack([columns["x"], columns["ok"]]))
    np.testing.assert_array_equal(read_target(table, "y").values, columns["y"])
    assert read_target(table, "ok").values[0] in ("true", "false")


def test_text_and_parquet_meet(read):
    text = read("x,ok,t,c,y\n" + "1.5,true,2020-01-02,u,1\n2,false,2020-01-05,v,2\n" * 6)
    encoder = TableEncoder().fit(text, target="y")
    typed = {
        "x": [1.5, 2.0],
        "ok": [True, False],
        "t": [date(2020, 1, 2), date(2020, 1, 5)],
        "c": ["u", "v"],
    }
    X = encoder.transform(read(as_parquet(typed), "a.parquet"))
    np.testing.assert_array_equal(X, encoder.transform(text)[:2])
    with pytest.raises(DataFileError, match=r"row 1: expected dates in 't', .* found '3'"):
        encoder.transform(read(as_parquet(typed | {"t": [3, 4]}), "a.parquet"))


def test_tables_too_small_are_refused(read):
    with pytest.raises(DataFileError, match="at least two columns, found 1"):
        read(as_parquet({"x": [1]}), "a.parquet")
    with pytest.raises(DataFileError, match="expected rows"):
        read(as_parquet({"x": pa.array([], pa.int8()), "y": pa.array([], pa.int8())}), "a.parquet")


def test_text_can_be_written_as_parquet(read):
    table = read("a,b\n1,x\n2,y\n")
    again = pq.read_table(io.BytesIO(table.parquet_bytes([False, True])))
    assert again.to_pylist() == [{"a": "2", "b": "y"}]
