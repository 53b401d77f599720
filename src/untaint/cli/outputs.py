"""Checks of output paths, made before any work is done, so that nobody waits for an error."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from .errors import UsageError


def default_output_path(data: str, ending: str) -> Path:
    """Return a path in the working directory named after the data.

    Examples
    --------
    >>> from untaint.cli.outputs import default_output_path
    >>> [str(default_output_path(data, "-untaint")) for data in ("data/cars.csv.gz", "-")]
    ['cars-untaint', 'table-untaint']
    """
    stem = "table" if data == "-" else Path(data).name.split(".")[0] or "table"
    return Path(f"{stem}{ending}")


def check_directory(directory: Path, names: Iterable[str], data: str, force: bool) -> None:
    """Refuse a directory that cannot be written to, or that holds somebody else's files."""
    if os.path.lexists(directory) and not directory.is_dir():
        found = "file" if directory.exists() else "link to nothing"
        raise UsageError(f"--out {directory}: expected a directory, found a {found}")
    _check_writable(directory)
    _check_staging(directory)
    for name in names:
        path = directory / name
        if not os.path.lexists(path):
            continue
        if path.exists() and not path.is_file():
            raise UsageError(f"--out {directory}: {name} there is not a file; choose another")
        if data != "-" and path.exists() and Path(data).exists() and path.samefile(data):
            raise UsageError(f"--out {directory}: {name} there is the data itself; choose another")
        if not force and not _is_left_over(path) and not _is_ours(directory):
            raise UsageError(
                f"--out {directory}: {name} is there already, and untaint did not write it; "
                "choose another directory or use --force"
            )


def check_file(path: Path, data: Iterable[str], force: bool) -> None:
    """Refuse a file that is there already, or that cannot be written."""
    if path.is_dir():
        raise UsageError(f"--out {path}: expected a file, found a directory")
    if path.exists() and not path.is_file():
        raise UsageError(f"--out {path}: expected a file, found a device or a pipe")
    _check_writable(path.parent)
    for source in data:
        if source != "-" and path.exists() and Path(source).exists() and path.samefile(source):
            raise UsageError(f"--out {path}: this is what is read; choose another file")
    if os.path.lexists(path) and not force:
        raise UsageError(f"--out {path}: the file is there already; choose another or use --force")


def _check_writable(directory: Path) -> None:
    for path in (directory, *directory.absolute().parents):
        if path.exists():
            if not path.is_dir():
                raise UsageError(f"--out {directory}: {path} is no directory")
            if not os.access(path, os.W_OK | os.X_OK):
                raise UsageError(f"--out {directory}: permission denied")
            return


def _check_staging(directory: Path) -> None:
    """Refuse a directory in which the name of the staging directory is taken."""
    if not os.path.lexists(directory / ".untaint"):  # without it, nothing needs to be imported
        return
    from ..cleaning.atomic_output import STAGING_DIRECTORY, has_foreign_staging

    if has_foreign_staging(directory):
        raise UsageError(
            f"--out {directory / STAGING_DIRECTORY}: file exists, and untaint did not write it; "
            "choose another directory"
        )


def _is_left_over(path: Path) -> bool:
    """Return whether a name was left by a run that was killed."""
    if not path.is_symlink():
        return False
    from ..cleaning.atomic_output import is_interrupted_link

    return is_interrupted_link(path)


def _is_ours(directory: Path) -> bool:
    path = directory / "summary.json"
    try:
        if not path.is_file():  # reading a pipe would block
            return False
        return "untaint" in json.loads(path.read_text(encoding="utf-8"))["versions"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False
