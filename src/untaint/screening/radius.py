r"""Radii of samples about the centre of X, and representative samples chosen by radius.

* The radius of a sample is its distance from the coordinate-wise median (from zero if X is sparse).
* A sample whose radius exceeds ``SCREEN_RADIUS`` median radii takes no part in estimating scales
  and initial fits. It is not thereby flagged as an outlier.
* A sample beyond ``EXCLUSION_RADIUS`` median radii is excluded a priori, before any other is
  trimmed: no fit can be validated that far from the data.
* Representatives are the samples at equally spaced positions of the cumulative weight, ordered by
  radius: a deterministic stratified sample.

Every function treats a weight of k as k copies of the sample, and none depends on the order of the
samples.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from .._remembered import remembered
from .._threads import map_blocks
from .._typing import BoolArray, FloatArray, IntArray

Distance = Literal["sqeuclidean", "euclidean", "manhattan"]

SCREEN_RADIUS = 10.0
EXCLUSION_RADIUS = 1000.0
# Columns whose centre is more than so many median deviations from zero have an offset.
MAX_OFFSET = 10.0
# Largest kernel matrix whose medians of distances are computed.
MATRIX_ROWS = 3000
# Rows of a block, few enough to stay in a core's cache.
BLOCK_ROWS = 4_000
# The median of so many values is looked for near that of a sample of them.
MANY_VALUES, SAMPLED_VALUES = 20_000, 2_000


def weighted_median(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weighted median along axis 0: ``np.median`` of copies, for integer weights."""
    if len(weights) and (weights.strides == (0,) or np.all(weights == weights[0])):
        odd = len(values) % 2
        middle, values = _central_part(values)
        # One selection and a maximum: selecting two ranks at once takes five times as long.
        parts = np.partition(values, middle, axis=0)
        upper = parts[middle]
        lower = upper if odd else parts[:middle].max(axis=0)
    else:
        order = np.argsort(values, axis=0)
        reached = np.cumsum(weights[order], axis=0)
        ordered = np.take_along_axis(values, order, axis=0)
        half = 0.5 * reached[-1]
        lower, upper = (
            np.take_along_axis(ordered, np.argmax(passed, axis=0)[None], axis=0)[0]
            for passed in (reached >= half, reached > half)
        )
    # The mean of two single-precision values may not be representable in single precision.
    return np.asarray(0.5 * np.asarray(lower, dtype=float) + 0.5 * np.asarray(upper, dtype=float))


def _central_part(values: FloatArray) -> tuple[int, FloatArray]:
    """Return values among which those of the middle ranks are, and the upper middle rank there.

    For many numbers, a sample gives bounds of the median: two comparisons with them are cheaper
    than a selection.
    """
    middle = len(values) // 2
    if values.ndim > 1 or len(values) < MANY_VALUES:
        return middle, values
    sample = np.sort(values[:: len(values) // SAMPLED_VALUES])
    low, high = sample[int(0.46 * len(sample))], sample[int(0.54 * len(sample))]
    under = values < low
    below = int(np.count_nonzero(under))
    inside = values[(values <= high) ^ under]  # those from the one to the other
    if below < middle and middle - below < len(inside):
        return middle - below, inside
    return middle, values


def centre(X: Any, weights: FloatArray) -> FloatArray:
    """Return the coordinate-wise median of X, zero for sparse X."""
    return np.zeros(X.shape[1]) if sparse.issparse(X) else weighted_median(X, weights)


def offset(X: Any, weights: FloatArray) -> FloatArray:
    """Return the centre of the columns that lie far from zero, and zero for the others.

    Sums of squares of such columns would keep few of the digits in which rows differ. Sparse
    columns have no centre.
    """
    middle = centre(X, weights)
    if not middle.any():
        return middle
    spread = weighted_median(np.abs(X - middle), weights)
    return np.where(np.abs(middle) > MAX_OFFSET * spread, middle, 0.0)


def radii(X: Any, weights: FloatArray, distance: Distance = "euclidean") -> FloatArray:
    """Return the distance of each row of X from the centre."""
    what = ("radii", distance, weights.tobytes())
    return remembered(what, X, lambda: _radii(X, weights, distance))


def _radii(X: Any, weights: FloatArray, distance: Distance) -> FloatArray:
    moved = X.astype(float, copy=False) if sparse.issparse(X) else X - centre(X, weights)
    if distance == "manhattan":
        return np.asarray(abs(moved).sum(axis=1)).ravel()
    with np.errstate(over="ignore"):
        if sparse.issparse(moved):
            return np.sqrt(np.asarray(moved.multiply(moved).sum(axis=1)).ravel())
        return np.sqrt(np.einsum("ij,ij->i", moved, moved))


def by_blocks(
    function: Callable[[Any], Any], X: Any, each: tuple[int, ...] = (), block_rows: int = BLOCK_ROWS
) -> FloatArray:
    """Return ``each`` so many numbers for each row of X, computed by a function of blocks of rows.

    Many rows are computed by several threads; the numbers do not depend on how many.
    """
    out = np.empty((*each, X.shape[0]))

    def fill(rows: slice) -> None:
        with np.errstate(over="ignore"):
            out[..., rows] = function(X[rows])

    map_blocks(fill, X.shape[0], block_rows)
    return out


def distances_from(X: Any, middle: FloatArray, block_rows: int = BLOCK_ROWS) -> FloatArray:
    """Return the Euclidean distance of each row of X from a point, by blocks of rows."""

    def squares(part: Any) -> FloatArray:
        if sparse.issparse(part):
            part = part.astype(float)
            return np.asarray(part.multiply(part).sum(axis=1)).ravel()
        part = part - middle
        return np.asarray(np.einsum("ij,ij->i", part, part))

    return np.sqrt(by_blocks(squares, X, block_rows=block_rows))


def radii_of_matrix(K: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the distance of each sample from the medoid, in the feature space of the kernel.

    The medoid is the sample of smallest median distance. Beyond ``MATRIX_ROWS`` samples, where it
    is too expensive, all radii are zero.
    """
    if len(K) > MATRIX_ROWS:
        return np.zeros(len(K))
    diagonal = np.diag(K)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.nan_to_num(np.maximum(diagonal[:, None] + diagonal - 2 * K, 0.0), nan=np.inf)
    middle = weighted_median(squares, weights)
    return np.sqrt(squares[:, np.argmin(middle)])


def near_rows(radius: FloatArray, weights: FloatArray, far_out: float = SCREEN_RADIUS) -> BoolArray:
    """Return the mask of the samples whose radius is at most ``far_out`` median radii."""
    return radius <= far_out * median_radius(radius, weights)


def median_radius(radius: FloatArray, weights: FloatArray) -> float:
    """Return the median radius; if it is zero, the median of the positive radii."""
    middle = weighted_median(radius, weights)
    if middle == 0 and radius.any():
        middle = weighted_median(radius[radius > 0], weights[radius > 0])
    return float(middle)


def representatives(
    X: Any, weights: FloatArray, radius: FloatArray, count: int
) -> tuple[IntArray, FloatArray]:
    """Return the ascending indices of at most ``count`` representatives, and their multiplicities.

    X, unless None, breaks ties between samples of equal radius.
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
    """Return the order of the samples by radius, ties broken by the features."""
    order = np.argsort(radius, kind="stable")
    steps = np.diff(radius[order]) == 0
    tied = np.r_[steps, False] | np.r_[False, steps]
    if X is not None and tied.any():
        rows = order[tied]
        # Of sparse rows a projection, since a dense copy might not fit into memory.
        features = projection(X[rows])[:, None] if sparse.issparse(X) else X[rows]
        order[tied] = rows[np.lexsort((*features.T[::-1], radius[rows]))]
    return order


def projection(X: Any) -> FloatArray:
    """Return one number for each row of X, which differs between different rows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(X @ np.modf(np.arange(1, X.shape[1] + 1) * np.sqrt(2.0))[0])
