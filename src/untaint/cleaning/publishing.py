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

import errno
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

STAGE = ".untaint"
# What the hidden directory may hold; one that holds anything else is somebody else's.
_OWN = ("new", "old", "current", "turned")
_LINK = "link-"
# Errors that do not mean that a system knows no links.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


def publish(directory: Path, files: Mapping[str, bytes], *, gone: Iterable[str] = ()) -> None:
    """Write files into a directory, all of them or none.

    Parameters
    ----------
    directory : path
        Made if it is not there.
    files : mapping of str to bytes
        Plain names, and what the files should hold.
    gone : iterable of str
        Names of files that are to disappear as the others appear, if they are there.

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
    names = [*files, *gone]
    for name in names:
        if name != Path(name).name or name in ("", ".", "..", STAGE):
            raise ValueError(f"files must have plain names, got {name!r}.")
    with _made(directory), _locked(directory):
        finish(directory)  # what an earlier run may have left
        try:
            if _stage(directory / STAGE, files):
                _link(directory, names)
                _turn(directory / STAGE)
            else:
                _rename(directory, files, names)
        finally:
            finish(directory)  # forward once it has turned, else back


def publish_file(path: Path, content: bytes) -> None:
    """Write one file, all of it or nothing.

    Parameters
    ----------
    path : path
    content : bytes

    Raises
    ------
    OSError
        If the disk is full, or writing is not allowed; the file is as it was before.
    """
    # A name of its own, so that runs that write other files of the directory can go on beside it.
    beside = path.with_name(f".{path.name}{STAGE}")
    with _made(path.parent):
        try:
            beside.unlink(missing_ok=True)  # of a run that was killed
            _write(beside, content)
            os.replace(beside, path)
        except BaseException:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
            raise


def is_on_the_way(path: Path) -> bool:
    """Whether a name is a link of a run that was killed before its end."""
    return path.is_symlink() and os.readlink(path).startswith(STAGE + os.sep)


def finish(directory: Path) -> None:
    """Put files in the place of links to them, and links to nothing away."""
    stage = directory / STAGE
    if not stage.is_dir():
        return
    for name in os.listdir(stage):
        if name not in _OWN and not name.startswith(_LINK):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(stage))
    for path in directory.iterdir():
        if not is_on_the_way(path):
            continue
        if path.is_file():
            os.replace(path.resolve(), path)
        else:
            path.unlink()
    shutil.rmtree(stage)


def _stage(stage: Path, files: Mapping[str, bytes]) -> bool:
    """Write the new files aside; whether the system knows links that can show them."""
    (stage / "new").mkdir(parents=True)
    for name, content in files.items():
        _write(stage / "new" / name, content)
    (stage / "old").mkdir()
    try:
        os.symlink("old", stage / "current")
    except NotImplementedError:
        return False
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        return False
    return True


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _link(directory: Path, names: list[str]) -> None:
    """Let every name show, through ``current``, the file that it has now, or nothing."""
    stage = directory / STAGE
    for name in names:
        if (directory / name).is_file():
            _twin((directory / name).resolve(), stage / "old" / name)
    for name in names:
        beside = stage / f"{_LINK}{name}"
        os.symlink(os.path.join(STAGE, "current", name), beside)
        os.replace(beside, directory / name)


def _twin(path: Path, other: Path) -> None:
    """The same file under another name, or a copy where a file has one name only."""
    try:
        os.link(path, other)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise
        shutil.copy2(path, other)


def _turn(stage: Path) -> None:
    """The one step that counts."""
    os.symlink("new", stage / "turned")
    os.replace(stage / "turned", stage / "current")


def _rename(directory: Path, files: Mapping[str, bytes], names: list[str]) -> None:
    for name in names:
        if name in files:
            os.replace(directory / STAGE / "new" / name, directory / name)
        else:
            (directory / name).unlink(missing_ok=True)


@contextmanager
def _made(directory: Path) -> Iterator[None]:
    """A directory that is there, and that goes again if it was not and nothing comes of it."""
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException as error:
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(directory)
        for path in missing:  # the innermost first; those that are empty
            with suppress(OSError):
                path.rmdir()
        raise


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Wait for others that write into the same directory, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network drives know none
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
