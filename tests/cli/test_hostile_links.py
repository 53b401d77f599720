"""Links in a folder from a stranger: nothing outside of the output folder is ever touched."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from cli_tables import FILES, cars, snapshot, text, write

from untaint.cleaning.atomic_output import write_files_atomically

pytestmark = pytest.mark.usefixtures("cleaned_once")
NAMES = sorted(FILES)
CONTENTS = {name: f"new {name}".encode() for name in NAMES}
FIT = ("clean", "cars.csv", "-t", "price", "-q", "--contamination", "0.05", "--out", "out")

# What an output name may be a link to, the folder of victims aside.
LINKS = {
    "back out of the staging directory": ".untaint/../../outside/victim.txt",
    "back out of its contents": ".untaint/new/../../../outside/victim.txt",
    "back out of the current contents": ".untaint/current/../../../outside/victim.txt",
    "another name of the staging directory": ".untaint/current/victim.txt",
    "the new contents": ".untaint/new/victim.txt",
    "a relative link": "../outside/victim.txt",
    "an absolute link": "{outside}/victim.txt",
    "a directory": "../outside/folder",
    "a directory through the staging directory": ".untaint/../../outside/folder",
    "nothing outside": "../outside/missing.txt",
    "nothing through the staging directory": ".untaint/../../outside/missing.txt",
    "itself": "{name}",
}
# Entries of the staging directory that no run leaves; "" is that directory itself.
STAGINGS = {
    "a link to a directory": {"": "../outside/folder"},
    "an absolute link to a directory": {"": "{outside}/folder"},
    "a link to a file": {"": "../outside/victim.txt"},
    "a link to nothing": {"": "../outside/missing"},
    "current leads out": {"current": "../../outside/folder"},
    "current leads far": {"current": "{outside}/folder"},
    "current leads to nothing": {"current": "../../outside/missing"},
    "next leads out": {"next": "../../outside/folder"},
    "new is a link": {"current": "new", "new": "../../outside/folder"},
    "new is an absolute link": {"current": "new", "new": "{outside}/folder"},
    "old is a link": {"current": "old", "old": "../../outside/folder"},
    "another name": {"mine": "../../outside/victim.txt"},
}


def state_of(folder: Path) -> dict[str, tuple]:
    """Every path below a folder: content, inode, number of names, and time of change."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else None
        found[str(path)] = (content, status.st_ino, status.st_nlink, status.st_mtime_ns)
    return found


@pytest.fixture
def outside(tmp_path):
    """A folder of victims, one of which has the names of all outputs."""
    write(tmp_path / "cars.csv", text(cars()))
    write(tmp_path / "outside" / "victim.txt", "precious")
    for name in NAMES:
        write(tmp_path / "outside" / "folder" / name, f"precious {name}")
    (tmp_path / "out").mkdir()
    return tmp_path / "outside"


def place_link(path: Path, target: str, outside: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target.format(outside=outside, name=path.name))


def place_staging(out: Path) -> None:
    """What a run that was killed could leave, with a link to a victim among its contents."""
    for contents in ("new", "old"):
        (out / ".untaint" / contents).mkdir(parents=True, exist_ok=True)
    (out / ".untaint" / "current").symlink_to("new")
    (out / ".untaint" / "new" / "victim.txt").symlink_to("../../../outside/victim.txt")


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("name", NAMES)
def test_a_link_under_an_output_name_is_replaced_and_its_target_untouched(
    tmp_path, outside, name, link
):
    for staged in (False, True):
        out = tmp_path / f"out{staged}"
        place_link(out / name, LINKS[link], outside)
        if staged:
            place_staging(out)
        before = state_of(outside)
        write_files_atomically(out, CONTENTS)
        assert state_of(outside) == before
        assert snapshot(out) == CONTENTS


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("name", NAMES)
def test_a_link_under_an_output_name_is_refused_without_force(
    untaint, tmp_path, outside, name, link
):
    out = tmp_path / "out"
    place_staging(out)
    place_link(out / name, LINKS[link], outside)
    before = state_of(outside), snapshot(out)
    ran = untaint(*FIT)
    assert (state_of(outside), snapshot(out)) == before
    assert ran.code == 2
    assert ran.err.startswith(f"untaint: --out out: {name} ")
    assert len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("link", LINKS)
def test_links_under_all_output_names_are_replaced_or_refused_with_force(
    untaint, tmp_path, outside, link
):
    out = tmp_path / "out"
    place_staging(out)
    for name in NAMES:
        place_link(out / name, LINKS[link], outside)
    before = state_of(outside)
    ran = untaint(*FIT, "--force")
    assert state_of(outside) == before
    if "directory" in link and "folder" in LINKS[link]:
        assert ran.code == 2
        assert "is not a file; choose another" in ran.err
    else:
        assert ran.code == 0, ran.err
        assert {path.name for path in out.iterdir()} == FILES
        assert not any(path.is_symlink() for path in out.iterdir())


def place_foreign_staging(out: Path, entries: dict[str, str], outside: Path) -> None:
    for name, target in entries.items():
        place_link(out / ".untaint" / name if name else out / ".untaint", target, outside)
    for name in NAMES:
        (out / name).symlink_to(os.path.join(".untaint", "current", name))


@pytest.mark.parametrize("force", [(), ("--force",)], ids=["plain", "force"])
@pytest.mark.parametrize("staging", STAGINGS)
def test_a_staging_directory_that_leads_out_is_refused(untaint, tmp_path, outside, staging, force):
    out = tmp_path / "out"
    place_foreign_staging(out, STAGINGS[staging], outside)
    before = state_of(outside), snapshot(out)
    ran = untaint(*FIT, *force)
    assert (state_of(outside), snapshot(out)) == before
    assert ran.code == 2
    assert ran.err == (
        "untaint: --out out/.untaint: file exists, and untaint did not write it; "
        "choose another directory.\n"
    )
    with pytest.raises(FileExistsError) as caught:
        write_files_atomically(out, CONTENTS)
    assert caught.value.filename == str(out / ".untaint")
    assert (state_of(outside), snapshot(out)) == before


def test_a_file_or_a_deep_directory_under_the_name_of_the_staging_directory_is_kept(tmp_path):
    write(tmp_path / "a" / ".untaint", "of somebody else")
    write(tmp_path / "b" / ".untaint" / "new" / "deep" / "file", "of somebody else")
    write(tmp_path / "c" / ".untaint" / "current", "of somebody else")
    before = snapshot(tmp_path)
    for name in "abc":
        with pytest.raises(FileExistsError):
            write_files_atomically(tmp_path / name, CONTENTS)
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("target", ["{outside}/victim.txt", "../../../outside/victim.txt"])
def test_links_among_the_contents_of_an_interrupted_run_are_not_followed(
    untaint, tmp_path, outside, target
):
    out = tmp_path / "out"
    place_staging(out)
    for name in NAMES:
        place_link(out / ".untaint" / "new" / name, target, outside)
        (out / name).symlink_to(os.path.join(".untaint", "current", name))
    before = state_of(outside)
    ran = untaint(*FIT)
    assert state_of(outside) == before
    assert ran.code == 0, ran.err
    assert {path.name for path in out.iterdir()} == FILES
    assert not any(path.is_symlink() for path in out.iterdir())


def test_links_of_an_interrupted_run_without_a_staging_directory_go(tmp_path):
    out = tmp_path / "out"
    place_link(out / "report.html", ".untaint/current/report.html", tmp_path)
    write_files_atomically(out, {"summary.json": b"new"})
    assert snapshot(out) == {"summary.json": b"new"}


@pytest.mark.parametrize("step", ["symlink", "replace", "link", "fsync"])
def test_a_full_disk_leaves_a_link_of_the_user_with_its_target(
    tmp_path, outside, monkeypatch, step
):
    real = getattr(os, step)
    for at in range(1, 30):
        out = tmp_path / f"out{at}"
        place_link(out / "report.html", "../outside/victim.txt", outside)
        write(out / "summary.json", "old")
        before, count = state_of(outside), 0

        def full(*arguments, at=at, **options):
            nonlocal count
            count += 1
            if count == at:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(arguments[0]))
            return real(*arguments, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, step, full)
            try:
                write_files_atomically(out, CONTENTS)
            except OSError as error:
                assert error.errno == errno.ENOSPC
        assert state_of(outside) == before
        found = {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()}
        assert found in (CONTENTS, {"report.html": b"precious", "summary.json": b"old"})
        if count < at:
            return
    pytest.fail("there was no end")


def test_an_output_directory_may_be_a_link_and_must_lead_somewhere(untaint, tmp_path, outside):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "broken").symlink_to("missing")
    assert untaint(*FIT[:-1], "link").code == 0
    assert {path.name for path in (tmp_path / "real").iterdir()} == FILES
    ran = untaint(*FIT[:-1], "broken")
    assert ran.code == 2
    assert ran.err == "untaint: --out broken: expected a directory, found a link to nothing.\n"
    assert not (tmp_path / "missing").exists()


@pytest.mark.parametrize("target", ["outside/victim.txt", "outside/missing.txt"])
def test_a_model_replaces_a_link_with_force_only(untaint, tmp_path, outside, target):
    (tmp_path / "model.skops").symlink_to(target)
    words = ("fit", "cars.csv", "-t", "price", "-q", "--contamination", "0.05", "-o", "model.skops")
    before = state_of(outside)
    assert untaint(*words).code == 2
    assert os.readlink(tmp_path / "model.skops") == target
    assert untaint(*words, "--force").code == 0
    assert not (tmp_path / "model.skops").is_symlink()
    assert state_of(outside) == before
