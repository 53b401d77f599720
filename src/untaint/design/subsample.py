"""Few rows that stand for all while the rough shape of a fit is looked for.

They are drawn at random, in proportion to their weights. Not at regular distances: every fifth row
may be the bad one. The draw depends on nothing but the rows' number and weights, so that equal fits
are equal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._policy import policy
from .._typing import FloatArray, IntArray

ROWS_A_FEATURE = 60
# Bytes that judging a row takes, with all that is computed on the way.
LOO_BYTES = 25_000
_SEED = 20_000


@final
@dataclass(frozen=True)
class Subset:
    """Rows that represent all rows, and the weight that each has among them."""

    rows: IntArray
    weights: FloatArray


def subsample_size(n_features: int, memory: int) -> int:
    """Rows that show the rough shape of a fit on so many features, and can be judged in memory.

    Examples
    --------
    >>> subsample_size(20, 10**9), subsample_size(1000, 10**9), subsample_size(1000, 10**8)
    (5000, 20000, 2000)
    """
    wanted = max(
        policy().subsample_rows // 4, min(policy().subsample_rows, ROWS_A_FEATURE * n_features)
    )
    return max(policy().subsample_rows // 10, min(wanted, memory // (2 * LOO_BYTES)))


def draw_rows(sample_weight: FloatArray, count: int) -> IntArray:
    """At most so many rows, in ascending order; a row that stands for many may come several times.

    Examples
    --------
    >>> import numpy as np
    >>> draw_rows(np.ones(3), 10)
    array([0, 1, 2])
    >>> draw_rows(np.ones(1000), 5).tolist()
    [525, 758, 803, 888, 901]
    """
    if len(sample_weight) <= count:
        return np.arange(len(sample_weight))
    if (sample_weight == sample_weight[0]).all():
        return draw_evenly(len(sample_weight), count)
    reached = np.cumsum(sample_weight)
    rows = np.searchsorted(reached, places_of(count) * reached[-1], side="right")
    return np.minimum(rows, len(sample_weight) - 1)


def draw_evenly(n_rows: int, count: int) -> IntArray:
    """The same for rows of one weight, however many."""
    if n_rows <= count:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(_SEED).choice(n_rows, count, replace=False))


def places_of(count: int) -> FloatArray:
    """Places of the cumulative weight, as parts of all of it, one in each of equal parts."""
    return (np.arange(count) + np.random.default_rng(_SEED).random(count)) / count
