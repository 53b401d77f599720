"""Rows whose features are implausible, whatever their target says.

The estimators look for values that lie far out. An engine of 1.6 cubic centimetres does not: it is
only 1,600 less than another. Its logarithm does. So columns of positive amounts are screened on
that scale, where a wrong unit is a long way off upwards and downwards alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..preprocessing import MedianScaler
from ..screening import screen, screen_by_sample

# Values that a column must take for its logarithm to mean something.
DIFFERENT = 10
# Rows that are screened as they are; of more, a sample says what is plausible.
ALL_ROWS, SAMPLE_ROWS = 20_000, 4_000


class Outlying(NamedTuple):
    """Rows that are implausible, and the features that make them so.

    Attributes
    ----------
    wild : bool array of shape (n,)
    odd_features : mapping of int to int array
        For each wild row.
    """

    wild: BoolArray
    odd_features: dict[int, IntArray]


def find_outlying(values: FloatArray, amounts: BoolArray, seed: int) -> Outlying:
    """Screen a table's features.

    Parameters
    ----------
    values : array of shape (n, p)
        Features as they are in the table.
    amounts : bool array of shape (p,)
        Which of them are amounts.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.outlying import find_outlying
    >>> engines = np.random.default_rng(0).normal(1600, 60, size=(200, 1))
    >>> engines[7] /= 1000
    >>> np.flatnonzero(find_outlying(engines, np.array([True]), seed=0).wild)
    array([7])
    """
    X = MedianScaler().fit_transform(_on_scale(values, amounts))
    n = len(X)
    if n <= ALL_ROWS:
        found = screen(X, np.ones(n))
    else:
        sample = np.sort(np.random.default_rng(seed).choice(n, SAMPLE_ROWS, replace=False))
        found = screen_by_sample(X, np.ones(n), sample)
    rows = np.flatnonzero(found.wild)
    return Outlying(found.wild, dict(zip(rows.tolist(), found.odd_features(rows), strict=True)))


def _on_scale(values: FloatArray, amounts: BoolArray) -> FloatArray:
    scaled = values.copy()
    for j in np.flatnonzero(amounts):
        column = values[:, j]
        if column.min() > 0 and len(np.unique(column[:ALL_ROWS])) > DIFFERENT:
            scaled[:, j] = np.log(column)
    return scaled
