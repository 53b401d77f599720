"""Write several files that appear together or not at all, even if the process is killed.

One file can be replaced in one step, several cannot. So the names in the directory first become
symbolic links to the files of one hidden staging directory, through a single link, ``current``::

    report.html      -> .untaint/current/report.html
    summary.json     -> .untaint/current/summary.json
    .untaint/current -> old

While ``current`` points to ``old``, every name shows what it showed before, or nothing. Then
``current`` is replaced by a link to ``new`` in one rename, and with it all names at once. Last,
each link is replaced by the file that it shows. A process that is killed leaves either all names as
they were or all names new, and the next run removes what it left.

Nothing outside of the directory is written, moved or removed, whatever links it holds. A link is
taken for one of an interrupted run only if it reads exactly ``.untaint/current/<its own name>``; a
staging directory that no run of ours leaves, a link above all, is refused; any other link is
replaced, never followed.

Where the system has no symbolic links the files are renamed one after the other.
"""

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from .._atomic_write import lock, open_atomically, publication

STAGING_DIRECTORY = ".untaint"
# What the staging directory holds: the contents, and links to them.
_CONTENTS = ("new", "old")
_SWITCHES = ("current", "next")
_LINK_PREFIX = "link-"
# Errors that do not mean that a system has no links.
_DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS)


def write_files_atomically(
    directory: Path, files: Mapping[str, bytes], *, remove: Iterable[str] = ()
) -> None:
    """Write files into a directory, all of them or none.

    Parameters
    ----------
    directory : path
        It is created if it does not exist.
    files : mapping of str to bytes
        Plain names, and the contents of the files.
    remove : iterable of str
        Names of files that disappear, if they exist, as the others appear.

    Raises
    ------
    OSError
        If the disk is full, or writing is not allowed, or the staging directory is not one that an
        earlier run left; all files are as they were before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from untaint.cleaning.atomic_output import write_files_atomically
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_files_atomically(Path(folder, "out"), {"a.txt": b"one", "b.txt": b"two"})
    ...     sorted(path.name for path in Path(folder, "out").iterdir())
    ['a.txt', 'b.txt']
    """
    names = [*files, *remove]
    for name in names:
        if name != Path(name).name or name in ("", ".", "..", STAGING_DIRECTORY):
            raise ValueError(f"files must have plain names, got {name!r}.")
    with _created(directory), _locked(directory):
        _recover(directory)  # from an earlier run that was killed
        try:
            if _write_staged(directory / STAGING_DIRECTORY, files):
                _link_names(directory, names)
                with publication.publishing(directory):
                    _switch_to_new(directory / STAGING_DIRECTORY)
            else:
                with publication.publishing(directory):
                    _rename_one_by_one(directory, files, names)
        finally:
            _recover(directory)  # to the new files once it has switched, else to the old


def write_file_atomically(path: Path, content: bytes) -> None:
    """Write one file, all of it or nothing, into a directory that is created if need be.

    Parameters
    ----------
    path : path
    content : bytes

    Raises
    ------
    OSError
        If the disk is full, or writing is not allowed; the file is as it was before.
    """
    if path.is_dir():
        raise IsADirectoryError(f"path: expected a file to write, found the directory {path}.")
    with _created(path.parent), open_atomically(path) as stream:
        stream.write(content)


def is_interrupted_link(path: Path) -> bool:
    """Return whether a name is a link that a run which was killed left."""
    own = os.path.join(STAGING_DIRECTORY, "current", path.name)
    return path.is_symlink() and os.readlink(path) == own


def has_foreign_staging(directory: Path) -> bool:
    """Return whether the name of the staging directory is taken by something that no run leaves."""
    staging = directory / STAGING_DIRECTORY
    try:
        if not stat.S_ISDIR(os.lstat(staging).st_mode):
            return True
        with os.scandir(staging) as entries:
            return not all(map(_is_own, entries))
    except FileNotFoundError:  # none is there, or a run beside this one has just ended
        return False


def _is_own(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry of the staging directory is as a run leaves it."""
    if entry.name in _CONTENTS:
        if not entry.is_dir(follow_symlinks=False):
            return False
        with os.scandir(entry) as entries:
            return not any(inner.is_dir(follow_symlinks=False) for inner in entries)
    if not entry.is_symlink():
        return False
    if entry.name in _SWITCHES:
        return os.readlink(entry) in _CONTENTS
    return entry.name.startswith(_LINK_PREFIX)


def _recover(directory: Path) -> None:
    """Replace links of a run by the files that they show, and remove the staging directory."""
    staging = directory / STAGING_DIRECTORY
    if has_foreign_staging(directory):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(staging))
    for path in filter(is_interrupted_link, list(directory.iterdir())):
        # A rename does not follow a link at its end, and the way there was looked at.
        shown = staging / "current" / path.name
        if os.path.lexists(shown):
            os.replace(shown, path)
        else:
            path.unlink()
    if staging.is_dir():
        shutil.rmtree(staging)


def _write_staged(staging: Path, files: Mapping[str, bytes]) -> bool:
    """Write the new files into staging; return whether the system has symbolic links."""
    (staging / "new").mkdir(parents=True)
    for name, content in files.items():
        with open(staging / "new" / name, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    (staging / "old").mkdir()
    try:
        os.symlink("old", staging / "current")
    except NotImplementedError:
        return False
    except OSError as error:
        if error.errno in _DISK_ERRORS:
            raise
        return False
    return True


def _link_names(directory: Path, names: list[str]) -> None:
    """Make every name show, through ``current``, the file that it has now, or nothing."""
    staging = directory / STAGING_DIRECTORY
    for name in names:
        _keep_old(directory / name, staging / "old" / name)
    for name in names:
        link = staging / f"{_LINK_PREFIX}{name}"
        os.symlink(os.path.join(STAGING_DIRECTORY, "current", name), link)
        os.replace(link, directory / name)


def _keep_old(path: Path, kept: Path) -> None:
    """Keep a file under a second name, or a copy of it, and of a link the target's name only."""
    if path.is_symlink():
        os.symlink(path.parent.resolve() / os.readlink(path), kept)
    elif path.is_file():
        try:
            os.link(path, kept)
        except OSError as error:
            if error.errno in _DISK_ERRORS:
                raise
            shutil.copy2(path, kept)


def _switch_to_new(staging: Path) -> None:
    """Make all names show the new files, in one rename."""
    os.symlink("new", staging / "next")
    os.replace(staging / "next", staging / "current")


def _rename_one_by_one(directory: Path, files: Mapping[str, bytes], names: list[str]) -> None:
    for name in names:
        if name in files:
            os.replace(directory / STAGING_DIRECTORY / "new" / name, directory / name)
        else:
            (directory / name).unlink(missing_ok=True)


@contextmanager
def _created(directory: Path) -> Iterator[None]:
    """Create a directory, and remove it again, if it was created, when the block fails."""
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
    if os.name == "nt":  # where a directory cannot be opened
        yield
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        lock(descriptor)
        yield
    finally:
        os.close(descriptor)
