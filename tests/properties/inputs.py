"""What a user hands in is read, never written, and its layout in memory is no part of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from properties.comparing import assert_close, assert_same_answers, assert_same_bits


def inputs_are_only_read(subject, table):
    """Arrays that cannot be written give the same bits, and none is changed."""
    rows = table.rows.but(weights=table.rng.uniform(0.5, 2.0, table.n))
    locked = rows.but(**{name: _locked(getattr(rows, name)) for name in vars(rows)})
    before = [value.copy() for value in vars(rows).values()]
    one = subject.fit(rows)
    for now, then in zip(vars(rows).values(), before, strict=True):
        np.testing.assert_array_equal(now, then)
    other = subject.fit(locked)
    assert_same_bits(subject, other, one, table)
    subject.evaluate(other, _locked(table.queries))


def _locked(values):
    values = values.copy()
    values.flags.writeable = False
    return values


def layout_is_immaterial(subject, table):
    """Columns in a row, every second cell of a larger array, a reversed view."""
    rows = table.rows
    one = subject.fit(rows)
    for view in (np.asfortranarray, _strided, _reversed):
        changed = {name: view(getattr(rows, name)) for name in ("X", "y", "copy")}
        assert_same_answers(subject, subject.fit(rows.but(**changed)), one, table)


def _strided(values):
    larger = np.zeros([2 * length for length in values.shape], dtype=values.dtype)
    view = larger[tuple(slice(None, None, 2) for _ in values.shape)]
    view[...] = values
    return view


def _reversed(values):
    return values[::-1].copy()[::-1]


def frames_are_only_read(subject, table):
    """A data frame, its index out of order, is left as it was and gives the same predictions."""
    rows = table.rows
    names = [f"x{j}" for j in range(table.d)]
    index = table.rng.permutation(table.n)
    frame, target = pd.DataFrame(rows.X, index, names), pd.Series(rows.y, index)
    second = pd.DataFrame(rows.copy, index, names)
    before = frame.copy(), target.copy(), second.copy()
    model = subject.fit(rows.but(X=frame, y=target, copy=second))
    for now, then in zip((frame, target, second), before, strict=True):
        assert now.equals(then)
    queries = pd.DataFrame(table.queries, columns=names)
    expected = subject.evaluate(subject.fit(rows), table.queries)
    assert_close(np.asarray(subject.evaluate(model, queries)), expected, subject.tol)
