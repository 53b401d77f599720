"""Selection of the rows to corrupt: anywhere, in one neighbourhood, or in some classes."""

import numpy as np
from numpy.random import Generator

from .._typing import AnyArray, FloatArray, IntArray


def any_rows(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return random rows, each equally likely."""
    return rng.choice(len(X), size=count, replace=False)


def half_of_region(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return a random half of the ``2 count`` rows nearest to a random row, or of all rows."""
    return rng.choice(_nearest_to_random_row(X, 2 * count, rng), size=count, replace=False)


def whole_region(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return all of the ``count`` rows nearest to a random row: no clean row is left among them."""
    return _nearest_to_random_row(X, count, rng)


def largest_class(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return rows of the most frequent class only."""
    return _rows_of_classes(y, by_frequency(y)[:1], count, rng)


def second_class(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return rows of the second most frequent class only."""
    return _rows_of_classes(y, by_frequency(y)[1:2], count, rng)


def all_but_rarest_class(X: AnyArray, y: AnyArray, count: int, rng: Generator) -> IntArray:
    """Return rows of any class except the least frequent one."""
    return _rows_of_classes(y, by_frequency(y)[:-1], count, rng)


def by_frequency(y: AnyArray) -> AnyArray:
    """Return classes from the most to the least frequent; of equals, the first in order leads.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.datasets._row_selection import by_frequency
    >>> by_frequency(np.array(["b", "c", "a", "c"])).tolist()
    ['c', 'a', 'b']
    """
    classes, sizes = np.unique(y, return_counts=True)
    return classes[np.argsort(-sizes, kind="stable")]


def _rows_of_classes(y: AnyArray, classes: AnyArray, count: int, rng: Generator) -> IntArray:
    members = np.flatnonzero(np.isin(y, classes))
    if count > len(members):
        names = ", ".join(repr(name) for name in classes.tolist())
        raise ValueError(
            f"epsilon asks for {count} rows of class {names}, of which there are only "
            f"{len(members)}; lower epsilon or use kind='flip'."
        )
    return rng.choice(members, size=count, replace=False)


def _nearest_to_random_row(X: AnyArray, count: int, rng: Generator) -> IntArray:
    Z = standardised(X)
    centre = Z[rng.integers(len(Z))]
    distances = np.square(Z - centre).sum(axis=1)
    return np.argsort(distances, kind="stable")[:count]


def standardised(X: AnyArray) -> FloatArray:
    """Standardise columns; constant columns and missing cells become zero."""
    spread = np.nanstd(X, axis=0)
    Z: FloatArray = (X - np.nanmean(X, axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.where(np.isnan(Z), 0.0, Z)
