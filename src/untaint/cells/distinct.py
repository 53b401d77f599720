"""Distinct and common values of a column; of many rows, some are looked at first."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray, IntArray

# Rows that are looked at first, and the part of its own share that a common value has among them at
# least: it would lie seven deviations or more below what is expected.
SOME_ROWS, HALF = 4000, 0.5


def some_of(values: FloatArray) -> FloatArray:
    """Return the values of random rows, which may repeat, or those of all if they are few."""
    if len(values) <= SOME_ROWS:
        return values
    return values[np.random.default_rng(0).integers(len(values), size=SOME_ROWS)]


def has_values(values: NDArray[Any], least: float) -> bool:
    """Return whether there are so many distinct values or more.

    Examples
    --------
    >>> import numpy as np
    >>> has_values(np.array([3.0, 3.0, 5.0]), 2), has_values(np.array([3.0, 3.0, 5.0]), 3)
    (True, False)
    """
    first = values[: int(4 * least)]
    return len(np.unique(first)) >= least or len(np.unique(values)) >= least


def common_values(values: FloatArray, part: float) -> tuple[FloatArray, IntArray]:
    """Return values that at least such a part of the rows have, ascending, and their numbers.

    Examples
    --------
    >>> import numpy as np
    >>> common_values(np.array([0.0, 2.0, 0.0, 1.0]), 0.5)
    (array([0.]), array([2]))
    """
    some = some_of(values)
    found, counts = np.unique(some, return_counts=True)
    found = found[counts >= HALF * part * len(some)]
    counts = np.array([np.count_nonzero(values == value) for value in found], dtype=np.intp)
    common = counts >= part * max(len(values), 1)
    return found[common], counts[common]
