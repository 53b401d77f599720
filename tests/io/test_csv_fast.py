"""The fast engine by itself: it reads on while there is no doubt, and no further."""

import numpy as np
import pytest

from untaint.io.stream.block import BlockFormat
from untaint.io.stream.csv_exact import read_header
from untaint.io.stream.csv_fast import FastPathRejected, read_fast
from untaint.io.stream.selection import ColumnSelector

csv = pytest.importorskip("pyarrow.csv")


def fast_blocks(path, target=None, text_target=False, dtype="float64"):
    import pyarrow

    file = read_header(path, ",")
    selection = ColumnSelector(target, None).select("t.csv", file.header, len(file.header))
    block_format = BlockFormat(np.dtype(dtype), 1)
    return read_fast(file, selection, block_format, (pyarrow, csv), text_target=text_target)


def test_a_good_file_is_read_without_the_exact_engine(write):
    X = np.arange(2000.0).reshape(-1, 2)
    path = write("t.csv", "a,b\n" + "".join(f"{a},{b}\n" for a, b in X))
    blocks = [rows.X for rows in fast_blocks(path)]
    assert len(blocks) > 1
    np.testing.assert_array_equal(np.concatenate(blocks), X)


def test_labels_are_read_without_the_exact_engine(write):
    path = write("t.csv", 'a,y\n1,x\n2,"z, w"\n3,x\n')
    (rows,) = [rows for rows in fast_blocks(path, "y", text_target=True) if len(rows.X)]
    assert rows.y.tolist() == ["x", "z, w", "x"]
    assert rows.y[0] is rows.y[2]


@pytest.mark.parametrize("row", ["1", "1,x", "1,", "1,nan", '1,"2', "1,1e999"])
def test_good_blocks_come_before_the_doubt(write, row):
    path = write("t.csv", "a,b\n" + "1,2\n" * 5000 + row)
    done = 0
    with pytest.raises(FastPathRejected):
        for rows in fast_blocks(path):
            done += len(rows.X)
            assert (rows.X == [1, 2]).all()
    assert 0 < done <= 5000


def test_a_quote_that_swallows_the_rest_is_doubted_even_in_a_column_not_read(write):
    import pyarrow

    path = write("t.csv", 'a,note\n1,x\n2,"y\n3,z\n')
    file = read_header(path, ",")
    selection = ColumnSelector(None, ["a"]).select("t.csv", file.header, 2)
    with pytest.raises(FastPathRejected):
        list(
            read_fast(
                file, selection, BlockFormat(np.dtype(float)), (pyarrow, csv), text_target=False
            )
        )
