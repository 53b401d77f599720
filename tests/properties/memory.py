"""A model that is fitted again and again takes no more memory than one that was fitted once."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from itertools import pairwise

from sklearn.base import clone

FITS = 3
# Smaller blocks are counted wrongly: NumPy keeps a stock of them.
LARGE = 150


def fitting_again_takes_no_more_memory(subject, table):
    """What is kept once, by a cache or a library, is no growth; what every fit leaves behind is."""
    model = clone(subject.model)
    subject.fit_quietly(model, table.rows)
    tracemalloc.start()
    try:
        held = []
        for _ in range(FITS + 1):
            subject.fit_quietly(model, table.rows)
            held.append(_held())
    finally:
        tracemalloc.stop()
    grown = min(after - before for before, after in pairwise(held))
    assert grown <= 0, f"every fit holds {grown:,} more bytes"


def _held():
    """Bytes in blocks that could be a table's."""
    gc.collect()
    traces = tracemalloc.take_snapshot().traces
    return sum(trace.size for trace in traces if trace.size >= LARGE)


def former_rows_are_released(subject, table):
    """Once a model knows other rows, nothing holds on to those that it knew before."""
    former = table.rows.taken(slice(None))  # arrays of its own
    former = former.but(X=former.X.copy(), y=former.y.copy(), copy=former.copy.copy())
    alive = [weakref.ref(value) for value in (former.X, former.y, former.copy)]
    model = subject.fit_quietly(clone(subject.model), former)
    subject.fit_quietly(model, table.rows)
    del former
    gc.collect()
    assert not any(ref() is not None for ref in alive), "a former table is still alive"
