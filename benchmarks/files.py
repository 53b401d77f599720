"""Files that are there whole or not at all, and runs that keep out of one another's way."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, where two runs at once are the user's own care
    fcntl = None  # type: ignore[assignment]


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file beside ``path``, then put it in its place in one step.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from benchmarks.files import write_whole
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.md"
    ...     write_whole(path, lambda beside: beside.write_text("done"))
    ...     path.read_text(), len(list(Path(folder).iterdir()))
    ('done', 1)
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # The ending stays, because some writers choose their format by it.
    beside = path.with_name(f".{path.stem}-{os.getpid()}{path.suffix}")
    try:
        write(beside)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def alone_on(path: Path) -> Iterator[None]:
    """Hold a lock beside ``path``, which the system lets go however this process ends.

    Raises
    ------
    RuntimeError
        If another process holds it.
    """
    if fcntl is None:
        yield
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.with_name(f".{path.name}.lock")
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            reason = f"Another run is writing {path}: wait for it or use --out."
            raise RuntimeError(reason) from None
        # Never removed: who opened it before a removal would hold a lock that nobody else sees.
        yield
    finally:
        os.close(descriptor)
