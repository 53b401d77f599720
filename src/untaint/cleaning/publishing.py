"""Several files that appear together or not at all, whatever happens to this process.

A file can be put in its place in one step, several cannot. So the names in the directory are first
made to point to files of one hidden directory, by symbolic links through a single name::

    report.html  -> .untaint/current/report.html
    summary.json -> .untaint/current/summary.json
    .untaint/current -> old            (or to nothing at all)

While ``current`` points to the old files, or to nothing, every name still shows what it did before.
Then ``current`` is turned to the new files in one rename, and with it all names at once. What
follows only tidies up: each link is replaced by the file that it shows. A process that is killed
leaves either all names as they were or all names new, and the next run removes what it left.

Where the system knows no symbolic links the files are renamed one after the other.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

STAGE = ".untaint"


def publish(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a directory, all of them or none.

    Parameters
    ----------
    directory : path
        Made if it is not there.
    files : mapping of str to bytes
        Plain names, and what the files should hold.

    Raises
    ------
    OSError
        If the disk is full, or writing is not allowed; all files are as they were before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from untaint.cleaning.publishing import publish
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     publish(Path(folder, "out"), {"a.txt": b"one", "b.txt": b"two"})
    ...     sorted(path.name for path in Path(folder, "out").iterdir())
    ['a.txt', 'b.txt']
    """
    for name in files:
        if name != Path(name).name or name in ("", ".", "..", STAGE):
            raise ValueError(f"files must have plain names, got {name!r}.")
    made = _missing_parents(directory)
    directory.mkdir(parents=True, exist_ok=True)
    stage = directory / STAGE
    try:
        _finish(directory)  # what an earlier run may have left
        _write_new(stage, files)
    except BaseException:
        shutil.rmtree(stage, ignore_errors=True)
        for path in made:  # those that are empty
            _remove_empty(path)
        raise
    try:
        _link(directory, list(files))
    except (OSError, NotImplementedError):
        for name in files:
            os.replace(stage / "new" / name, directory / name)
        shutil.rmtree(stage, ignore_errors=True)
        return
    _turn(stage)
    _finish(directory)


def _write_new(stage: Path, files: Mapping[str, bytes]) -> None:
    shutil.rmtree(stage, ignore_errors=True)
    new = stage / "new"
    new.mkdir(parents=True)
    for name, content in files.items():
        with open(new / name, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())


def _link(directory: Path, names: list[str]) -> None:
    """Let every name show, through ``current``, the file that it has now, or nothing."""
    stage = directory / STAGE
    old = stage / "old"
    old.mkdir()
    for name in names:
        if (directory / name).is_file():
            os.link(directory / name, old / name)
    os.symlink("old", stage / "current")
    for name in names:
        beside = stage / f"link-{name}"
        os.symlink(os.path.join(STAGE, "current", name), beside)
        os.replace(beside, directory / name)


def _turn(stage: Path) -> None:
    """The one step that counts."""
    os.symlink("new", stage / "turned")
    os.replace(stage / "turned", stage / "current")


def _finish(directory: Path) -> None:
    """Put files in the place of links to them, and links to nothing away."""
    stage = directory / STAGE
    if not stage.is_dir():
        return
    for path in directory.iterdir():
        if not path.is_symlink() or not os.readlink(path).startswith(STAGE + os.sep):
            continue
        if path.is_file():
            beside = stage / f"file-{path.name}"
            beside.unlink(missing_ok=True)
            os.link(path.resolve(), beside)
            os.replace(beside, path)
        else:
            path.unlink()
    shutil.rmtree(stage)


def _missing_parents(directory: Path) -> list[Path]:
    """Directories that have to be made, the innermost first."""
    return [path for path in (directory, *directory.parents) if not path.exists()]


def _remove_empty(path: Path) -> None:
    try:
        path.rmdir()
    except OSError:
        return
