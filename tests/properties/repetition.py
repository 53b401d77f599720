"""The same call twice is the same result: to the bit, or to rounding where sums are taken apart."""

from __future__ import annotations

from sklearn.base import clone
from threadpoolctl import threadpool_limits

from properties.comparing import (
    assert_same_answers,
    assert_same_bits,
    assert_same_outlier_attributes,
)

# What docs/architecture.md promises of threads in double precision, for targets.
THREADS = 1e-9
TIGHT = "53MB"  # little more than the smallest limit a fit on features accepts


def second_fit_is_the_same(subject, table):
    """On a new model, on a used one, and on a clone of a fitted one."""
    one = subject.fit(table.rows)
    assert_same_bits(subject, subject.fit(table.rows), one, table)
    again = clone(one)
    subject.fit_quietly(again, table.rows)
    assert_same_bits(subject, again, one, table)
    used = subject.fit_quietly(clone(one), table.rows.taken(slice(table.n // 2)))
    assert_same_bits(subject, subject.fit_quietly(used, table.rows), one, table)


def threads_change_nothing_but_rounding(subject, table):
    """Neither BLAS's nor our own."""
    with threadpool_limits(1):
        one = subject.fit(table.rows)
    with threadpool_limits(2):
        two = subject.fit(table.rows)
    fits = [two]
    if "n_jobs" in subject.model.get_params():
        fits += [subject.fit(table.rows, n_jobs=1), subject.fit(table.rows, n_jobs=2)]
    tol = subject.tol if subject.labels else max(THREADS, subject.tol / 100)
    for fit in fits:
        assert_same_answers(subject, fit, one, table, tol)
        assert_same_outlier_attributes(subject, fit, one, slice(None))


def blocks_change_nothing_but_rounding(subject, table):
    """Features that are kept, and features that are made again in every pass."""
    one, other = subject.fit(table.rows), subject.fit(table.rows, memory_limit=TIGHT)
    assert_same_answers(subject, other, one, table, max(THREADS, subject.tol / 100))
    assert_same_outlier_attributes(subject, other, one, slice(None))
