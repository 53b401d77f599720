"""What is said of a file or block that cannot be read: where it is, what was expected and found."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_LISTED = 8
_LONGEST = 40


class DataFileError(ValueError):
    """Data could not be read; the message names file or block, line or row, and the reason."""


def unreadable(path: Path, error: Exception) -> DataFileError:
    """The system, or a decompressor, refused a file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from untaint.reading.errors import unreadable
    >>> unreadable(Path("a.csv"), PermissionError(13, "Permission denied"))
    DataFileError('a.csv: the file cannot be read (Permission denied).')
    """
    return DataFileError(f"{path}: the file cannot be read ({reason(error)}).")


def reason(error: Exception) -> str:
    """What the system says of an errno, else the first line of what the exception says."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)  # pyarrow has its own words for it
    text = str(error) or type(error).__name__
    return text.splitlines()[0].rstrip(". ")


def listed(names: Sequence[object]) -> str:
    """The first few names of a list that may be long.

    Examples
    --------
    >>> from untaint.reading.errors import listed
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(name) for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def shortened(cell: object) -> str:
    """A cell as it is quoted in a message."""
    text = repr(cell)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
