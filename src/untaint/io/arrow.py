"""pyarrow, which is optional, and is imported when a file is read that needs it."""

from importlib import import_module
from typing import Any

import numpy as np


def arrow(module: str | None = None) -> Any:
    """Import pyarrow, or one of its modules."""
    try:
        return import_module("pyarrow" if module is None else f"pyarrow.{module}")
    except ModuleNotFoundError:
        raise ImportError(
            "reading tables needs pyarrow: pip install 'untaint[cli]', or without the command "
            'pip install "untaint[parquet]".'
        ) from None
    except ImportError as error:
        raise ImportError(f"pyarrow is installed, but cannot be imported: {error}.") from error


class _Module:
    """A module of pyarrow, imported when something of it is needed."""

    def __init__(self, name: str | None = None) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(arrow(self._name), name)


pa: Any = _Module()
pc: Any = _Module("compute")
pq: Any = _Module("parquet")


def find_arrow(module: str | None = None) -> Any:
    """Import pyarrow, or one of its modules; None where that is not possible."""
    try:
        return arrow(module)
    except ImportError:
        return None


def own_buffer(data: bytes | memoryview) -> Any:
    """Return a copy of some bytes in Arrow's own memory.

    Arrow lets go of its input in a thread, perhaps as late as when Python is shutting down, and to
    let go of a Python object then would abort the process.
    """
    buffer = pa.allocate_buffer(len(data))
    np.frombuffer(buffer, np.uint8)[:] = np.frombuffer(data, np.uint8)
    return buffer
