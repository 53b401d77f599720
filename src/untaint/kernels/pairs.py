"""Distances between weighted samples, for the median bandwidth.

A weight of k is equivalent to k copies of the sample.
"""

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from .arrays import Array, Distance, MatrixLike
from .distances import squared_distances
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
        return pdist(X, "cityblock" if distance == "manhattan" else distance)
    if distance == "manhattan":
        D = build(manhattan_distances(X, X), (n, n), np.float64, symmetric=True)
    else:
        D, unit = squared_distances(X)
        D = unit * np.sqrt(D) if distance == "euclidean" else unit**2 * D
    return D[np.triu_indices(n, 1)]
