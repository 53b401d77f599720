"""Random subsamples, on which hyperparameters and initial fits of large data are found.

Samples are drawn at random in proportion to their weights, not at regular intervals, since
outliers may be periodic. The draw depends only on the number and the weights of the samples, so
that fits are reproducible.
"""

from typing import NamedTuple

import numpy as np

from .._policy import policy
from .._typing import FloatArray, IntArray

# A trimmed fit to labels that overlap has fewer rows to rely on: with so few that its first
# function is far from that of all rows, it takes passes over all of them to undo it.
ROWS_PER_FEATURE, LABELS_PER_FEATURE = 60, 400
# Memory of leave-one-out diagnostics per sample, temporaries included.
LOO_BYTES = 25_000
_SEED = 20_000


class Subset(NamedTuple):
    """Indices of representative samples, and their weights."""

    rows: IntArray
    weights: FloatArray


def subsample_size(n_features: int, memory: int, rows_per_feature: int = ROWS_PER_FEATURE) -> int:
    """Return the size of the subsample for a number of features and a memory limit in bytes.

    Examples
    --------
    >>> subsample_size(20, 10**9), subsample_size(1000, 10**9), subsample_size(1000, 10**8)
    (5000, 20000, 2000)
    """
    most = policy().subsample_rows
    wanted = max(most // 4, min(most, rows_per_feature * n_features))
    return max(most // 10, min(wanted, memory // (2 * LOO_BYTES)))


def draw_rows(sample_weight: FloatArray, count: int) -> IntArray:
    """Draw at most ``count`` ascending indices; one of large weight may occur several times."""
    if len(sample_weight) <= count or (sample_weight == sample_weight[0]).all():
        return draw_evenly(len(sample_weight), count)
    reached = np.cumsum(sample_weight)
    rows = np.searchsorted(reached, places_of(count) * reached[-1], side="right")
    return np.minimum(rows, len(sample_weight) - 1)


def draw_evenly(n_rows: int, count: int) -> IntArray:
    """Draw at most ``count`` of ``n_rows`` indices without replacement, in ascending order."""
    if n_rows <= count:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(_SEED).choice(n_rows, count, replace=False))


def places_of(count: int) -> FloatArray:
    """Draw positions in [0, 1), one in each of ``count`` intervals of equal length."""
    return (np.arange(count) + np.random.default_rng(_SEED).random(count)) / count
