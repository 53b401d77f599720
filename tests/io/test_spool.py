"""The spool: what it holds, and that nothing stays behind."""

import errno
import gc
import multiprocessing
import os
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from untaint.io import DataFileError, read_rows
from untaint.io.stream import spool as spool_module
from untaint.io.stream.spool import Spool


def leftovers(directory):
    return list(directory.iterdir())


def test_the_rows_are_mapped_read_only_and_row_by_row(spools):
    with read_rows([np.asfortranarray(np.eye(3))], directory=spools) as table:
        assert isinstance(table.X, np.memmap)
        assert table.X.flags.c_contiguous
        assert not table.X.flags.writeable
        assert os.path.getsize(table.X.filename) == 9 * 8


def test_the_file_goes_when_the_table_is_closed(spools):
    table = read_rows([np.eye(3)], directory=spools)
    assert len(leftovers(spools)) == 1
    table.close()
    assert leftovers(spools) == []
    table.close()


def test_the_file_goes_with_the_last_view(spools):
    view = read_rows([np.eye(3)], directory=spools).X[1:, :2]
    assert len(leftovers(spools)) == 1
    assert view.tolist() == [[0, 1], [0, 0]]
    del view
    assert leftovers(spools) == []


def test_the_file_goes_when_garbage_is_collected(spools):
    table = read_rows([np.eye(3)], directory=spools)
    table.itself = table
    del table
    assert len(leftovers(spools)) == 1
    gc.collect()
    assert leftovers(spools) == []


def test_a_view_outlives_the_file(spools):
    with read_rows([np.eye(3)], directory=spools) as table:
        view = table.X[0]
    assert leftovers(spools) == []
    assert view.tolist() == [1, 0, 0]


def test_the_file_goes_at_exit(spools):
    program = (
        "import sys, numpy as np; from untaint.io import read_rows; "
        "table = read_rows([np.eye(3)], directory=sys.argv[1]); sys.modules['keep'] = table"
    )
    subprocess.run([sys.executable, "-c", program, str(spools)], check=True)
    assert leftovers(spools) == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
def test_a_fork_does_not_remove_the_file(spools):
    table = read_rows([np.eye(3)], directory=spools)
    child = multiprocessing.get_context("fork").Process(target=table.close)
    child.start()
    child.join()
    assert child.exitcode == 0
    assert len(leftovers(spools)) == 1
    table.close()


def test_the_file_goes_when_reading_fails_or_is_interrupted(spools):
    for error in (RuntimeError, KeyboardInterrupt):

        def stream(error=error):
            yield np.eye(3)
            assert len(leftovers(spools)) == 1
            raise error

        with pytest.raises(error):
            read_rows(stream(), directory=spools)
        assert leftovers(spools) == []


def test_a_directory_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataFileError, match=r"nowhere: no temporary file can be made there \(No"):
        read_rows([np.eye(3)], directory=tmp_path / "nowhere")


class FullDisk:
    """A file that has room for so many bytes."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        self._room -= memoryview(data).nbytes
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._file.write(data)

    def __getattr__(self, name):
        return getattr(self._file, name)


@pytest.fixture
def full_disk(monkeypatch):
    opened = os.fdopen
    monkeypatch.setattr(
        spool_module.os, "fdopen", lambda *arguments: FullDisk(opened(*arguments), 100)
    )


def test_a_full_disk_is_named_with_the_bytes(full_disk, spools, tmp_path):
    message = r"spools: the rows cannot be spooled there \(No space left on device\) after 72 bytes"
    with pytest.raises(DataFileError, match=message):
        read_rows([np.eye(3), np.eye(3)], directory=spools)
    np.save(tmp_path / "t.npy", np.ones((100, 3), dtype=int))
    with pytest.raises(DataFileError, match="after 72 of 2,400 bytes; pass another directory"):
        read_rows(tmp_path / "t.npy", directory=spools, block_rows=3)


def test_the_last_bytes_may_not_fit_either(spools):
    class Unflushed(FullDisk):
        def flush(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    spool = Spool(spools, np.dtype(float), lambda: None)
    spool._file = Unflushed(spool._file, 1000)
    with pytest.raises(DataFileError, match="No space left on device"), spool:
        spool.write(np.eye(3))
        spool.finish()


def test_what_is_held_is_a_block(spools):
    block = np.zeros((10_000, 16))  # 1.3 MB
    tracemalloc.start()
    try:
        with read_rows((block for _ in range(40)), dtype="float32", directory=spools) as table:
            _, peak = tracemalloc.get_traced_memory()
            assert table.X.nbytes == 40 * block.nbytes // 2
    finally:
        tracemalloc.stop()
    assert peak < 2 * block.nbytes


def test_what_is_held_of_a_csv_file_is_a_block(write, engine, spools):
    path = write("t.csv", "a,b,c,d\n" + "0.125,2.5,3.75,4.5\n" * 60_000)
    tracemalloc.start()
    try:
        with read_rows(path, directory=spools, block_rows=50) as table:
            _, peak = tracemalloc.get_traced_memory()
            assert len(table.X) == 60_000
            assert peak < table.X.nbytes / 2
    finally:
        tracemalloc.stop()


def test_other_processes_may_map_the_rows_by_their_file(spools):
    with read_rows([np.eye(3)], directory=spools) as table:
        again = np.memmap(table.X.filename, table.X.dtype, mode="r", shape=table.X.shape)
        np.testing.assert_array_equal(again, table.X)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(table.X)), table.X)
