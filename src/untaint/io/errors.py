"""Errors of files and blocks: where they are, what was expected and what was found."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from .._hidden_text import escape_terminal

_LISTED = 8
_LONGEST = 40
_LONGEST_NAME = 80
_LONGEST_REASON = 160
_ADDRESS = re.compile(r" object at 0x[0-9a-f]+")


class DataFileError(ValueError):
    """Data could not be read; the message names file or block, line or row, and the reason."""


def unreadable(path: Path, error: Exception) -> DataFileError:
    """Return an error for a file that the system or a decompressor refused."""
    return DataFileError(f"{path}: the file cannot be read ({reason(error)}).")


def reason(error: Exception) -> str:
    """Return the system's text for an errno, else the first line of the exception's."""
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno)  # pyarrow words it differently
    text = (str(error) or type(error).__name__).splitlines()[0]
    text = _ADDRESS.sub("", text)[:_LONGEST_REASON].rstrip(". ")
    # Parsers quote what they have read, and that may be any bytes.
    return escape_terminal(text, "?")


def listed(names: Sequence[object]) -> str:
    """Return the first few names of a list that may be long."""
    shown = ", ".join(shortened(name, _LONGEST_NAME) for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def shortened(cell: object, longest: int = _LONGEST) -> str:
    """Return a cell as it is quoted in a message."""
    text = repr(cell)
    return text if len(text) <= longest else f"{text[:longest]}..."
