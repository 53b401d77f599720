"""Processes of their own for jobs: they import what this process does, and end when it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

PAUSE = 1.0


class ChildError(RuntimeError):
    """A process ended without an answer; ``code`` is its return code."""

    def __init__(self, reason: str, code: int) -> None:
        super().__init__(reason)
        self.code = code


def run_child(
    module: str,
    *words: str,
    timeout: float | None = None,
    without: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Run a module in a process and return the JSON object of the last line that it prints.

    Variables of the environment ``without`` are not handed on.

    Raises
    ------
    ChildError
        If the process ended otherwise, with the last line of its error.
    subprocess.TimeoutExpired
        If it took more than ``timeout`` seconds.
    """
    kept = {name: value for name, value in child_environment().items() if name not in without}
    child = subprocess.run(
        [sys.executable, "-m", module, *words],
        env=kept,
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    if child.returncode:
        last = (child.stderr.strip().splitlines() or [f"code {child.returncode}"])[-1]
        raise ChildError(last, child.returncode)
    found: dict[str, Any] = json.loads(child.stdout.splitlines()[-1])
    return found


def child_environment() -> dict[str, str]:
    """Return the variables of this process, for a child that imports what this process does."""
    root = str(Path(__file__).parents[2])
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in [*sys.path, root] if path)}


def end_with_parent() -> None:
    """End this process soon after the one that started it, however that ended."""
    starter = os.getppid()

    def watch() -> None:
        while os.getppid() == starter:
            time.sleep(PAUSE)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
