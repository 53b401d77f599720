"""Whatever happens to the process, its files are all old, all new, or not there."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from cli_tables import FILES, cars, snapshot, text, write

from untaint.cleaning import atomic_output
from untaint.cleaning.atomic_output import write_file_atomically, write_files_atomically
from untaint.cli.main import main

OLD = {"a.csv": b"old a", "b.html": b"old b" * 9, "left.txt": b"of the old run only"}
NEW = {"a.csv": b"new a" * 3, "b.html": b"new b", "c.json": b"new c"}
STATES = {
    "fresh": {},
    "over an older run": OLD,
    "over part of one": {"b.html": b"old b"},
}


def seen(directory: Path) -> dict[str, bytes]:
    """What a reader finds under the names, hidden ones aside."""
    if not directory.is_dir():
        return {}
    names = OLD.keys() | NEW.keys()
    return {name: (directory / name).read_bytes() for name in names if (directory / name).exists()}


def after(old):
    return NEW | {name: content for name, content in old.items() if name not in {*NEW, "left.txt"}}


def prepared(folder: Path, old) -> Path:
    directory = folder / "made" / "out"
    if old:
        for name, content in old.items():
            write(directory / name, content)
    return directory


def fork_and_kill(directory: Path, at: int) -> bool:
    """Write in a child that is gone right after its ``at``-th change; whether it got so far."""
    child = os.fork()
    if child == 0:
        try:
            _count_changes(at, lambda: os._exit(9))
            write_files_atomically(directory, NEW, remove=["left.txt"])
            os._exit(0)
        except BaseException:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, 9)
    return code == 9


def _count_changes(at: int, strike) -> None:
    """Strike right after the ``at``-th event by which Python reports a change of files."""
    count = 0
    changes = {"os.mkdir", "os.rename", "os.link", "os.symlink", "os.remove", "os.rmdir"}

    def watch(event, arguments):
        # Audit events come before a change: to strike at one is to strike after the last.
        nonlocal count
        writes = event == "open" and isinstance(arguments[1], str) and "x" in arguments[1]
        if event in changes or writes:
            count += 1
            if count == at:
                strike()

    sys.addaudithook(watch)
    fsync = os.fsync

    def watched_fsync(descriptor):
        nonlocal count
        count += 1
        if count == at:  # with half of the content on the disk
            os.ftruncate(descriptor, os.fstat(descriptor).st_size // 2)
            strike()
        fsync(descriptor)

    os.fsync = watched_fsync


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child of its own kind")
@pytest.mark.parametrize("state", STATES)
def test_a_kill_at_any_step_leaves_all_old_or_all_new(tmp_path, state):
    old, at, outcomes = STATES[state], 0, []
    while True:
        at += 1
        directory = prepared(tmp_path / str(at), old)
        if not fork_and_kill(directory, at):
            break
        found = seen(directory)
        assert found in (old, after(old)), f"a mixture after {at} steps"
        outcomes.append(found == old)
        write_files_atomically(directory, NEW, remove=["left.txt"])  # the next run tidies up
        assert snapshot(directory) == after(old)
    assert len(outcomes) > 20
    assert outcomes == sorted(outcomes, reverse=True)  # one step turns all, and none turns back
    assert {True, False} <= {*outcomes}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child of its own kind")
def test_a_kill_while_tidying_up_after_a_kill_does_no_harm(tmp_path):
    steps = 0
    while fork_and_kill(prepared(tmp_path / f"c{steps}", OLD), steps + 1):
        steps += 1
    for first in range(6, steps + 1, 7):
        for second in range(1, 20, 3):
            directory = prepared(tmp_path / f"{first}-{second}", OLD)
            assert fork_and_kill(directory, first)
            before = seen(directory)
            fork_and_kill(directory, second)
            assert seen(directory) in (before, after(OLD))


@pytest.mark.parametrize("name", ["mkdir", "symlink", "replace", "link", "fsync"])
@pytest.mark.parametrize("state", STATES)
def test_a_full_disk_at_any_step_leaves_what_was_there(tmp_path, monkeypatch, name, state):
    old, real = STATES[state], getattr(os, name)
    for at in range(1, 40):
        directory = prepared(tmp_path / f"{at}", old)
        before, count = snapshot(tmp_path / f"{at}"), 0

        def full(*arguments, at=at, **options):
            nonlocal count
            count += 1
            if count == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))
            return real(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, name, full)
            try:
                write_files_atomically(directory, NEW, remove=["left.txt"])
            except OSError as error:
                assert error.errno == errno.ENOSPC
                failed = True
            else:
                failed = False
        if count < at:
            assert not failed
            return
        found = snapshot(tmp_path / f"{at}")
        if not failed or seen(directory) == after(old):
            assert seen(directory) == after(old)
        else:
            assert found == before
    pytest.fail("there was no end")


def test_an_interrupt_at_any_step_leaves_nothing_half_done(tmp_path, monkeypatch):
    for name in ("symlink", "replace", "link", "fsync"):
        real = getattr(os, name)
        for at in range(1, 9):
            directory = prepared(tmp_path / f"{name}{at}", OLD)
            count = 0

            def interrupted(*arguments, at=at, real=real, **options):
                nonlocal count
                count += 1
                if count == at:
                    raise KeyboardInterrupt
                return real(*arguments, **options)

            with monkeypatch.context() as patch:
                patch.setattr(os, name, interrupted)
                try:
                    write_files_atomically(directory, NEW, remove=["left.txt"])
                except KeyboardInterrupt:
                    assert seen(directory) in (OLD, after(OLD))
                    if name in ("link", "fsync"):
                        assert snapshot(directory) == OLD


@pytest.mark.parametrize("lacking", ["symlink", "link"])
@pytest.mark.parametrize("state", STATES)
def test_systems_without_links_get_the_files_as_well(tmp_path, monkeypatch, lacking, state):
    def unknown(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, lacking, unknown)
    directory = prepared(tmp_path, STATES[state])
    write_files_atomically(directory, NEW, remove=["left.txt"])
    assert snapshot(directory) == after(STATES[state])


def test_a_single_file_needs_no_stage(tmp_path, monkeypatch):
    write(tmp_path / ".untaint" / "mine", "of somebody else")
    write_file_atomically(tmp_path / "model.skops", b"one")
    write_file_atomically(tmp_path / "model.skops", b"two")
    assert snapshot(tmp_path) == {
        ".untaint": None,
        ".untaint/mine": b"of somebody else",
        "model.skops": b"two",
    }

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    before = snapshot(tmp_path)
    for path in (tmp_path / "model.skops", tmp_path / "a" / "b" / "other.skops"):
        with pytest.raises(OSError, match="No space"):
            write_file_atomically(path, b"three")
    assert snapshot(tmp_path) == before


def test_two_that_write_at_once_do_not_mix(tmp_path):
    sets = [{f"{k}.txt": bytes([65 + w]) * 999 for k in range(5)} for w in range(4)]
    troubles = []

    def write_often(files):
        try:
            for _ in range(15):
                write_files_atomically(tmp_path / "out", files)
        except Exception as error:
            troubles.append(error)

    threads = [threading.Thread(target=write_often, args=[files]) for files in sets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert snapshot(tmp_path / "out") in sets


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/etc/x", atomic_output.STAGING_DIRECTORY])
def test_names_that_lead_elsewhere_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match="plain names"):
        write_files_atomically(tmp_path / "out", {"good": b"", name: b""})
    assert snapshot(tmp_path) == {}


def test_a_link_of_the_user_is_replaced_and_not_followed(tmp_path):
    treasure = write(tmp_path / "treasure.txt", "precious")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.csv").symlink_to(treasure)
    write_files_atomically(tmp_path / "out", NEW)
    assert treasure.read_bytes() == b"precious"
    assert snapshot(tmp_path / "out") == NEW


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child of its own kind")
def test_the_whole_command_can_be_killed_at_any_time(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    out = tmp_path / "cars-untaint"
    words = ["clean", "cars.csv", "-t", "price", "-q", "--contamination"]
    assert untaint(*words, "0.1").code == 0
    old = snapshot(out)
    shutil.copytree(out, tmp_path / "kept")
    start = time.monotonic()
    assert untaint(*words, "0.05").code == 0
    whole = time.monotonic() - start
    new = snapshot(out)
    for part in (0.2, 0.5, 0.8, 0.9, 0.95, 1.0):
        shutil.rmtree(out, ignore_errors=True)
        fresh = part in (0.5, 0.95)
        if not fresh:
            shutil.copytree(tmp_path / "kept", out)
        child = os.fork()
        if child == 0:
            os._exit(main([*words, "0.05"]))
        time.sleep(part * whole)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        found = {name: (out / name).read_bytes() for name in FILES if (out / name).exists()}
        command = json.loads(found["summary.json"])["command"] if found else ""
        assert found in ({}, old) or _is_whole(found, new), command
        assert not (found == {} and not fresh)
    assert untaint(*words, "0.05").code == 0
    assert snapshot(out) == new


def _is_whole(found, new):
    """As the new files, but for what was typed, which a child cannot know."""
    typed = ("summary.json", "report.html")
    return found.keys() == new.keys() and all(
        found[name] == new[name] or (name in typed and len(found[name]) > 0.99 * len(new[name]))
        for name in new
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a child of its own kind")
def test_the_next_run_accepts_what_a_killed_one_left(untaint, tmp_path):
    write(tmp_path / "cars.csv", text(cars()))
    words = ("clean", "cars.csv", "-t", "price", "-q", "--contamination", "0.05")
    files = {name: b"new" for name in sorted(FILES)}
    child = os.fork()
    if child == 0:
        _count_changes(22, lambda: os._exit(9))  # some names are links already, to nothing
        write_files_atomically(tmp_path / "cars-untaint", files)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    left = [path for path in (tmp_path / "cars-untaint").iterdir() if path.is_symlink()]
    assert left
    assert not any(path.exists() for path in left)
    assert untaint(*words).code == 0
    assert {path.name for path in (tmp_path / "cars-untaint").iterdir()} == FILES
    assert json.loads((tmp_path / "cars-untaint" / "summary.json").read_text())["flagged"] == 3
