"""Progress of a run: a bar that redraws itself on a terminal, a line for each case elsewhere."""

from __future__ import annotations

import shutil
from time import perf_counter
from typing import TextIO

WIDTH = 24


class StudyProgress:
    r"""Count what is done and guess how long the rest takes, at the pace so far.

    Examples
    --------
    >>> import io
    >>> from benchmarks.progress import StudyProgress
    >>> stream = io.StringIO()
    >>> StudyProgress(2, stream).step("kiln label 0.2 genie #0")
    >>> stream.getvalue()
    '[1/2] 0:00 gone, about 0:00 left: kiln label 0.2 genie #0\n'
    """

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
        text = (
            f"[{self.count}/{self.total}] {clock(elapsed)} gone, about {clock(left)} left: {label}"
        )
        if self.stream.isatty():
            columns = shutil.get_terminal_size().columns - 1
            self.stream.write(f"\r{f'{bar(self.count / self.total)} {text}'[:columns]:<{columns}}")
        else:
            self.stream.write(f"{text}\n")
        self.stream.flush()

    def close(self) -> None:
        """Leave the line to whoever writes next."""
        if self.count and self.stream.isatty():
            self.stream.write("\n")


def bar(share: float) -> str:
    """Draw a share of one.

    Examples
    --------
    >>> from benchmarks.progress import bar
    >>> bar(0.25)
    '━━━━━━──────────────────'
    """
    full = int(share * WIDTH)
    return "━" * full + "─" * (WIDTH - full)


def clock(seconds: float) -> str:
    """Return hours if there are any, minutes and seconds.

    Examples
    --------
    >>> from benchmarks.progress import clock
    >>> clock(75.2), clock(3725)
    ('1:15', '1:02:05')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
