"""The machine: hardware and versions, and no names of hosts or users."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from pathlib import Path

from untaint._threads import available_cores


def hardware() -> str:
    """Return cores that may be used, the processor if the system tells, and memory.

    Examples
    --------
    >>> from benchmarks.speed.machine import hardware
    >>> "core" in hardware()
    True
    """
    cores = available_cores()
    parts = [f"{cores} core{'s' if cores > 1 else ''} of {_processor()}"]
    with suppress(AttributeError, ValueError, OSError):  # not on Windows
        parts.append(f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB")
    return ", ".join([*parts, platform.system()])


def software() -> str:
    """Return versions of Python and of the libraries that do the work."""
    import numpy
    import sklearn

    return (
        f"Python {platform.python_version()}, NumPy {numpy.__version__}, "
        f"scikit-learn {sklearn.__version__}"
    )


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine() or "an unknown processor"
