"""What an adversary writes into the rows of a classification problem, in place at ``rows``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._choice import by_frequency

Rows = NDArray[np.intp]


def flip(X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator) -> None:
    """The other class, or, of several, any other with equal chance."""
    _rotate(y, rows, np.unique(y), rng)


def flip_and_inflate(
    X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator
) -> None:
    """Another class, and x = 100 x."""
    flip(X, y, rows, rng)
    X[rows] *= 100.0


def flip_to_second(X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator) -> None:
    """The second most frequent class, whatever the row was: every error goes the same way."""
    y[rows] = by_frequency(y)[1]


def flip_to_largest(X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator) -> None:
    """The most frequent class, whatever the row was: every error goes the same way."""
    y[rows] = by_frequency(y)[0]


def flip_among_frequent(
    X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator
) -> None:
    """Any other class but the least frequent one, which neither loses nor gains a row."""
    _rotate(y, rows, np.sort(by_frequency(y)[:-1]), rng)


def _rotate(y: NDArray[Any], rows: Rows, classes: NDArray[Any], rng: np.random.Generator) -> None:
    """Any other of these sorted classes, to one of which every row belongs."""
    steps = rng.integers(1, len(classes), size=len(rows))
    y[rows] = classes[(np.searchsorted(classes, y[rows]) + steps) % len(classes)]
