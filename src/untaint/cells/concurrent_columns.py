"""A function of every column, in threads; the results do not depend on how many there are."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count() -> int:
    """Return how many threads numerical libraries would have, as set by OMP_NUM_THREADS."""
    found = ThreadpoolController().info()
    return max((int(each["num_threads"]) for each in found), default=1)


def concurrently(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> Iterator[Result]:
    """Yield the function of each item, in their order.

    Every thread is one: libraries within start no others.

    Examples
    --------
    >>> list(concurrently(abs, [-1, 2, -3], 2))
    [1, 2, 3]
    """
    if threads < 2 or len(items) < 2:
        yield from map(function, items)
        return
    controller = ThreadpoolController()

    def alone(item: Item) -> Result:
        quiet = np.errstate(over="ignore", invalid="ignore", divide="ignore")
        with quiet, controller.limit(limits=1):
            return function(item)

    with ThreadPoolExecutor(min(threads, len(items))) as pool:
        yield from pool.map(alone, items)
