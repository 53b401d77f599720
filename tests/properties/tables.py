"""Rows to fit: drawn by hypothesis as a few small numbers, from which a generator makes the rest.

A failure then reads as ``Table(n=14, d=2, ...)`` and can be made again from that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st


@dataclass(frozen=True)
class Rows:
    """What ``fit`` is given, and rows to predict."""

    X: Any
    y: Any
    weights: Any = None
    copy: Any = None  # second noisy measurement, for those who ask for one

    def taken(self, index):
        """These rows, in this order, as often as they are named."""
        parts = (None if part is None else part[index] for part in (self.y, self.weights))
        y, weights = parts
        copy = None if self.copy is None else self.copy[index]
        return Rows(self.X[index], y, weights, copy)

    def but(self, **changes):
        return replace(self, **changes)


@dataclass(frozen=True)
class Table:
    """Continuous rows, smooth targets or blobs of classes, a fraction of them wrong by far."""

    n: int
    d: int
    seed: int
    wrong: float
    classes: int = 0  # 0: targets are numbers
    noise: float = 0.1

    @property
    def rng(self):
        """A generator for what a property draws itself, not that of the rows."""
        return np.random.default_rng([self.seed, 1])

    @cached_property
    def rows(self) -> Rows:
        rng = np.random.default_rng(self.seed)
        X = rng.normal(size=(self.n, self.d))
        bad = rng.permutation(self.n)[: int(self.wrong * self.n)]
        if self.classes:
            y = np.arange(self.n) % self.classes
            X[:, 0] += 3.0 * y
            y[bad] = (y[bad] + 1) % self.classes
        else:
            y = np.sin(X[:, 0]) + X.sum(axis=1) + self.noise * rng.normal(size=self.n)
            y[bad] += rng.choice([-1.0, 1.0], len(bad)) * rng.uniform(20.0, 30.0, len(bad))
        return Rows(X, y, copy=X + 0.1 * rng.normal(size=X.shape))

    @cached_property
    def queries(self):
        return np.random.default_rng([self.seed, 2]).normal(size=(11, self.d))


def tables(labels: bool, largest: int = 60):
    """Tables of at most so many rows; the first one drawn, and the last to be shrunk to, is no
    trivial one.
    """
    return st.builds(
        Table,
        n=st.integers(20, largest),
        d=st.sampled_from([3, 1, 2, 4]),
        seed=st.integers(0, 2**32 - 1),
        wrong=st.sampled_from([0.1, 0.2, 0.0]),
        classes=st.sampled_from([3, 2]) if labels else st.just(0),
        noise=st.sampled_from([0.1, 0.5]),
    )
