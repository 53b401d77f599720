"""Progress of a run: a bar that redraws itself on a terminal, a line for each case elsewhere."""

from __future__ import annotations

import shutil
from datetime import timedelta
from time import perf_counter
from typing import TextIO

WIDTH = 24


class StudyProgress:
    """Count what is done and estimate how long the rest takes, at the pace so far."""

    def __init__(self, total: int, stream: TextIO) -> None:
        self.total = total
        self.stream = stream
        self.count = 0
        self.started = perf_counter()

    def step(self, label: str) -> None:
        """Count one more case as done."""
        self.count += 1
        elapsed = perf_counter() - self.started
        left = elapsed / self.count * (self.total - self.count)
        gone, rest = (timedelta(seconds=int(seconds)) for seconds in (elapsed, left))
        text = f"[{self.count}/{self.total}] {gone} gone, about {rest} left: {label}"
        if self.stream.isatty():
            columns = shutil.get_terminal_size().columns - 1
            full = WIDTH * self.count // self.total
            line = f"{'━' * full}{'─' * (WIDTH - full)} {text}"
            self.stream.write(f"\r{line[:columns]:<{columns}}")
        else:
            self.stream.write(f"{text}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leave the line to whoever writes next."""
        if self.count and self.stream.isatty():
            self.stream.write("\n")
