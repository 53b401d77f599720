"""Wall time: the minimum over repeats, competitors taking turns.

The minimum is the run that other work on the machine disturbed least; taking turns spreads what
disturbance there is over all competitors alike, and every second round goes backwards, so that no
competitor always runs in another's wake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import perf_counter


def fastest(
    competitors: Mapping[str, Callable[[], object]], *, repeats: int = 3
) -> dict[str, float]:
    """Return each competitor's shortest wall time in seconds.

    Examples
    --------
    >>> from benchmarks.measure import fastest
    >>> times = fastest({"sum": lambda: sum(range(100)), "nothing": lambda: None}, repeats=2)
    >>> sorted(times), all(seconds > 0 for seconds in times.values())
    (['nothing', 'sum'], True)
    """
    best = dict.fromkeys(competitors, math.inf)
    order = list(competitors)
    for _ in range(repeats):
        for name in order:
            started = perf_counter()
            competitors[name]()
            best[name] = min(best[name], perf_counter() - started)
        order.reverse()
    return best
