"""Distances between weighted samples, for the median bandwidth.

A weight of k is equivalent to k copies of the sample.
"""

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from .arrays import Array, Distance, MatrixLike
from .distances import SquaredDistances
from .manhattan import manhattan_distances
from .tiles import build

NARROW = 128  # features up to which plain differences are as fast as matrix products


def pair_distances(X: MatrixLike, weights: Array, distance: Distance) -> tuple[Array, Array]:
    """Return the distances of all pairs of samples, and the multiplicity of each.

    A sample of weight k has k (k - 1) / 2 pairs of copies, at distance zero.

    Examples
    --------
    >>> pair_distances(np.array([[0.0], [3.0]]), np.array([2.0, 1.0]), "euclidean")
    (array([3., 0., 0.]), array([2., 1., 0.]))
    """
    n = len(weights)
    values = _condensed(X, distance)
    if np.all(weights == 1.0):
        return values, np.broadcast_to(1.0, len(values))
    i, j = np.triu_indices(n, 1)
    counts = weights[i] * weights[j]
    copies = 0.5 * np.maximum(weights * (weights - 1.0), 0.0)
    if not copies.any():
        return values, counts
    return np.r_[values, np.zeros(n)], np.r_[counts, copies]


def _condensed(X: MatrixLike, distance: Distance) -> Array:
    """Return the distances of the pairs i < j, in the order of ``pdist``."""
    n, d = X.shape
    if d <= NARROW and not sp.issparse(X):
        narrow: Array = pdist(X, "cityblock" if distance == "manhattan" else distance)
        return narrow
    if distance == "manhattan":
        D = build(manhattan_distances(X, X), (n, n), np.float64, symmetric=True)
    else:
        unit = _spread(X) or 1.0  # so that copies of a sample have a distance of exactly zero
        tiles = SquaredDistances(X, X, root=1.0 / unit, dtype=np.float64, rooted=True)
        D = build(tiles, (n, n), np.float64, symmetric=True)
        if distance == "euclidean":
            np.sqrt(D, out=D)
        D *= unit if distance == "euclidean" else unit**2
    wide: Array = D[np.triu_indices(n, 1)]
    return wide


def _spread(X: MatrixLike) -> float:
    """Return the root mean square distance of the samples from their mean."""
    D = X.data if sp.issparse(X) else (X - X.mean(axis=0)).ravel()
    return float(np.sqrt(D @ D / max(X.shape[0], 1)))
