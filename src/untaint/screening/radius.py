r"""Which rows lie where: what can be said of X before anybody looks at y.

* The radius of a row is its distance from the coordinate-wise median (from zero, for sparse rows).
* A row is far out when its radius exceeds ten times the median radius. That is no verdict: it only
  has to wait for others to set the scales and the first fits.
* A row a thousand times farther out than the median row is beyond reach, and the first to be given
  up: no fit says anything about such a place.
* Representatives are the rows at equally spaced positions of the cumulative weight, from the centre
  outwards: a stratified sample without chance.

Every function treats a row of weight k as k copies of that row, and none depends on the order of
the rows.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray

Distance = Literal["sqeuclidean", "euclidean", "manhattan"]

SCREEN_RADIUS = 10.0
EXCLUSION_RADIUS = 1000.0
MATRIX_ROWS = 3000


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Median along axis 0 of values that count ``weights`` times.

    Like ``np.median`` it is the mean of the lower and upper median, and equals it on repeated
    values when the weights are integers.

    Examples
    --------
    >>> import numpy as np
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
    # Single values have a mean that single precision may not hold.
    return np.asarray(0.5 * np.asarray(lower, dtype=float) + 0.5 * np.asarray(upper, dtype=float))


def centre(X: Any, weights: FloatArray) -> FloatArray:
    """Coordinate-wise median of dense rows, zero for sparse ones."""
    return np.zeros(X.shape[1]) if sparse.issparse(X) else weighted_median(X, weights)


def radii(X: Any, weights: FloatArray, distance: Distance = "euclidean") -> FloatArray:
    """Distance of each row from the centre.

    Examples
    --------
    >>> import numpy as np
    >>> radii(np.array([[0.0], [1.0], [5.0]]), np.ones(3))
    array([1., 0., 4.])
    """
    moved = X.astype(float, copy=False) if sparse.issparse(X) else X - centre(X, weights)
    if distance == "manhattan":
        return np.asarray(abs(moved).sum(axis=1)).ravel()
    with np.errstate(over="ignore"):
        squares = moved.multiply(moved) if sparse.issparse(moved) else moved * moved
        return np.sqrt(np.asarray(squares.sum(axis=1)).ravel())


def distances_from(X: Any, middle: FloatArray, block_rows: int) -> FloatArray:
    """Euclidean distance of each row from a point, by blocks of rows.

    Examples
    --------
    >>> import numpy as np
    >>> distances_from(np.array([[0.0], [1.0], [5.0]]), np.array([1.0]), 2)
    array([1., 0., 4.])
    """
    out = np.empty(X.shape[0])
    for start in range(0, X.shape[0], block_rows):
        rows = slice(start, start + block_rows)
        part = X[rows].astype(float) if sparse.issparse(X) else X[rows] - middle
        with np.errstate(over="ignore"):
            if sparse.issparse(part):
                out[rows] = np.sqrt(np.asarray(part.multiply(part).sum(axis=1)).ravel())
            else:
                out[rows] = np.sqrt(np.einsum("ij,ij->i", part, part))
    return out


def radii_of_matrix(K: FloatArray, weights: FloatArray) -> FloatArray:
    """Distance of each row, in the kernel's space, from the row nearest to most others.

    Beyond a few thousand rows that row would cost more than it is worth: all are as near as any.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 5.0])
    >>> radii_of_matrix(np.outer(x, x), np.ones(3))
    array([1., 0., 4.])
    """
    if len(K) > MATRIX_ROWS:
        return np.zeros(len(K))
    diagonal = np.diag(K)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.nan_to_num(np.maximum(diagonal[:, None] + diagonal - 2 * K, 0.0), nan=np.inf)
    middle = weighted_median(squares, weights)
    return np.sqrt(squares[:, np.argmin(middle)])


def near_rows(radius: FloatArray, weights: FloatArray, far_out: float = SCREEN_RADIUS) -> BoolArray:
    """Mask of the rows whose radius is at most ``far_out`` median radii.

    When half of the rows lie on the centre, the median radius of the others is the yardstick.

    Examples
    --------
    >>> import numpy as np
    >>> near_rows(np.array([0.0, 1.0, 2.0, 1e12]), np.ones(4))
    array([ True,  True,  True, False])
    """
    return radius <= far_out * median_radius(radius, weights)


def median_radius(radius: FloatArray, weights: FloatArray) -> float:
    """The median radius, of the rows off the centre if half of them lie on it.

    Examples
    --------
    >>> import numpy as np
    >>> median_radius(np.array([0.0, 0.0, 0.0, 2.0]), np.ones(4))
    2.0
    """
    middle = weighted_median(radius, weights)
    if middle == 0 and radius.any():
        middle = weighted_median(radius[radius > 0], weights[radius > 0])
    return float(middle)


def representatives(
    X: Any, weights: FloatArray, radius: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """At most ``count`` rows, and the number of times that each stands for itself.

    Parameters
    ----------
    X : array or CSR of shape (n, d), or None
        Breaks ties between rows of equal radius.
    weights, radius : array of shape (n,)
    count : int

    Returns
    -------
    rows : array of indices, in ascending order
    counts : array of the same length

    Examples
    --------
    >>> import numpy as np
    >>> representatives(None, np.ones(6), np.arange(6.0), 3)
    (array([1, 3, 5]), array([1., 1., 1.]))
    """
    if max(float(weights.sum()), len(weights)) <= count:
        return np.arange(len(weights)), np.asarray(weights, dtype=float)
    order = _outwards(X, radius)
    reached = np.cumsum(weights[order])
    positions = (np.arange(count) + 0.5) / count * reached[-1]
    ranks = np.minimum(np.searchsorted(reached, positions, side="right"), len(order) - 1)
    ranks, counts = np.unique(ranks, return_counts=True)
    rows = order[ranks]
    ascending = np.argsort(rows)
    return rows[ascending], counts[ascending].astype(float)


def _outwards(X: Any, radius: FloatArray) -> IntArray:
    """Order of the rows by radius, ties broken by the features."""
    order = np.argsort(radius, kind="stable")
    steps = np.diff(radius[order]) == 0
    tied = np.r_[steps, False] | np.r_[False, steps]
    if X is not None and tied.any():
        rows = order[tied]
        if sparse.issparse(X):
            # One number that tells rows apart, for a dense copy might not fit into memory.
            features = (X[rows] @ np.modf(np.arange(1, X.shape[1] + 1) * np.sqrt(2))[0])[:, None]
        else:
            features = X[rows]
        order[tied] = rows[np.lexsort((*features.T[::-1], radius[rows]))]
    return order
