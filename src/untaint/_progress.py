"""A progress line on standard error, for fits that say what they do."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Protocol, TextIO, final

WIDTH = 24


class Step(Protocol):
    """What is known between two iterations."""

    @property
    def iteration(self) -> int: ...
    @property
    def max_iter(self) -> int: ...
    @property
    def objective(self) -> float: ...
    @property
    def exchanged(self) -> int: ...


@final
class ProgressLine:
    """One line with a bar, the objective, the rows exchanged and the time left.

    On a terminal the line is drawn over; elsewhere only the last state is written. How long a fit
    will go on is read off the rows exchanged, which fall about geometrically.

    Parameters
    ----------
    title : str
    stream : file, optional
        Standard error by default.
    """

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self.title = title
        self.stream = stream if stream is not None else sys.stderr
        self.started = perf_counter()
        self.first = 0
        self.line = ""

    def __call__(self, step: Step) -> None:
        """Show a step."""
        self.first = max(self.first, step.exchanged)
        spent = perf_counter() - self.started
        total = max(step.iteration, _iterations_expected(step, self.first))
        left = spent / step.iteration * (total - step.iteration)
        filled = round(WIDTH * step.iteration / total)
        self.line = (
            f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] "
            f"iteration {step.iteration}, objective {step.objective:.6g}, "
            f"{step.exchanged} rows exchanged, {left:.1f} s left"
        )
        if self.stream.isatty():
            self.stream.write("\r\x1b[K" + self.line)
            self.stream.flush()

    def close(self) -> None:
        """Leave the last line standing."""
        if self.line:
            self.stream.write("\n" if self.stream.isatty() else self.line + "\n")
            self.stream.flush()


def _iterations_expected(step: Step, first: int) -> int:
    """Iterations until no row is exchanged, if the decline goes on."""
    if step.exchanged == 0:
        return step.iteration
    if step.iteration < 2 or step.exchanged >= first:
        return step.max_iter
    rate = (step.exchanged / first) ** (1.0 / (step.iteration - 1))
    more = 0
    rows = float(step.exchanged)
    while rows >= 0.5 and step.iteration + more < step.max_iter:
        rows *= rate
        more += 1
    return step.iteration + more
