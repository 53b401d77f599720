"""Quantities of an array that a fit needs several times, computed once.

>>> import numpy as np
>>> X = np.ones((2, 3))
>>> with remembering():
...     first, second = (remembered("sum", X, lambda: [X.sum()]) for _ in range(2))
>>> first is second
True
"""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")

# Arrays, what of them is known, and its value.
_KNOWN: ContextVar[list[tuple[Any, Hashable, Any]] | None]
_KNOWN = ContextVar("quantities that are known", default=None)


@contextmanager
def remembering() -> Iterator[None]:
    """Compute quantities of an array once within the block, in which it must not change."""
    token = _KNOWN.set([])
    try:
        yield
    finally:
        _KNOWN.reset(token)


def remembered(what: Hashable, X: Any, compute: Callable[[], T]) -> T:
    """Return a quantity of the object X, computed if it is not known."""
    known = _KNOWN.get()
    if known is None:
        return compute()
    for rows, kind, value in known:
        if rows is X and kind == what:
            return value
    value = compute()
    known.append((X, what, value))
    return value
