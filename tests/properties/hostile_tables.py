"""Tables that should not be fitted: a name for each way to spoil one, and several at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from properties.tables import Rows, Table

HUGE, TINY = 1e308, 1e-320


def _set(values, where, value):
    values = np.array(values, dtype=float)
    values[where] = value
    return values


def _powers(rng, size, reach):
    return 10.0 ** rng.uniform(-reach, reach, size)


X_WAYS = {
    "one huge cell": lambda X, rng: _set(X, (0, 0), HUGE),
    "two huge cells": lambda X, rng: _set(_set(X, (0, 0), HUGE), (-1, -1), -HUGE),
    "huge column": lambda X, rng: _set(X, (slice(None), 0), np.sign(X[:, 0]) * HUGE),
    "everything huge": lambda X, rng: np.sign(X) * HUGE,
    "everything 1e200": lambda X, rng: X * 1e200,
    "denormal column": lambda X, rng: _set(X, (slice(None), 0), np.sign(X[:, 0]) * TINY),
    "everything denormal": lambda X, rng: np.sign(X) * TINY,
    "negative zeros": lambda X, rng: np.where(X > 0, X, -0.0),
    "zeros": lambda X, rng: np.zeros(X.shape),
    "columns of all sizes": lambda X, rng: X * _powers(rng, X.shape[1], 150),
    "rows of all sizes": lambda X, rng: X * _powers(rng, (X.shape[0], 1), 150),
    "cells of all sizes": lambda X, rng: X * _powers(rng, X.shape, 150),
    "constant column": lambda X, rng: _set(X, (slice(None), 0), 7.0),
    "all rows the same": lambda X, rng: np.repeat(X[:1], len(X), axis=0),
    "pairs of rows": lambda X, rng: X[np.arange(len(X)) // 2],
    "far from the origin": lambda X, rng: X + 1e12,
    "integers": lambda X, rng: np.round(10 * X).astype(int),
    "small integers": lambda X, rng: np.round(10 * np.abs(X)).astype(np.uint8),
    "booleans": lambda X, rng: X > 0,
    "float16": lambda X, rng: X.astype(np.float16),
    "float32": lambda X, rng: X.astype(np.float32),
    "float32 at its limit": lambda X, rng: (np.sign(X) * 3e38).astype(np.float32),
    "longdouble": lambda X, rng: X.astype(np.longdouble),
    "objects": lambda X, rng: X.astype(object),
    "numbers as text": lambda X, rng: X.astype(str),
    "words": lambda X, rng: np.where(X > 0, "yes", "no"),
    "words among objects": lambda X, rng: np.where(X > 0, X.astype(object), "no"),
    "complex": lambda X, rng: X + 1j,
    "dates": lambda X, rng: np.round(X).astype("datetime64[D]"),
    "a NaN": lambda X, rng: _set(X, (0, 0), np.nan),
    "an infinity": lambda X, rng: _set(X, (0, 0), np.inf),
    "a None": lambda X, rng: np.where(X[0, 0] == X, None, X.astype(object)),
    "one dimension": lambda X, rng: X[:, 0],
    "three dimensions": lambda X, rng: X[:, :, None],
    "no column": lambda X, rng: X[:, :0],
    "a list": lambda X, rng: X.tolist(),
}

NUMBER_WAYS = {
    "constant": lambda y, rng: np.full(len(y), 3.0),
    "zeros": lambda y, rng: np.zeros(len(y)),
    "negative zeros": lambda y, rng: np.full(len(y), -0.0),
    "huge": lambda y, rng: np.sign(y) * HUGE,
    "one huge": lambda y, rng: _set(y, 0, HUGE),
    "a few huge": lambda y, rng: _set(_set(y, 0, HUGE), -1, -HUGE),
    "1e160": lambda y, rng: 1e160 * y,
    "denormal": lambda y, rng: np.sign(y) * TINY,
    "of all sizes": lambda y, rng: y * _powers(rng, len(y), 300),
    "nearly constant": lambda y, rng: 1e9 + np.round(y) * 1e-7,
    "integers": lambda y, rng: np.round(y).astype(int),
    "booleans": lambda y, rng: y > 0,
    "float16": lambda y, rng: y.astype(np.float16),
    "float32": lambda y, rng: y.astype(np.float32),
    "objects": lambda y, rng: y.astype(object),
    "numbers as text": lambda y, rng: y.astype(str),
    "words": lambda y, rng: np.where(y > 0, "yes", "no"),
    "complex": lambda y, rng: y + 1j,
    "a NaN": lambda y, rng: _set(y, 0, np.nan),
    "an infinity": lambda y, rng: _set(y, -1, -np.inf),
    "a None": lambda y, rng: np.where(y == y[0], None, y.astype(object)),
    "a column": lambda y, rng: y[:, None],
    "two columns": lambda y, rng: np.column_stack([y, -2 * y]),
    "no column": lambda y, rng: y[:, None][:, :0],
    "too short": lambda y, rng: y[1:],
    "a list": lambda y, rng: y.tolist(),
}

LABEL_WAYS = {
    "one class": lambda y, rng: np.zeros(len(y), int),
    "one row of a class": lambda y, rng: (np.arange(len(y)) == 0).astype(int),
    "a class for every row": lambda y, rng: np.arange(len(y)),
    "at random": lambda y, rng: rng.integers(0, 2, len(y)),
    "text": lambda y, rng: np.array(["ash", "birch", "cedar"])[y],
    "objects": lambda y, rng: np.array(["ash", "birch", "cedar"], dtype=object)[y],
    "objects of two kinds": lambda y, rng: np.array(["ash", 1, "cedar"], dtype=object)[y],
    "booleans": lambda y, rng: y > 0,
    "floats": lambda y, rng: y.astype(float),
    "huge integers": lambda y, rng: np.where(y > 0, 2**62, -(2**62)),
    "not classes": lambda y, rng: rng.normal(size=len(y)),
    "a NaN": lambda y, rng: _set(y, 0, np.nan),
    "an infinity": lambda y, rng: _set(y, 0, np.inf),
    "a None": lambda y, rng: np.where(np.arange(len(y)) == 0, None, y.astype(object)),
    "a column": lambda y, rng: y[:, None],
    "two columns": lambda y, rng: np.column_stack([y, y]),
    "too short": lambda y, rng: y[1:],
    "a list": lambda y, rng: y.tolist(),
}

WEIGHT_WAYS = {
    "ones": lambda n, rng: np.ones(n),
    "zeros": lambda n, rng: np.zeros(n),
    "one row": lambda n, rng: (np.arange(n) == 0).astype(float),
    "half of the rows": lambda n, rng: (np.arange(n) % 2).astype(float),
    "a negative one": lambda n, rng: _set(np.ones(n), 0, -1.0),
    "huge": lambda n, rng: np.full(n, HUGE),
    "one huge": lambda n, rng: _set(np.ones(n), 0, HUGE),
    "1e12": lambda n, rng: np.full(n, 1e12),
    "denormal": lambda n, rng: np.full(n, TINY),
    "tiny": lambda n, rng: np.full(n, 1e-30),
    "one denormal": lambda n, rng: _set(np.ones(n), 0, TINY),
    "of all sizes": lambda n, rng: _powers(rng, n, 12),
    "of all sizes there are": lambda n, rng: _powers(rng, n, 300),
    "a NaN": lambda n, rng: _set(np.ones(n), 0, np.nan),
    "an infinity": lambda n, rng: _set(np.ones(n), 0, np.inf),
    "integers": lambda n, rng: rng.integers(0, 3, n),
    "booleans": lambda n, rng: np.arange(n) > 0,
    "words": lambda n, rng: np.full(n, "many"),
    "too short": lambda n, rng: np.ones(n - 1),
    "a column": lambda n, rng: np.ones((n, 1)),
    "a number": lambda n, rng: 2.0,
    "a negative number": lambda n, rng: -2.0,
}


@dataclass(frozen=True)
class HostileTable:
    """An ordinary table, and the names of what was done to it."""

    table: Table
    X: tuple[str, ...]
    y: str | None
    weights: str | None

    @cached_property
    def rows(self) -> Rows:
        rng, rows = self.table.rng, self.table.rows
        X, y = rows.X, rows.y
        with np.errstate(all="ignore"):
            for way in self.X:
                X = X_WAYS[way](X, rng)
            if self.y is not None:
                y = (LABEL_WAYS if self.table.classes else NUMBER_WAYS)[self.y](y, rng)
        weights = WEIGHT_WAYS[self.weights](self.table.n, rng) if self.weights else None
        return Rows(X, y, weights, X)


# Two ways to spoil the features, of which the second takes any numbers.
BOUNDED = [name for name in list(X_WAYS)[:16]]


def hostile_tables(labels: bool, largest: int = 60):
    """One to three things wrong, of few rows or of more."""
    sizes = st.one_of(st.integers(1, 6), st.integers(7, largest))
    table = st.builds(
        Table,
        n=sizes,
        d=st.sampled_from([1, 2, 5, 80]),
        seed=st.integers(0, 2**32 - 1),
        wrong=st.sampled_from([0.0, 0.2]),
        classes=st.sampled_from([2, 3]) if labels else st.just(0),
    )
    X_way = st.one_of(
        st.just(()),
        st.sampled_from(list(X_WAYS)).map(lambda way: (way,)),
        st.tuples(st.sampled_from(BOUNDED), st.sampled_from(list(X_WAYS))),
    )
    y_way = st.one_of(st.none(), st.sampled_from(list(LABEL_WAYS if labels else NUMBER_WAYS)))
    weights = st.one_of(st.none(), st.none(), st.sampled_from(list(WEIGHT_WAYS)))
    return st.builds(HostileTable, table, X_way, y_way, weights)
