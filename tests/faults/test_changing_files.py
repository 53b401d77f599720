"""Files that somebody changes while they are read: no rows are made up, and nothing hangs."""

import numpy as np
import pytest

import untaint.io.stream.csv_rows as csv_rows
import untaint.io.stream.files as files
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
@pytest.mark.parametrize("left", [b"", b"a,b\n", b"a,b\n1", b"a,b\n1,2\n3,"])
def test_a_file_that_shrinks_after_its_header_was_read(tmp_path, monkeypatch, quick, left):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 50)
    changed_after(monkeypatch, csv_rows, "read_header", lambda: path.write_bytes(left))
    if not quick:
        monkeypatch.setattr(csv_rows, "find_arrow", lambda _: None)
    with pytest.raises(DataFileError, match=r"t\.csv"):
        read_rows(path, directory=tmp_path)
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


def test_a_file_that_goes_away_after_its_header_was_read(tmp_path, monkeypatch):
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n1,2\n")
    changed_after(monkeypatch, csv_rows, "read_header", path.unlink)
    with pytest.raises(DataFileError, match=r"t\.csv: the file cannot be read"):
        read_rows(path, directory=tmp_path)
    assert list(tmp_path.iterdir()) == []
