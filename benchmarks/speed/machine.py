"""The machine: hardware, versions, limits, and what other processes take of it; no names of hosts.

    others = (seconds that all cores worked - seconds that this process worked) / seconds gone

Times on a busy machine are not reliable. A product of two threads that takes 20 ms on an idle
machine was seen to take 4 s on a busy one: one thread waits, spinning, for another that has to wait
for its core.
"""

from __future__ import annotations

import math
import os
import platform
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from untaint._threads import available_cores

# Of /proc/stat: user, nice, system, then idle and waiting, which do not count, then interrupts
# and what other guests of the same host took.
BUSY = (0, 1, 2, 5, 6, 7)
STAT = Path("/proc/stat")
# Of the memory that is free; the rest is for all else that runs.
USABLE = 0.95


def hardware() -> str:
    """Return cores that may be used, the processor if the system tells, and memory."""
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


class Moment(NamedTuple):
    """Seconds: on the clock, of work of all cores, and of work of this process."""

    clock: float
    busy: float
    own: float


def moment() -> Moment:
    """Read the clocks; children of this process count once they have ended."""
    return Moment(perf_counter(), _busy(), sum(os.times()[:4]))


def others(before: Moment, after: Moment) -> float:
    """Return cores that others kept busy between two moments; nan where the system does not tell.

    Examples
    --------
    >>> from benchmarks.speed.machine import Moment, others
    >>> others(Moment(0.0, 10.0, 1.0), Moment(2.0, 14.0, 4.0))
    0.5
    """
    foreign = (after.busy - before.busy) - (after.own - before.own)
    return max(foreign / (after.clock - before.clock), 0.0) if not math.isnan(foreign) else foreign


def _busy() -> float:
    try:
        ticks = STAT.read_text().splitlines()[0].split()[1:]
    except OSError:  # Linux only
        return math.nan
    return sum(int(ticks[at]) for at in BUSY) / os.sysconf("SC_CLK_TCK")


def limit_memory() -> None:
    """Let a fit that asks for more than is free fail, before the system ends other processes."""
    with suppress(ImportError, OSError, ValueError, KeyError):  # Linux only
        import resource

        free = _kilobytes("/proc/meminfo")["MemAvailable"]
        used = _kilobytes("/proc/self/status")["VmSize"]
        limit = int(1024 * (used + USABLE * free))
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _kilobytes(path: str) -> dict[str, int]:
    """Read the lines of a file of Linux's that give kilobytes by name."""
    pairs = (line.split(":", 1) for line in Path(path).read_text().splitlines() if " kB" in line)
    return {name: int(value.split()[0]) for name, value in pairs}
