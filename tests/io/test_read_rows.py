"""The arguments of read_rows."""

import re

import numpy as np
import pytest

from untaint.io import DataFileError, read_rows


@pytest.mark.parametrize("dtype", ["float16", "int64", "double precision", int])
def test_rows_are_float32_or_float64(dtype):
    with pytest.raises(ValueError, match="dtype must be one of 'float64', 'float32', got"):
        read_rows([np.eye(2)], dtype=dtype)


@pytest.mark.parametrize("dtype", ["float32", np.float32, np.dtype("float32"), "f4"])
def test_every_spelling_of_a_dtype_serves(dtype, spools):
    with read_rows([np.eye(2)], dtype=dtype, directory=spools) as table:
        assert table.X.dtype == np.float32


@pytest.mark.parametrize("block_rows", [0, -1, 2.5, True])
def test_block_rows_is_a_count(block_rows):
    with pytest.raises(ValueError, match="block_rows must be an integer of at least 1 or None"):
        read_rows([np.eye(2)], block_rows=block_rows)


@pytest.mark.parametrize("source", [None, 7, lambda: 7])
def test_a_source_is_paths_or_blocks(source):
    message = "source must be a path, a list of paths, an iterable of blocks or a function that"
    with pytest.raises(ValueError, match=re.escape(message)):
        read_rows(source)


def test_a_number_too_large_for_float32_is_refused(spools):
    with pytest.raises(
        DataFileError, match=r"row 0: column 1 should fit into float32, found 1e\+3"
    ):
        read_rows([np.array([[1, 1e300]])], dtype="float32", directory=spools)


def test_columns_may_come_from_an_iterator(write, engine, spools):
    # It serves twice, because targets that are text take a second reading.
    path = write("t.csv", "a,b,y\n1,2,x\n")
    with read_rows(path, target="y", columns=iter(["b", "a"]), directory=spools) as table:
        assert table.X.tolist() == [[2, 1]]
