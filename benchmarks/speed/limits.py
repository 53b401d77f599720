"""Limits of a case: a bound on memory, and an end when the parent process ends."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

# Of the memory that is free; the rest is for all else that runs.
USABLE = 0.95
PAUSE = 1.0


def limit_memory() -> None:
    """Let a fit that asks for more than is free fail, before the system ends other processes."""
    with suppress(ImportError, OSError, ValueError, KeyError):  # Linux only
        import resource

        free = kilobytes("/proc/meminfo")["MemAvailable"]
        used = kilobytes("/proc/self/status")["VmSize"]
        limit = int(1024 * (used + USABLE * free))
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def end_with_parent() -> None:
    """End this process soon after the one that started it, however that ended."""
    starter = os.getppid()

    def watch() -> None:
        while os.getppid() == starter:
            time.sleep(PAUSE)
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def kilobytes(path: str) -> dict[str, int]:
    """Read the lines of a file of Linux's that give kilobytes by name."""
    pairs = (line.split(":", 1) for line in Path(path).read_text().splitlines() if " kB" in line)
    return {name: int(value.split()[0]) for name, value in pairs}
