"""The two factors of a squared distance, prepared for matrix products and for differences.

``DenseSides``, ``WideSides`` and ``SparseSides`` have the same interface: ``left_norm`` and
``right_norm``, the squared norms of the scaled rows of X and Z; ``product``, a tile of the squared
distances by one matrix product; ``difference_tile`` and ``differences``, the unscaled squared
distances of a tile or of single pairs from x - z, slower but accurate.
"""

import numpy as np
from scipy.spatial.distance import cdist

from .arrays import Array, MatrixLike
from .products import sparse_product

MAX_COORDINATE = 1e140  # scaled coordinates are clipped here: beyond it their squares overflow
MAX_SINGLE_NORM = 8.0  # largest |x|^2 + |z|^2 whose rounding in float32 (below 1e-6) is tolerable
CENTRE_ROWS = 255  # samples whose median is the centre; of wide rows fewer
CENTRE_VALUES = 1 << 18
WIDE = 512  # columns beyond which a copy of X costs more than a pass over a tile


class Differences:
    """Squared distances of dense X and Z by differences; Z is X if None."""

    def __init__(self, X: Array, Z: Array | None) -> None:
        self.X, self.Z = X, X if Z is None else Z

    def difference_tile(self, rows: slice, cols: slice, out: Array) -> None:
        """Compute a tile of the squared distances, by differences."""
        cdist(self.X[rows], self.Z[cols], "sqeuclidean", out=out)

    def differences(self, i: Array, j: Array) -> Array:
        """Return the squared distances of the pairs (x_i, z_j), by differences."""
        D = self.X[i] - self.Z[j]
        return np.einsum("ij,ij->i", D, D)


class DenseSides(Differences):
    """Dense X and Z, centred and augmented for the product."""

    def __init__(self, X: Array, Z: Array | None, root: float, single: bool) -> None:
        super().__init__(X, Z)
        centre = _centre(self.Z)
        right = _augmented(self.Z, centre, root)
        left = right.copy() if Z is None else _augmented(X, centre, root)
        np.negative(left[:, :-2], out=left[:, :-2])
        left[:, [-2, -1]] = left[:, [-1, -2]]
        self.left_norm, self.right_norm = left[:, -1].copy(), right[:, -2].copy()
        self.left, self.right = left, right
        self.single = (left.astype(np.float32), right.astype(np.float32)) if single else None
        max_norm = self.left_norm.max(initial=0.0) + self.right_norm.max(initial=0.0)
        if single and max_norm <= MAX_SINGLE_NORM:
            self.left = self.right = np.empty((0, 0))  # not needed: free the memory

    def product(self, rows: slice, cols: slice, out: Array) -> None:
        """Compute a tile of the scaled squared distances, by one matrix product."""
        np.matmul(self.left[rows], self.right[cols].T, out=out)


class WideSides(Differences):
    """Dense X and Z of many columns, centred; norms are added to the product, tile by tile."""

    single = None

    def __init__(self, X: Array, Z: Array | None, root: float) -> None:
        super().__init__(X, Z)
        centre = _centre(self.Z)
        self.right = _centred(self.Z, centre, root, np.empty(self.Z.shape))
        self.left = self.right if Z is None else _centred(X, centre, root, np.empty(X.shape))
        self.right_norm = 0.5 * np.einsum("ij,ij->i", self.right, self.right)
        self.left_norm = self.right_norm
        if Z is not None:
            self.left_norm = 0.5 * np.einsum("ij,ij->i", self.left, self.left)

    def product(self, rows: slice, cols: slice, out: Array) -> None:
        """Compute a tile of the scaled squared distances, by one matrix product."""
        np.matmul(self.left[rows], self.right[cols].T, out=out)
        np.subtract(self.right_norm[cols], out, out=out)
        out += self.left_norm[rows, None]


class SparseSides:
    """X and Z in CSR format; the centre is zero, since any other would make them dense."""

    single = None

    def __init__(self, X: MatrixLike, Z: MatrixLike | None, root: float) -> None:
        self.X, self.Z = X, X if Z is None else Z
        left = _scaled(X, root)
        right = left if Z is None else _scaled(Z, root)
        self.left_norm, self.right_norm = _half_norms(left), _half_norms(right)
        self._product = sparse_product(left, right)

    def product(self, rows: slice, cols: slice, out: Array) -> None:
        """Compute a tile of the scaled squared distances, by one matrix product."""
        np.add(self.left_norm[rows, None], self.right_norm[cols], out=out)
        out -= self._product(rows, cols)

    def difference_tile(self, rows: slice, cols: slice, out: Array) -> None:
        """Compute a tile of the squared distances, by differences."""
        A, B = self.X[rows], self.Z[cols]
        used = np.union1d(A.indices, B.indices)
        cdist(A[:, used].toarray(), B[:, used].toarray(), "sqeuclidean", out=out)

    def differences(self, i: Array, j: Array) -> Array:
        """Return the squared distances of the pairs (x_i, z_j), by differences."""
        D = self.X[i] - self.Z[j]
        return np.asarray(D.multiply(D).sum(axis=1)).ravel()


def _augmented(X: Array, centre: Array, root: float) -> Array:
    """Return the rows [sqrt(2) root (x - c), root^2 |x - c|^2, 1]."""
    n, d = X.shape
    rows = np.empty((n, d + 2))
    body = _centred(X, centre, root, rows[:, :d])
    rows[:, d] = 0.5 * np.einsum("ij,ij->i", body, body)
    rows[:, d + 1] = 1.0
    return rows


def _centred(X: Array, centre: Array, root: float, out: Array) -> Array:
    """Write the rows sqrt(2) root (x - c) into ``out``, and return it."""
    np.subtract(X, centre, out=out)
    out *= np.sqrt(2.0) * root
    if not (out.max(initial=0.0) <= MAX_COORDINATE and out.min(initial=0.0) >= -MAX_COORDINATE):
        np.clip(out, -MAX_COORDINATE, MAX_COORDINATE, out=out)
    return out


def _centre(Z: Array) -> Array:
    """Return the coordinate-wise (lower) median of some rows spread over ``Z``."""
    if not len(Z):
        return np.zeros(Z.shape[1])
    count = max(min(CENTRE_ROWS, CENTRE_VALUES // max(Z.shape[1], 1)), 15)
    sample = Z[:: -(-len(Z) // count)]
    middle = (len(sample) - 1) // 2
    return np.partition(sample, middle, axis=0)[middle]


def _scaled(X: MatrixLike, root: float) -> MatrixLike:
    scaled = X.copy()
    scaled.data *= np.sqrt(2.0) * root
    np.clip(scaled.data, -MAX_COORDINATE, MAX_COORDINATE, out=scaled.data)
    return scaled


def _half_norms(X: MatrixLike) -> Array:
    return 0.5 * np.asarray(X.multiply(X).sum(axis=1)).ravel()
