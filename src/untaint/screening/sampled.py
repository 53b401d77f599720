r"""Rows whose features are wild, among more rows than one cares to sort.

A sample says what is plausible: rows drawn from all, each standing for many, and the outermost
rows, each for itself, so that the tails of the features are there as they are. All other rows are
then held to the edges that were found feature by feature, and to the relations between features.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._typing import FloatArray, IntArray
from .rows import centre, distances_from
from .scales import scale_of
from .wild import Screen, screen

# Outermost rows that the sample takes in, by all features together and by the worst of them.
OUTERMOST = 500
BLOCK_ROWS = 50_000


def screen_by_sample(X: Any, row_weights: FloatArray, sample: IntArray) -> Screen:
    """Find the rows whose features are wild.

    Parameters
    ----------
    X : array or CSR of shape (n, d)
    row_weights : array of shape (n,), positive
    sample : array of indices
        Drawn in proportion to the rows' weights.

    Returns
    -------
    Screen
        Of all rows.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(5000, 3))
    >>> X[7, 1] = 500.0
    >>> np.flatnonzero(screen_by_sample(X, np.ones(5000), np.arange(0, 5000, 10)).wild)
    array([7])
    """
    outer = _outermost(X, row_weights, sample)
    bulk = np.setdiff1d(sample, outer)
    rows = np.concatenate([bulk, outer])
    # One row of the bulk stands for many; whole numbers, for weights are copies.
    each = max(1.0, np.round((X.shape[0] - len(outer)) / max(len(bulk), 1)))
    weights = np.concatenate([np.full(len(bulk), each), np.ones(len(outer))])
    found = screen(X[rows], weights)
    oddness = np.zeros(X.shape[0])
    trace = None if found.trace is None else found.trace.elsewhere(X)
    if trace is not None:
        for start in range(0, X.shape[0], BLOCK_ROWS):
            part = slice(start, min(start + BLOCK_ROWS, X.shape[0]))
            oddness[part] = trace.total(part)
    oddness[rows] = np.maximum(oddness[rows], found.oddness)
    return Screen(oddness > 1, oddness, trace)


def _outermost(X: Any, row_weights: FloatArray, sample: IntArray) -> IntArray:
    """Rows farthest out, by distance and by the worst feature."""
    count = min(OUTERMOST, X.shape[0])
    look = X[sample]
    middle = centre(look, np.ones(len(sample)))
    far = [distances_from(X, middle, BLOCK_ROWS)]
    if not sparse.issparse(X):
        far.append(_worst_feature(X, middle, _scales(np.asarray(look, dtype=float) - middle)))
    ends = [np.argpartition(-sizes, count - 1)[:count] for sizes in far]
    return np.unique(np.concatenate(ends))


def _scales(deviations: FloatArray) -> FloatArray:
    ones = np.ones(len(deviations))
    scales = np.array([scale_of(np.abs(column), ones) for column in deviations.T])
    return np.where(scales > 0, scales, 1.0)


def _worst_feature(X: Any, middle: FloatArray, scales: FloatArray) -> FloatArray:
    out = np.empty(X.shape[0])
    for start in range(0, X.shape[0], BLOCK_ROWS):
        part = slice(start, start + BLOCK_ROWS)
        out[part] = (np.abs(X[part] - middle) / scales).max(axis=1)
    return out
