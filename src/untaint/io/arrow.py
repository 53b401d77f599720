"""pyarrow, which is optional: tables are read through it, and it is imported when one is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np


def arrow(module: str | None = None) -> Any:
    """Import pyarrow, or one of its modules.

    Examples
    --------
    >>> from untaint.io.arrow import arrow
    >>> arrow("compute").sum([1, 2]).as_py()
    3
    """
    try:
        return import_module("pyarrow" if module is None else f"pyarrow.{module}")
    except ImportError as error:
        raise ImportError("reading tables needs pyarrow: pip install 'untaint[cli]'") from error


def own_buffer(data: bytes | memoryview) -> Any:
    """Return a copy of some bytes in Arrow's own memory.

    Arrow lets go of its input in a thread, perhaps as late as when Python is shutting down, and to
    let go of a Python object then would abort the process.

    Examples
    --------
    >>> from untaint.io.arrow import own_buffer
    >>> own_buffer(b"abc").to_pybytes()
    b'abc'
    """
    buffer = arrow().allocate_buffer(len(data))
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8)
    return buffer
