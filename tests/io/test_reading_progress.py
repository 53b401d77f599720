"""Reading reports how far it has come."""

import io

import numpy as np
import pytest

from untaint._progress import shown_by
from untaint.io import cells, read_columns, read_rows, read_table

TEXT = "a,b,c\n" + "".join(f'{i},"x{i % 7}\n",{i / 8}\n' for i in range(3000))


def steps_of(read):
    """Return the result of a function, and the steps that it reports."""
    steps = []
    with shown_by(lambda done, total: steps.append((done, total))):
        return read(), steps


def test_a_large_table_is_parsed_in_parts(write, monkeypatch):
    path = write("t.csv", TEXT)
    whole, steps = steps_of(lambda: read_table(path))
    assert steps == []
    monkeypatch.setattr(cells, "_PART", 1000)
    table, steps = steps_of(lambda: read_table(path))
    assert len(steps) > 20
    assert [done for done, _ in steps] == list(range(steps[-1][1] + 1))
    assert table.header_bytes + table.rows_bytes() == TEXT.encode()
    for j in range(3):
        assert table.column(j).to_pylist() == whole.column(j).to_pylist()


def test_parts_pass_over_blank_lines(write, monkeypatch):
    path = write("t.csv", "a,b\n  \n1,2\n \n3,4\n\n  \n5,6\n   \n")
    monkeypatch.setattr(cells, "_PART", 3)
    assert read_table(path).column(1).to_pylist() == ["2", "4", "6"]


def test_columns_are_counted(write):
    table = read_table(write("t.csv", TEXT))
    assert steps_of(lambda: read_columns(table))[1] == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("kind", ["t.csv", "t.parquet"])
def test_rows_are_counted_up_to_the_end(write, spools, kind):
    X = np.arange(4000.0).reshape(-1, 2)
    if kind == "t.csv":
        content = "a,b\n" + "".join(f"{a},{b}\n" for a, b in X)
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        stream = io.BytesIO()
        pq.write_table(pa.table(list(X.T), names=["a", "b"]), stream)
        content = stream.getvalue()
    path = write(kind, content)

    def read():
        with read_rows(path, block_rows=100, directory=spools) as table:
            return table.X.tolist()

    rows, steps = steps_of(read)
    assert rows == X.tolist()
    done = [done for done, _ in steps]
    assert done == sorted(done)
    assert steps[-1][0] == steps[-1][1]


def test_a_bar_shows_the_time_left(write, spools, capsys):
    read_rows(write("t.csv", "a\n1\n"), directory=spools, verbose=True).close()
    assert "read_rows [####" in capsys.readouterr().err
