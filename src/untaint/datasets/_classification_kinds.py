"""Corruptions of rows of a classification problem, in place at ``rows``."""

import numpy as np
from numpy.random import Generator

from .._typing import AnyArray, IntArray
from ._row_selection import by_frequency


def flip(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Assign another class; of several, each with equal probability."""
    _rotate(y, rows, np.unique(y), rng)


def flip_and_inflate(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Assign another class, and set x = 100 x."""
    flip(X, y, rows, rng)
    X[rows] *= 100.0


def flip_to_second(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Assign the second most frequent class: all errors are one-sided."""
    y[rows] = by_frequency(y)[1]


def flip_to_largest(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Assign the most frequent class: all errors are one-sided."""
    y[rows] = by_frequency(y)[0]


def flip_among_frequent(X: AnyArray, y: AnyArray, rows: IntArray, rng: Generator) -> None:
    """Assign any other class but the least frequent one, which keeps its rows."""
    _rotate(y, rows, np.sort(by_frequency(y)[:-1]), rng)


def _rotate(y: AnyArray, rows: IntArray, classes: AnyArray, rng: Generator) -> None:
    """Assign another of these sorted classes, to one of which every row belongs."""
    steps = rng.integers(1, len(classes), size=len(rows))
    y[rows] = classes[(np.searchsorted(classes, y[rows]) + steps) % len(classes)]
