"""Wall time and peak memory of a job.

Wall time is the minimum over repeats: the run that other work on the machine disturbed least.
Competitors take turns, which spreads what disturbance there is over all alike, and every second
round goes backwards, so that no competitor always runs after the same one.

Peak memory is that of a fresh process, its high-water mark after the job minus that before. A job
is named ``"module:function"``. The function is called with plain arguments and returns the callable
to be measured; imports and data belong to it, and so to the baseline.
"""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from .children import run_child


def fastest(
    competitors: Mapping[str, Callable[[], object]], *, repeats: int = 3
) -> dict[str, float]:
    """Return each competitor's shortest wall time in seconds."""
    best = dict.fromkeys(competitors, math.inf)
    order = list(competitors)
    for _ in range(repeats):
        for name in order:
            started = perf_counter()
            competitors[name]()
            best[name] = min(best[name], perf_counter() - started)
        order.reverse()
    return best


class Usage(NamedTuple):
    """Wall time of a job, and memory that it took beyond its baseline."""

    seconds: float
    megabytes: float


def peak_memory(job: str, **arguments: Any) -> Usage:
    """Run a job in a fresh process and return its wall time and additional peak memory."""
    return Usage(**run_child(__name__, job, json.dumps(arguments)))


def high_water_mark() -> float:
    """Return peak resident memory of this process in megabytes.

    Linux hands the parent's ``ru_maxrss`` on to a child, which hides a small child of a large
    parent; ``VmHWM`` starts afresh with the program, so it is preferred.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    import resource  # not on Windows, hence not above

    unit = 2**20 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def reset_high_water_mark() -> None:
    """Start the mark at what is in use now, where the system allows it (Linux)."""
    # Elsewhere, memory that the baseline has freed again is not counted: a lower bound.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _measure(job: str, arguments: dict[str, Any]) -> Usage:
    module, _, function = job.partition(":")
    work = getattr(importlib.import_module(module), function)(**arguments)
    reset_high_water_mark()
    before = high_water_mark()
    started = perf_counter()
    kept = work()  # held until the mark is read
    seconds = perf_counter() - started
    usage = Usage(seconds, high_water_mark() - before)
    del kept
    return usage


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], json.loads(sys.argv[2]))._asdict()))
