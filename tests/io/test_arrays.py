"""Arrays in .npy files."""

import re

import numpy as np
import pytest

from untaint.io import DataFileError, read_rows


@pytest.fixture
def save(tmp_path):
    def save(name, array):
        path = tmp_path / name
        np.save(path, array)
        return path

    return save


def test_a_file_of_the_dtype_asked_for_is_mapped_as_it_is(save, spools):
    X = np.arange(12, dtype=np.float32).reshape(4, 3)
    path = save("t.npy", X)
    with read_rows(path, dtype="float32", directory=spools) as table:
        assert list(spools.iterdir()) == []
        assert table.X.filename == path
        assert not table.X.flags.writeable
        np.testing.assert_array_equal(table.X, X)
        assert table.names is None
    assert path.exists()


@pytest.mark.parametrize(
    "X",
    [
        np.arange(12).reshape(4, 3),
        np.asfortranarray(np.arange(12.0).reshape(4, 3)),
        np.arange(12, dtype=np.float32).reshape(4, 3),
        np.arange(12, dtype=">f8").reshape(4, 3),
    ],
)
def test_any_other_is_spooled(save, spools, X):
    with read_rows(save("t.npy", X), directory=spools, block_rows=3) as table:
        assert len(list(spools.iterdir())) == 1
        assert table.X.dtype == np.float64
        assert table.X.flags.c_contiguous
        np.testing.assert_array_equal(table.X, X)


def test_target_and_columns_are_positions(save, spools):
    path = save("t.npy", np.arange(12.0).reshape(4, 3))
    with read_rows(path, target=-1, columns=[1, 0], directory=spools) as table:
        assert table.X[1].tolist() == [4, 3]
        assert table.y.tolist() == [2, 5, 8, 11]


def test_files_of_a_directory_are_read_by_name(save, tmp_path, spools):
    (tmp_path / "parts").mkdir()
    save("parts/b.npy", np.ones((2, 2)))
    save("parts/a.npy", np.zeros((1, 2)))
    with read_rows(tmp_path / "parts", directory=spools) as table:
        assert table.X.tolist() == [[0, 0], [1, 1], [1, 1]]
    save("parts/c.npy", np.zeros((1, 3)))
    with pytest.raises(DataFileError, match=r"c\.npy: expected 2 columns as in .*a\.npy, found 3"):
        read_rows(tmp_path / "parts", directory=spools)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.arange(3.0), "expected a 2-d array of numbers, found one of shape (3,)"),
        (np.array([["x"]]), "expected a 2-d array of numbers, found one of shape (1, 1) and type"),
        (np.array([[None]]), "expected a whole .npy file of numbers"),
        (np.empty((0, 3)), "expected at least one row, found none."),
        (np.array([[1.0], [np.nan]]), "row 1: column 0 should be a finite number, found nan."),
    ],
)
def test_the_message_says_what_was_found(save, spools, array, message):
    with pytest.raises(DataFileError, match=r"t\.npy.*" + re.escape(message)):
        read_rows(save("t.npy", array), directory=spools)


def test_no_array_and_half_an_array_are_named(save, write, spools):
    whole = save("whole.npy", np.ones((100, 3))).read_bytes()
    for content in (b"", b"a,b\n1,2\n", whole[:50], whole[:1000]):
        with pytest.raises(DataFileError, match=r"t\.npy: expected a whole \.npy file of numbers"):
            read_rows(write("t.npy", content), directory=spools)
