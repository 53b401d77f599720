"""A file that is replaced in one step: a reader sees the old content or the new, never a part.

The content goes to a draft in the same directory, is brought to the disk, and the draft is renamed
(:func:`os.replace`) to the path. Every writer has a draft of its own::

    .model.skops.5f0c2e9a71d3b846.untaint

so that of several writers to one path the last one wins with all of its content. A draft is locked
while it is written. One that nobody holds a lock on was left by a process that was killed, and the
next writer to the path removes it. A path that is a symbolic link is replaced, not followed;
devices and pipes, which a rename would remove, are refused.
"""

import errno
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

DRAFT_SUFFIX = ".untaint"
# Characters of the name that its draft repeats: the longest names leave no room for more.
_PREFIX_LENGTH = 40


class PublicationRecord:
    """What this process has published, so that messages on an interrupt say what is true.

    Attributes
    ----------
    path : Path or None
        The file or directory that was published last, None if publishing has not begun.
    is_complete : bool
        Whether that has ended. If not, the path shows all of the new content or nothing of it.
    """

    def __init__(self) -> None:
        self.path: Path | None = None
        self.is_complete = False

    def reset(self) -> None:
        """Forget what has been published."""
        self.path, self.is_complete = None, False

    @contextmanager
    def publishing(self, path: Path) -> Iterator[None]:
        """Record that a block publishes a path, all of it in one step."""
        before = self.path, self.is_complete
        self.path, self.is_complete = path, False
        try:
            yield
        except OSError:  # the step has failed
            self.path, self.is_complete = before
            raise
        self.is_complete = True


publication = PublicationRecord()


@contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a binary stream whose content replaces a file when the block ends without an error.

    Parameters
    ----------
    path : path
        In a directory that exists.

    Raises
    ------
    OSError
        If the disk is full, writing is not allowed, or the path is that of a device or a pipe; the
        file is as it was before.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from untaint._atomic_write import open_atomically
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_atomically(Path(folder, "a.txt")) as stream:
    ...         _ = stream.write(b"one")
    ...     [path.read_bytes() for path in Path(folder).iterdir()]
    [b'one']
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "Expected a file, found a device or a pipe", str(path))
    remove_abandoned_drafts(path)
    prefix = f".{path.name[:_PREFIX_LENGTH]}."
    draft = path.with_name(f"{prefix}{secrets.token_hex(8)}{DRAFT_SUFFIX}")
    try:
        with ExitStack() as lock_of_draft:
            with _create_locked(draft, lock_of_draft) as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            with publication.publishing(path):
                os.replace(draft, path)  # of a closed file, for Windows, which is still locked
    except BaseException:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def remove_abandoned_drafts(path: Path) -> None:
    """Remove the drafts of a file whose writers were killed; those being written stay."""
    pattern = re.compile(
        rf"\.{re.escape(path.name[:_PREFIX_LENGTH])}\.[0-9a-f]{{16}}{re.escape(DRAFT_SUFFIX)}"
    )
    with suppress(OSError):  # a directory that is missing, or may not be listed
        for name in os.listdir(path.parent):
            if pattern.fullmatch(name):
                with suppress(OSError):
                    _remove_if_abandoned(path.with_name(name))


def lock(descriptor: int, *, wait: bool = True) -> bool:
    """Lock an open file until it is closed; False where that fails or the system has no locks."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:  # locked by another, or on a network drive without locks
        return False
    return True


def _create_locked(draft: Path, lock_of_draft: ExitStack) -> BinaryIO:
    """Create a file, locked until the stack is closed where the system has locks."""
    while True:
        stream = open(draft, "xb")  # noqa: SIM115
        if not lock(stream.fileno()):
            return stream
        if os.path.lexists(draft):
            lock_of_draft.callback(os.close, os.dup(stream.fileno()))
            return stream
        stream.close()  # another writer took it for abandoned before it was locked


def _remove_if_abandoned(draft: Path) -> None:
    """Remove a draft that no writer holds a lock on."""
    if not stat.S_ISREG(os.lstat(draft).st_mode):
        return
    descriptor = os.open(draft, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if lock(descriptor, wait=False):
            draft.unlink()
    finally:
        os.close(descriptor)
