"""Distances between the rows of a weighted sample, as the median bandwidth needs them.

Every step treats a row of weight k as it would treat k copies of that row, and none depends on
the order of the rows or on chance.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import pdist

from .arrays import Array, Distance, Rows
from .distances import SquaredDistances
from .manhattan import manhattan_distances
from .tiles import build

FAR_OUT = 10.0  # rows this many times farther from the centre than the median row are dropped
REPRESENTATIVES = 1000  # rows whose pairs are compared
NARROW = 128  # features up to which plain differences are as fast as matrix products


def weighted_median(values: Array, weights: Array) -> Array:
    """Median along axis 0 of values that count ``weights`` times.

    Like ``np.median`` it is the mean of the lower and upper median, and equals it on repeated
    values when the weights are integers.

    Examples
    --------
    >>> weighted_median(np.array([1.0, 5.0, 9.0]), np.array([3.0, 1.0, 2.0]))
    array(3.)
    """
    if len(weights) and np.all(weights == weights[0]):
        middle = [(len(values) - 1) // 2, len(values) // 2]
        lower, upper = np.partition(values, middle, axis=0)[middle]
    else:
        order = np.argsort(values, axis=0)
        reached = np.cumsum(weights[order], axis=0)
        ordered = np.take_along_axis(values, order, axis=0)
        half = 0.5 * reached[-1]
        lower, upper = (
            np.take_along_axis(ordered, np.argmax(passed, axis=0)[None], axis=0)[0]
            for passed in (reached >= half, reached > half)
        )
    median: Array = np.asarray(0.5 * lower + 0.5 * upper)
    return median


def without_far_rows(X: Rows, weights: Array, distance: Distance) -> tuple[Rows, Array, Array]:
    """Rows not far out, their weights, and their distances from the centre.

    The centre is the coordinate-wise median, or zero for sparse rows. When half of the rows lie
    on it, the median distance of the others is the yardstick.

    Examples
    --------
    >>> X = np.array([[0.0], [1.0], [2.0], [1e12]])
    >>> without_far_rows(X, np.ones(4), "euclidean")[0].ravel()
    array([0., 1., 2.])
    """
    D = X if sp.issparse(X) else X - weighted_median(X, weights)
    if distance == "manhattan":
        radii = np.asarray(abs(D).sum(axis=1)).ravel()
    else:
        squares = D.multiply(D) if sp.issparse(D) else D * D
        radii = np.sqrt(np.asarray(squares.sum(axis=1)).ravel())
    yardstick = weighted_median(radii, weights)
    if yardstick == 0 and radii.any():
        yardstick = weighted_median(radii[radii > 0], weights[radii > 0])
    near = radii <= FAR_OUT * yardstick
    return (X, weights, radii) if near.all() else (X[near], weights[near], radii[near])


def representatives(X: Rows, weights: Array, radii: Array) -> tuple[Rows, Array]:
    """At most REPRESENTATIVES rows, with the number of times that each stands for itself.

    They are the rows at equally spaced positions of the cumulative weight, from the centre
    outwards; samples of at most that many rows are returned as they are.

    Examples
    --------
    >>> X = np.arange(3000.0)[:, None]
    >>> representatives(X, np.ones(3000), X[:, 0])[0][:3, 0]
    array([1., 4., 7.])
    """
    if max(weights.sum(), len(weights)) <= REPRESENTATIVES:
        return X, weights
    order = _outwards(X, radii)
    reached = np.cumsum(weights[order])
    positions = (np.arange(REPRESENTATIVES) + 0.5) / REPRESENTATIVES * reached[-1]
    chosen = np.minimum(np.searchsorted(reached, positions, side="right"), len(order) - 1)
    chosen, counts = np.unique(chosen, return_counts=True)
    return X[order[chosen]], counts.astype(np.float64)


def _outwards(X: Rows, radii: Array) -> Array:
    """Order of the rows by distance from the centre, ties broken by the features."""
    order = np.argsort(radii, kind="stable")
    steps = np.diff(radii[order]) == 0
    tied = np.r_[steps, False] | np.r_[False, steps]
    if tied.any():
        rows = order[tied]
        if sp.issparse(X):
            # One number that tells rows apart, for a dense copy might not fit into memory.
            features = (X[rows] @ np.modf(np.arange(1, X.shape[1] + 1) * np.sqrt(2))[0])[:, None]
        else:
            features = X[rows]
        order[tied] = rows[np.lexsort((*features.T[::-1], radii[rows]))]
    return order


def pair_distances(X: Rows, weights: Array, distance: Distance) -> tuple[Array, Array]:
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


def _condensed(X: Rows, distance: Distance) -> Array:
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


def _spread(X: Rows) -> float:
    """Root mean square distance of the rows from their centre."""
    D = X if sp.issparse(X) else X - X.mean(axis=0)
    squares = D.multiply(D) if sp.issparse(D) else D * D
    return float(np.sqrt(squares.sum() / max(X.shape[0], 1)))
