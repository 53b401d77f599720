"""How far work has come: loops that report their steps, and a line on standard error.

A loop over :func:`tracked` items reports how many of them are done to whatever :func:`shown_by` has
set around it, a line of ``verbose`` or the bar of a command; without one it costs nothing. Loops
within its steps stay silent, so that a bar never jumps back.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Protocol, TextIO, TypeVar, final

WIDTH = 24
# Seconds between two updates of the line during a pass.
REDRAW = 0.2
# Steps that a part of the work is divided into.
FINE = 100

Item = TypeVar("Item")
# Takes how many steps are done, and of how many.
OnStep = Callable[[int, int], None]
_LISTENER: ContextVar[OnStep | None] = ContextVar("listener", default=None)


@contextmanager
def shown_by(listener: OnStep | None) -> Iterator[None]:
    """Report the steps of loops within the block to a function; to none, if it is None."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def report_step(done: int, total: int) -> None:
    """Report that some of all steps are done, where no loop knows."""
    listener = _LISTENER.get()
    if listener is not None:
        listener(done, total)


def tracked(items: Iterable[Item], total: int) -> Iterator[Item]:
    """Yield items, and report how many of them are done.

    Parameters
    ----------
    items : iterable
    total : int
        Number of items.
    """
    listener = _LISTENER.get()
    if listener is None:
        yield from items
        return
    listener(0, total)
    with shown_by(None):
        for done, item in enumerate(items, 1):
            yield item
            listener(done, total)


@contextmanager
def part(number: int, of: int) -> Iterator[None]:
    """Let steps within the block count as one of several equal parts of the work.

    Parameters
    ----------
    number : int
        Of the part, from zero.
    of : int
        How many there are.
    """
    listener = _LISTENER.get()
    if listener is None:
        yield
        return

    def on_step(done: int, total: int) -> None:
        listener(number * FINE + FINE * done // max(total, 1), of * FINE)

    with shown_by(on_step):
        yield


class ProgressState(Protocol):
    """The state of a fit between two iterations."""

    @property
    def iteration(self) -> int: ...
    @property
    def max_iter(self) -> int: ...
    @property
    def objective(self) -> float: ...
    @property
    def n_changed(self) -> int: ...


@final
class ProgressLine:
    """One line with a bar, the objective, the number of changed weights and the time left.

    On a terminal the line is redrawn; elsewhere only the last state is written. The time left is
    extrapolated from the number of changed weights, which decreases about geometrically. Passes
    over many rows are shown while they run.

    Parameters
    ----------
    title : str
        Name of the fit at the beginning of the line.
    stream : file, optional
        Standard error by default.
    """

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self.title = title
        self.stream = stream if stream is not None else sys.stderr
        self.line = self.last = ""
        self.drawn = 0.0
        self.begin("")

    def begin(self, stage: str) -> None:
        """Begin another stage, with its iterations counted from one."""
        self.stage = f"{stage}: " if stage else ""
        self.started = self.pass_started = perf_counter()
        self.first = 0
        self.last = ""
        if stage:
            self._draw(0.0, stage)

    def __call__(self, step: ProgressState) -> None:
        """Show the state after an iteration."""
        self.first = max(self.first, step.n_changed)
        spent = perf_counter() - self.started
        total = max(step.iteration, _iterations_expected(step, self.first))
        left = spent / step.iteration * (total - step.iteration)
        message = (
            f"iteration {step.iteration}, objective {step.objective:.6g}, "
            f"{step.n_changed} weights changed"
        )
        self.last = f"; {message}"
        self._draw(step.iteration / total, f"{self.stage}{message}, {left:.1f} s left")

    def on_pass(self, done: int, total: int) -> None:
        """Show the progress of a pass over the rows."""
        now = perf_counter()
        if done < total and now - self.drawn >= REDRAW:
            spent = now - self.pass_started
            left = spent / done * (total - done)
            message = f"{self.stage}{done:,} of {total:,} rows, {left:.1f} s left in this pass"
            self._draw(done / total, message + self.last)
            self.drawn = now
        if done >= total:
            self.pass_started = now

    def on_step(self, done: int, total: int) -> None:
        """Show how many steps of the stage are done; see :func:`shown_by`."""
        now = perf_counter()
        if done and (done >= total or now - self.drawn >= REDRAW):
            left = (now - self.started) / done * (total - done)
            self._draw(done / total, f"{self.stage}{max(left, 0.0):.1f} s left")
            self.drawn = now

    def on_fit(self, done: int, total: int) -> None:
        """Show how many fits of a learner are done, of how many at most."""
        left = (perf_counter() - self.started) / done * (total - done)
        message = f"{self.stage}fit {done} of at most {total}, {max(left, 0.0):.1f} s left"
        self._draw(min(done / total, 1.0), message)

    def _draw(self, part: float, message: str) -> None:
        filled = round(WIDTH * part)
        self.line = f"{self.title} [{'#' * filled}{'.' * (WIDTH - filled)}] {message}"
        if self.stream.isatty():
            self.stream.write("\r\x1b[K" + self.line)
            self.stream.flush()

    def close(self) -> None:
        """End the line, and leave it on the screen."""
        if self.line:
            self.stream.write("\n" if self.stream.isatty() else self.line + "\n")
            self.stream.flush()

    def erase(self) -> None:
        """Remove the line from a terminal."""
        if self.line and self.stream.isatty():
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def _iterations_expected(step: ProgressState, first: int) -> int:
    """Return the number of iterations until no weight changes, by extrapolation."""
    if step.n_changed == 0:
        return step.iteration
    if step.iteration < 2 or step.n_changed >= first:
        return step.max_iter
    rate = (step.n_changed / first) ** (1.0 / (step.iteration - 1))
    more = 0
    rows = float(step.n_changed)
    while rows >= 0.5 and step.iteration + more < step.max_iter:
        rows *= rate
        more += 1
    return step.iteration + more
