"""Load of other processes, since times on a busy machine are not reliable.

    others = (seconds that all cores worked - seconds that this process worked) / seconds gone

A product of two threads that takes 20 ms on an idle machine was seen to take 4 s on a busy one:
one thread waits, spinning, for another that has to wait for its core.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

# Of /proc/stat: user, nice, system, then idle and waiting, which do not count, then interrupts
# and what other guests of the same host took.
BUSY = (0, 1, 2, 5, 6, 7)
STAT = Path("/proc/stat")


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
    >>> from benchmarks.speed.others import Moment, others
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
