"""Peak memory of a job: a fresh process, its high-water mark after the job minus that before.

A job is named ``"module:function"``. The function is called with plain arguments and returns the
callable to be measured; imports and data belong to it, and so to the baseline.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple


class Usage(NamedTuple):
    """Memory that a job took beyond its baseline."""

    seconds: float
    megabytes: float


def peak_memory(job: str, **arguments: Any) -> Usage:
    """Run a job in a fresh process and return its wall time and additional peak memory.

    Examples
    --------
    >>> from benchmarks.memory import peak_memory
    >>> usage = peak_memory("benchmarks.memory:example_job", megabytes=50)
    >>> 45 < usage.megabytes < 60
    True
    """
    child = subprocess.run(
        [sys.executable, "-m", "benchmarks.memory", job, json.dumps(arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if child.returncode:
        reason = (child.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"{job} ended with code {child.returncode}: {reason}")
    return Usage(**json.loads(child.stdout.splitlines()[-1]))


def example_job(megabytes: int) -> Any:
    """Return a job that touches so many megabytes."""
    return lambda: bytearray(b"x") * (megabytes * 2**20)


def _high_water_mark() -> float:
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


def _forget_high_water_mark() -> None:
    """Start the mark at what is in use now, where the system allows it (Linux)."""
    # Elsewhere, memory that the baseline has freed again is not counted: a lower bound.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _measure(job: str, arguments: dict[str, Any]) -> Usage:
    module, _, function = job.partition(":")
    work = getattr(importlib.import_module(module), function)(**arguments)
    _forget_high_water_mark()
    before = _high_water_mark()
    started = perf_counter()
    kept = work()  # held until the mark is read
    seconds = perf_counter() - started
    usage = Usage(seconds, _high_water_mark() - before)
    del kept
    return usage


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], json.loads(sys.argv[2]))._asdict()))
