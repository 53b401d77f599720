"""Rows with outlying features, whatever their targets are.

The screen of the estimators looks at all columns together for values that lie far out, and
tolerates any tail that is long but has no gap. An engine of 1.6 cubic centimetres does not lie far
out: it is only 1,600 less than another. Its logarithm does. So columns of positive numbers are
screened on that scale as well, where a wrong unit is as far off downwards as upwards.

And a column on its own may fall into two parts with nothing in between. Values beyond a gap are of
another unit, or no measurements at all: a gap of at least a factor of four and of three robust
deviations, or one that is wider than everything else together, half as much again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..preprocessing import MedianScaler
from ..screening.by_subsample import screen_by_sample
from ..screening.screen import screen

# Values that a column must take for its logarithm to mean something.
DIFFERENT = 10
# Rows that are screened together; of more, a sample defines the usual range.
ALL_ROWS, SAMPLE_ROWS = 20_000, 4_000
# A gap: this wide as a factor and in robust deviations, or in units of all that is on this side of
# it; with what lies beyond it this far out, and at most this part of the rows there.
FACTOR, WIDE, SPANS, OUT, PART = 4.0, 3.0, 1.5, 6.0, 0.25


class Outlying(NamedTuple):
    """The rows with outlying features, and these features.

    Attributes
    ----------
    feature_outlier : bool array of shape (n,)
    outlying_features : mapping of int to int array
        Outlying features of each such row.
    """

    feature_outlier: BoolArray
    outlying_features: dict[int, IntArray]


def find_outlying(values: FloatArray, numeric: BoolArray, seed: int) -> Outlying:
    """Find the rows with outlying features.

    Parameters
    ----------
    values : array of shape (n, p)
        Features as they are in the table.
    numeric : bool array of shape (p,)
        Which of them are numeric, that is no indicators of categories.
    seed : int

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.outlying import find_outlying
    >>> engines = np.random.default_rng(0).normal(1600, 250, size=(200, 1))
    >>> engines[7] /= 1000
    >>> np.flatnonzero(find_outlying(engines, np.array([True]), seed=0).feature_outlier)
    array([7])
    """
    X = MedianScaler().fit_transform(values)
    few = len(values) <= ALL_ROWS
    # Many rows are screened once only: what lies far above is outlying by logarithms too.
    none: tuple[BoolArray, dict[int, IntArray]] = np.zeros(len(values), dtype=bool), {}
    feature_outlier, odd = _screened(X, seed) if few else none
    gaps = {j: beyond_gap(X[:, j], np.inf) for j in np.flatnonzero(numeric).tolist()}
    logs = [j for j in gaps if _has_logarithm(values[:, j])]
    if not logs and not few:
        feature_outlier, odd = _screened(X, seed)
    if logs:
        on_scale = values.copy()
        on_scale[:, logs] = np.log(values[:, logs])
        scaler = MedianScaler()
        X = scaler.fit_transform(on_scale)
        also, of_logs = _screened(X, seed)
        feature_outlier, odd = feature_outlier | also, of_logs | odd
        for j in logs:
            gaps[j] |= beyond_gap(X[:, j], np.log(FACTOR) / float(np.asarray(scaler.scale_)[j]))
    for j, apart in gaps.items():
        for row in np.flatnonzero(apart).tolist():
            others = [f for f in odd.get(row, ()) if f != j]
            odd[row] = np.array([j, *others], dtype=np.intp)
        feature_outlier |= apart
    return Outlying(feature_outlier, odd)


def _has_logarithm(column: FloatArray) -> bool:
    return bool(column.min() > 0) and len(np.unique(column[:ALL_ROWS])) > DIFFERENT


def _screened(X: FloatArray, seed: int) -> tuple[BoolArray, dict[int, IntArray]]:
    n = len(X)
    if n <= ALL_ROWS:
        found = screen(X, np.ones(n))
    else:
        sample = np.sort(np.random.default_rng(seed).choice(n, SAMPLE_ROWS, replace=False))
        found = screen_by_sample(X, sample)
    rows = np.flatnonzero(found.feature_outlier)
    return found.feature_outlier.copy(), dict(
        zip(rows.tolist(), found.outlying_features(rows), strict=True)
    )


def beyond_gap(z: FloatArray, width: float) -> BoolArray:
    """Return which values lie beyond a gap, above or below.

    Parameters
    ----------
    z : array of shape (n,)
        Values in robust deviations from their median.
    width : float
        A gap this wide counts, in robust deviations; else it must be wider than all the rest.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.outlying import beyond_gap
    >>> beyond_gap(np.array([0.0, -1.0, 0.5, 1.0, 0.2, -0.3, 9.0]), width=5.0)
    array([False, False, False, False, False, False,  True])
    """
    apart = np.zeros(len(z), dtype=bool)
    if max(z.max(), -z.min()) < OUT:
        return apart
    most = int(PART * len(z))
    for side in (z, -z):
        descending = np.sort(side)[::-1]
        top = descending[: most + 1]
        gaps, rest = -np.diff(top), top[1:] - descending[-1]
        wide = (gaps >= max(WIDE, width)) | ((gaps >= SPANS * rest) & (rest > 0))
        found = np.flatnonzero(wide & (top[:-1] >= OUT))
        if len(found):
            apart |= side >= top[found[-1]]
    return apart
