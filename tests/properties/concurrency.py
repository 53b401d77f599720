"""Many threads may predict with one model, and fit several, at the same time."""

from __future__ import annotations

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.base import clone

THREADS = 4
CALLS = 24


def many_threads_may_predict(subject, table):
    """Every prediction is the one that a single thread gets."""
    model = subject.fit(table.rows)
    queries = [table.queries[i % 5 :] for i in range(CALLS)]
    alone = [subject.evaluate(model, X) for X in queries]
    fresh = subject.fit(table.rows)  # what is worked out on first demand is worked out here
    with ThreadPoolExecutor(THREADS) as pool:
        together = list(pool.map(lambda X: subject.evaluate(fresh, X), queries))
    for actual, expected in zip(together, alone, strict=True):
        np.testing.assert_array_equal(actual, expected)


def fits_in_two_threads_do_not_meet(subject, table):
    """Different rows, the same class, at the same time."""
    half = table.rows.taken(slice(table.n // 2, None))
    alone = [subject.evaluate(subject.fit(rows), table.queries) for rows in (table.rows, half)]
    # Filters of warnings belong to the process: they are set outside of the threads.
    with warnings.catch_warnings(), ThreadPoolExecutor(2) as pool:
        warnings.simplefilter("ignore")
        work = lambda rows: subject.fit_loudly(clone(subject.model), rows)  # noqa: E731
        fits = list(pool.map(work, (table.rows, half)))
    for fit, expected in zip(fits, alone, strict=True):
        np.testing.assert_array_equal(subject.evaluate(fit, table.queries), expected)
