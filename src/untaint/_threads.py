"""Threads: how many there may be, and when BLAS should use one only."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import lru_cache
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

S = TypeVar("S")
T = TypeVar("T")

_LIMIT: ContextVar[int | None] = ContextVar("limit of cores", default=None)


def available_cores() -> int:
    """Cores that this process may run on, and at most as many as a surrounding limit.

    Examples
    --------
    >>> available_cores() >= 1
    True
    >>> with limited_cores(1):
    ...     available_cores()
    1
    """
    limit = _LIMIT.get()
    if limit is not None:
        return min(limit, _all_cores())
    return _all_cores()


@contextmanager
def limited_cores(limit: int) -> Iterator[None]:
    """Let this thread count at most so many cores within the block."""
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def _all_cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_blocks(function: Callable[[slice], T], n_rows: int, block_rows: int) -> list[T]:
    """Return the results of a function of blocks of rows, in order, by several threads.

    Each thread counts one core, so that calls within calls start no further threads.

    Examples
    --------
    >>> map_blocks(lambda rows: rows.stop - rows.start, 5, 2)
    [2, 2, 1]
    """
    starts = range(0, n_rows, block_rows)
    blocks = [slice(start, min(start + block_rows, n_rows)) for start in starts]
    return map_in_threads(function, blocks)


def map_in_threads(function: Callable[[S], T], items: Sequence[S]) -> list[T]:
    """Return the results of a function, in order, by several threads in the caller's context.

    Each of them counts its part of the cores.

    Examples
    --------
    >>> map_in_threads(abs, [-1, 2])
    [1, 2]
    """
    n_cores = available_cores()
    n_threads = min(n_cores, len(items))
    if n_threads <= 1:
        return list(map(function, items))

    def with_part(item: S) -> T:
        with limited_cores(n_cores // n_threads):
            return function(item)

    contexts = [copy_context() for _ in items]
    with single_threaded_blas(), ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(lambda own, item: own.run(with_part, item), contexts, items))


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Keep BLAS to one thread within the block; blocks may nest and overlap between threads.

    The limit is one for the whole process, so the first block to open sets it and the last to
    close lifts it: were each to restore what it found, two overlapping blocks could leave BLAS
    single-threaded for good.

    Examples
    --------
    >>> with single_threaded_blas():
    ...     pass
    """
    with _BLAS.lock:
        if _BLAS.depth == 0:
            _BLAS.limit = _controller().limit(limits=1, user_api="blas")
        _BLAS.depth += 1
    try:
        yield
    finally:
        with _BLAS.lock:
            _BLAS.depth -= 1
            if _BLAS.depth == 0:
                _BLAS.limit.restore_original_limits()


@contextmanager
def all_blas_threads() -> Iterator[None]:
    """Lift the limit of a surrounding single-threaded block, for one large product.

    Examples
    --------
    >>> with single_threaded_blas(), all_blas_threads():
    ...     pass
    """
    with _BLAS.lock:
        lifted = _BLAS.depth > 0
        if lifted:
            _BLAS.limit.restore_original_limits()
    try:
        yield
    finally:
        with _BLAS.lock:
            if lifted and _BLAS.depth > 0:
                _BLAS.limit = _controller().limit(limits=1, user_api="blas")


class _Blas:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.limit: Any = None


_BLAS = _Blas()


@lru_cache(maxsize=1)
def _controller() -> ThreadpoolController:
    return ThreadpoolController()  # a millisecond of looking through the loaded libraries
