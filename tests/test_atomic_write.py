"""A file is replaced whole, however many write it and whenever one of them is killed."""

from __future__ import annotations

import errno
import os
import threading

import pytest

from untaint._atomic_write import open_atomically, remove_abandoned_drafts
from untaint.cleaning.atomic_output import write_file_atomically
from untaint.optim.checkpoint import Checkpoint

FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child of its own kind")


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def killed_while_writing(path) -> None:
    """Write half of a file in a child that is gone before the end."""
    child = os.fork()
    if child == 0:
        with open_atomically(path) as stream:
            stream.write(b"half")
            stream.flush()
            os._exit(9)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_writers_of_one_path_do_not_share_a_draft(tmp_path):
    path = tmp_path / "model.skops"
    with open_atomically(path) as first:
        first.write(b"first, ")
        first.flush()
        with open_atomically(path) as second:
            second.write(b"second, ")
            second.flush()
            with open_atomically(path) as third:
                third.write(b"third")
            assert path.read_bytes() == b"third"
            second.write(b"whole")
        assert path.read_bytes() == b"second, whole"
        first.write(b"whole")
    assert path.read_bytes() == b"first, whole"
    assert names_in(tmp_path) == ["model.skops"]


def test_a_writer_that_fails_does_not_disturb_another(tmp_path):
    path = tmp_path / "model.skops"
    with open_atomically(path) as first:
        first.write(b"whole")
        with pytest.raises(KeyboardInterrupt), open_atomically(path) as second:
            second.write(b"half")
            raise KeyboardInterrupt
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    assert names_in(tmp_path) == ["model.skops"]


@FORKS
def test_a_writer_that_is_killed_in_between_leaves_the_content_of_the_other(tmp_path):
    path = tmp_path / "model.skops"
    with open_atomically(path) as stream:
        stream.write(b"whole")
        killed_while_writing(path)
    assert path.read_bytes() == b"whole"
    write_file_atomically(path, b"next")  # and removes what the other left
    assert path.read_bytes() == b"next"
    assert names_in(tmp_path) == ["model.skops"]


@FORKS
def test_drafts_of_a_killed_writer_are_removed_and_no_other_files(tmp_path):
    others = [".model.skops.untaint", ".model.skops.0123.untaint", ".a.0123456789abcdef.untaint"]
    for name in others:
        (tmp_path / name).write_bytes(b"of somebody else")
    (tmp_path / ".model.skops.0123456789abcdef.untaint").symlink_to(others[0])
    (tmp_path / ".model.skops.0123456789abcde0.untaint").mkdir()
    os.mkfifo(tmp_path / ".model.skops.0123456789abcde1.untaint")
    before = names_in(tmp_path)
    killed_while_writing(tmp_path / "model.skops")
    assert len(names_in(tmp_path)) == len(before) + 1
    write_file_atomically(tmp_path / "model.skops", b"whole")
    assert names_in(tmp_path) == sorted([*before, "model.skops"])
    assert all((tmp_path / name).read_bytes() == b"of somebody else" for name in others)


def test_a_draft_that_is_removed_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    path, flock, others = tmp_path / "model.skops", fcntl.flock, []

    def beaten_by_another_writer(descriptor, operation):
        if not others:
            others.append(path)
            remove_abandoned_drafts(path)
            assert names_in(tmp_path) == []
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", beaten_by_another_writer)
    write_file_atomically(path, b"whole")
    assert others
    assert path.read_bytes() == b"whole"
    assert names_in(tmp_path) == ["model.skops"]


@FORKS
def test_a_fit_that_ends_leaves_no_draft_of_a_killed_one(tmp_path):
    path = tmp_path / "c.npz"
    killed_while_writing(path)
    checkpoint = Checkpoint(path, "key", seed=0)
    checkpoint.save(0, {})
    assert names_in(tmp_path) == ["c.npz"]
    killed_while_writing(path)
    checkpoint.remove()
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("locks", [True, False], ids=["with locks", "without locks"])
def test_many_writers_and_readers_at_once_see_whole_files_only(tmp_path, monkeypatch, locks):
    if not locks:
        fcntl = pytest.importorskip("fcntl")

        def unknown(*_):
            raise OSError(errno.ENOLCK, "No locks available")

        monkeypatch.setattr(fcntl, "flock", unknown)
    path = tmp_path / "model.skops"
    contents = [bytes([65 + k]) * 200_000 for k in range(4)]
    path.write_bytes(contents[0])
    troubles = []

    def write_often(content):
        try:
            for _ in range(25):
                write_file_atomically(path, content)
                if path.read_bytes() not in contents:
                    troubles.append("a mixture")
        except Exception as error:
            troubles.append(error)

    threads = [threading.Thread(target=write_often, args=[content]) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert names_in(tmp_path) == ["model.skops"]


def test_a_file_has_the_permissions_of_any_new_file(tmp_path):
    for mask in (0o022, 0o077, 0o002):
        before = os.umask(mask)
        try:
            (tmp_path / f"plain{mask}").write_bytes(b"")
            write_file_atomically(tmp_path / f"model{mask}", b"")
        finally:
            os.umask(before)
        plain, written = (tmp_path / f"{name}{mask}" for name in ("plain", "model"))
        assert written.stat().st_mode == plain.stat().st_mode


def test_names_as_long_as_a_system_takes_are_written(tmp_path):
    path = tmp_path / ("m" * 255)
    write_file_atomically(path, b"whole")
    assert path.read_bytes() == b"whole"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "model.skops"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match="No space"):
        write_file_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names_in(tmp_path) == ["model.skops"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in its files")
def test_a_pipe_or_a_device_is_refused_and_stays(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="Expected a file, found a device or a pipe"):
        write_file_atomically(path, b"content")
    assert path.is_fifo()
    assert names_in(tmp_path) == ["pipe"]
