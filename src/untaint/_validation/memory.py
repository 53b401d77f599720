"""Limits of memory, and sizes in readable units."""

import os
import re
from typing import Any

import numpy as np

from ..exceptions import MemoryLimitError
from .parameters import is_real

_UNITS = ("", "K", "M", "G", "T")


def check_matrix_memory(
    n_rows: int, dtype: Any, memory_limit: Any, otherwise: str = 'kernel="linear"'
) -> None:
    """Raise if the kernel matrix would exceed the memory limit, before it is computed."""
    limit = memory_bytes(memory_limit)
    needed = n_rows**2 * np.dtype(dtype).itemsize
    if needed > limit:
        raise MemoryLimitError(
            f"the kernel matrix of {n_rows:,} rows takes {readable_bytes(needed)}, more than "
            f"memory_limit={memory_limit!r} allows ({readable_bytes(limit)}): raise memory_limit, "
            f"pass fewer rows, or use {otherwise}, which needs no matrix."
        )


def memory_bytes(memory_limit: Any) -> int:
    """Return the bytes of a number, of "4GB", or of "auto", half of the free memory.

    Examples
    --------
    >>> memory_bytes("1.5GB")
    1500000000
    """
    if isinstance(memory_limit, str):
        if memory_limit == "auto":
            return _free_memory() // 2
        found = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?)(i?)B?\s*", memory_limit, re.IGNORECASE)
        if found and found[1].count(".") <= 1 and found[1] != ".":
            size = int(
                float(found[1]) * (1024 if found[3] else 1000) ** _UNITS.index(found[2].upper())
            )
            if size > 0:
                return size
    elif is_real(memory_limit) and 0 < memory_limit < np.inf:
        return int(memory_limit)
    raise ValueError(
        'memory_limit must be a number of bytes, a string such as "4GB" or "auto", '
        f"got {memory_limit!r}."
    )


def _free_memory() -> int:
    """Return the bytes of available memory, 4 GB if the system does not provide them."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (ValueError, OSError, AttributeError):
        return 4 * 10**9


def readable_bytes(size: float) -> str:
    """Return a size in bytes in a readable unit.

    Examples
    --------
    >>> readable_bytes(1.5e9)
    '1.5 GB'
    """
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
