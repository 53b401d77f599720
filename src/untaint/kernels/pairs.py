"""Distances between the rows of a weighted sample, as the median bandwidth needs them.

A row of weight k is treated as k copies of that row.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from .arrays import Array, Design, Distance
from .distances import SquaredDistances
from .manhattan import manhattan_distances
from .tiles import build

NARROW = 128  # features up to which plain differences are as fast as matrix products


def pair_distances(X: Design, weights: Array, distance: Distance) -> tuple[Array, Array]:
    """Distances of all pairs of different rows and the number of times that each occurs.

    A row of weight k has k (k - 1) / 2 pairs of copies, at distance zero.

    Examples
    --------
    >>> pair_distances(np.array([[0.0], [3.0]]), np.array([2.0, 1.0]), "euclidean")
    (array([3., 0., 0.]), array([2., 1., 0.]))
    """
    n = len(weights)
    values = _condensed(X, distance)
    if np.all(weights == 1.0):
        return values, np.ones(len(values))
    i, j = np.triu_indices(n, 1)
    counts = weights[i] * weights[j]
    copies = 0.5 * np.maximum(weights * (weights - 1.0), 0.0)
    if not copies.any():
        return values, counts
    return np.r_[values, np.zeros(n)], np.r_[counts, copies]


def _condensed(X: Design, distance: Distance) -> Array:
    """Distances of the pairs i < j, row by row as in ``pdist``."""
    n, d = X.shape
    if d <= NARROW and not sp.issparse(X):
        narrow: Array = pdist(X, "cityblock" if distance == "manhattan" else distance)
        return narrow
    if distance == "manhattan":
        D = build(manhattan_distances(X, X), (n, n), np.float64, symmetric=True)
    else:
        unit = _spread(X) or 1.0  # in which copies of a row come out at distance zero exactly
        tiles = SquaredDistances(X, X, root=1.0 / unit, dtype=np.float64, rooted=True)
        D = build(tiles, (n, n), np.float64, symmetric=True)
        if distance == "euclidean":
            np.sqrt(D, out=D)
        D *= unit if distance == "euclidean" else unit**2
    wide: Array = D[np.triu_indices(n, 1)]
    return wide


def _spread(X: Design) -> float:
    """Root mean square distance of the rows from their centre."""
    D = X if sp.issparse(X) else X - X.mean(axis=0)
    squares = D.multiply(D) if sp.issparse(D) else D * D
    return float(np.sqrt(squares.sum() / max(X.shape[0], 1)))
