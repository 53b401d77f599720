"""The two sides of a squared distance: rows prepared for the product and for differences.

``DenseSides`` and ``SparseSides`` offer the same: ``left_norm`` and ``right_norm``, the squared
norms of the scaled rows of X and Z; ``product``, a tile of the squared distances by one matrix
product; ``difference_tile`` and ``differences``, the same from x - z, of a tile or of single
pairs, slower, accurate and not yet scaled.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from .arrays import Array, Design
from .products import SparseProduct

FAR = 1e140  # scaled coordinates are cut off here: beyond it their squares would overflow
REACH_SINGLE = 8.0  # largest |x|^2 + |z|^2 whose rounding in float32 (below 1e-6) is tolerable
SAMPLE = 255  # rows whose median is the centre


class DenseSides:
    """Rows as arrays, centred and prepared for the product."""

    def __init__(self, X: Array, Z: Array | None, root: float, single: bool) -> None:
        self.X, self.Z = X, X if Z is None else Z
        centre = _centre(self.Z)
        right = _augmented(self.Z, centre, root)
        left = right.copy() if Z is None else _augmented(X, centre, root)
        np.negative(left[:, :-2], out=left[:, :-2])
        left[:, [-2, -1]] = left[:, [-1, -2]]
        self.left_norm, self.right_norm = left[:, -1].copy(), right[:, -2].copy()
        self.left, self.right = left, right
        self.single = (left.astype(np.float32), right.astype(np.float32)) if single else None
        reach = self.left_norm.max(initial=0.0) + self.right_norm.max(initial=0.0)
        if single and reach <= REACH_SINGLE:
            self.left = self.right = np.empty((0, 0))  # not needed: leave the memory to the result

    def product(self, rows: slice, cols: slice, out: Array) -> None:
        """Tile of the scaled squared distances, by one matrix product."""
        np.matmul(self.left[rows], self.right[cols].T, out=out)

    def difference_tile(self, rows: slice, cols: slice, out: Array) -> None:
        """Tile of the squared distances, by differences."""
        cdist(self.X[rows], self.Z[cols], "sqeuclidean", out=out)

    def differences(self, i: Array, j: Array) -> Array:
        """Squared distances of the pairs (x_i, z_j), by differences."""
        D = self.X[i] - self.Z[j]
        total: Array = np.einsum("ij,ij->i", D, D)
        return total


class SparseSides:
    """Rows as CSR; zero is the centre, for any other would fill them."""

    single = None

    def __init__(self, X: Design, Z: Design | None, root: float) -> None:
        self.X, self.Z = X, X if Z is None else Z
        left = _scaled(X, root)
        right = left if Z is None else _scaled(Z, root)
        self.left_norm, self.right_norm = _half_norms(left), _half_norms(right)
        self._product = SparseProduct(left, right)

    def product(self, rows: slice, cols: slice, out: Array) -> None:
        """Tile of the scaled squared distances, by one matrix product."""
        np.add(self.left_norm[rows, None], self.right_norm[cols], out=out)
        out -= self._product(rows, cols)

    def difference_tile(self, rows: slice, cols: slice, out: Array) -> None:
        """Tile of the squared distances, by differences."""
        A, B = self.X[rows], self.Z[cols]
        used = np.union1d(A.indices, B.indices)
        cdist(A[:, used].toarray(), B[:, used].toarray(), "sqeuclidean", out=out)

    def differences(self, i: Array, j: Array) -> Array:
        """Squared distances of the pairs (x_i, z_j), by differences."""
        D = self.X[i] - self.Z[j]
        return np.asarray(D.multiply(D).sum(axis=1)).ravel()


def _augmented(X: Array, centre: Array, root: float) -> Array:
    """Rows [sqrt(2) root (x - c), root^2 |x - c|^2, 1]."""
    n, d = X.shape
    rows = np.empty((n, d + 2))
    body = rows[:, :d]
    np.subtract(X, centre, out=body)
    body *= np.sqrt(2.0) * root
    np.clip(body, -FAR, FAR, out=body)
    rows[:, d] = 0.5 * np.einsum("ij,ij->i", body, body)
    rows[:, d + 1] = 1.0
    return rows


def _centre(Z: Array) -> Array:
    """Coordinate-wise (lower) median of at most SAMPLE rows spread over ``Z``."""
    if not len(Z):
        return np.zeros(Z.shape[1])
    sample = Z[:: -(-len(Z) // SAMPLE)]
    middle = (len(sample) - 1) // 2
    median: Array = np.partition(sample, middle, axis=0)[middle]
    return median


def _scaled(X: Design, root: float) -> Design:
    scaled = X.copy()
    scaled.data *= np.sqrt(2.0) * root
    np.clip(scaled.data, -FAR, FAR, out=scaled.data)
    return scaled


def _half_norms(X: Design) -> Array:
    return 0.5 * np.asarray(X.multiply(X).sum(axis=1)).ravel()
