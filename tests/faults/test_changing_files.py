"""Files that somebody changes while they are read: no rows are made up, and nothing hangs."""

import numpy as np
import pytest

import untaint.io.stream.files as files
import untaint.io.stream.text as text
from untaint.io import read_rows
from untaint.io.errors import DataFileError


def changed_after(monkeypatch, module, name, change):
    """Let somebody change the file as soon as a function has returned."""
    original = getattr(module, name)

    def function(*args, **kwargs):
        found = original(*args, **kwargs)
        change()
        return found

    monkeypatch.setattr(module, name, function)


@pytest.mark.parametrize("quick", [True, False], ids=["pyarrow", "exact"])
@pytest.mark.parametrize("left", [b"a,b\n1,2\n3", b"a,b\n1,2\n3,"])
def test_a_file_that_shrinks_while_it_is_read(tmp_path, monkeypatch, quick, left):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 5000)
    changed_after(monkeypatch, text, "find_delimiter", lambda: path.write_bytes(left))
    monkeypatch.setattr(text, "_SAMPLE", 64)
    if not quick:
        monkeypatch.setattr(text, "find_arrow", lambda _=None: None)
    # Rows that the system had read ahead are read all the same, but none is made up.
    try:
        with read_rows(path, directory=tmp_path) as table:
            assert (table.X == [1, 2]).all()
    except DataFileError as error:
        assert "t.csv, line " in str(error)
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.csv"]


def test_an_array_that_shrinks_before_it_is_mapped(tmp_path, monkeypatch):
    path = tmp_path / "t.npy"
    np.save(path, np.ones((500, 3)))
    whole = path.read_bytes()
    changed_after(
        monkeypatch, files, "_check_files", lambda: path.write_bytes(whole[: len(whole) // 2])
    )
    with pytest.raises(DataFileError, match=r"t\.npy: expected a whole \.npy file"):
        read_rows(path, target=0, directory=tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.npy"]


def test_a_file_that_goes_away_before_it_is_read_again(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,x\n")  # a target of text, which is found in the first pass
    changed_after(monkeypatch, text, "find_delimiter", path.unlink)
    with pytest.raises(DataFileError, match=r"t\.csv: the file cannot be read"):
        read_rows(path, target="b", directory=tmp_path)
    assert list(tmp_path.iterdir()) == []
