"""Wall time: the minimum over repeats, rivals taking turns.

The minimum is the run that other work on the machine disturbed least; taking turns spreads what
disturbance there is over all rivals alike, and every second round goes backwards, so that no rival
always runs in another's wake.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from time import perf_counter


def fastest(rivals: Mapping[str, Callable[[], object]], *, repeats: int = 3) -> dict[str, float]:
    """Return each rival's shortest wall time in seconds.

    Examples
    --------
    >>> from untaint.bench.measure import fastest
    >>> times = fastest({"sum": lambda: sum(range(100)), "nothing": lambda: None}, repeats=2)
    >>> sorted(times), all(seconds > 0 for seconds in times.values())
    (['nothing', 'sum'], True)
    """
    best = dict.fromkeys(rivals, math.inf)
    order = list(rivals)
    for _ in range(repeats):
        for name in order:
            started = perf_counter()
            rivals[name]()
            best[name] = min(best[name], perf_counter() - started)
        order.reverse()
    return best
