"""Inner products by tiles: out = <x_i, z_j> + offset, kept finite.

Samples with features of 1e150 have inner products (and powers of them) beyond the max_value float.
Such entries saturate instead of becoming infinite or NaN, without effect on any other entry.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from .arrays import Array, MatrixLike, as_csr, as_dense, either_sparse
from .tiles import TILE, Fill


def sparse_product(X: MatrixLike, Z: MatrixLike) -> Callable[[slice, slice], Any]:
    """Return the tile function of X Z' for CSR matrices, with dense tiles.

    Both factors are split into blocks once, since slicing and transposing CSR matrices costs more
    than many of the products.

    Examples
    --------
    >>> X = as_csr(np.eye(3))
    >>> sparse_product(X, X)(slice(0, 2), slice(0, 2)).shape
    (3, 3)
    """
    left = [X[i : i + TILE] for i in range(0, X.shape[0], TILE)]
    right = [Z[j : j + TILE].T.tocsr() for j in range(0, Z.shape[0], TILE)]
    return lambda rows, cols: (left[rows.start // TILE] @ right[cols.start // TILE]).toarray()


def inner_products(
    X: MatrixLike, Z: MatrixLike, *, dtype: npt.DTypeLike, offset: float = 0.0, degree: int = 1
) -> Fill:
    """Return the tile function of <x, z> + offset, bounded so that its power is finite.

    Parameters
    ----------
    X, Z : arrays or CSR of shapes (n, d) and (m, d)
    dtype : dtype
        Number type of the tiles.
    offset : float
        Added to every product.
    degree : int
        Power that the caller will take.
    """
    dtype = np.dtype(dtype)
    max_value = float(np.finfo(dtype).max) ** (1 / max(degree, 1)) * (1 - 1e-6)
    x, z = _max_abs(X), _max_abs(Z)
    bound = max(x, z, X.shape[1] * x * z + abs(offset))
    if not either_sparse(X, Z) and bound <= max_value:
        A, B = X.astype(dtype, copy=False), Z.astype(dtype, copy=False)

        def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
            np.matmul(A[rows], B[cols].T, out=out)
            if offset:
                np.add(out, offset, out=out)

        return fill

    product = _bounded_product(X, Z)

    def fill_bounded(rows: slice, cols: slice, out: Array, work: Array) -> None:
        tile = product(rows, cols)
        tile += offset
        np.clip(tile, -max_value, max_value, out=tile)
        np.copyto(out, tile, casting="same_kind")

    return fill_bounded


def _bounded_product(X: MatrixLike, Z: MatrixLike) -> Callable[[slice, slice], Array]:
    """Return float64 products of X and Z, clipped to where their squares do not overflow."""
    limit = 1e150 / np.sqrt(max(X.shape[1], 1))
    if either_sparse(X, Z):
        X, Z = as_csr(X).copy(), as_csr(Z).copy()
        for rows in (X, Z):
            np.clip(rows.data, -limit, limit, out=rows.data)
        return sparse_product(X, Z)
    A, B = (np.clip(as_dense(M), -limit, limit) for M in (X, Z))
    return lambda rows, cols: A[rows] @ B[cols].T


def _max_abs(X: MatrixLike) -> float:
    values = X.data if either_sparse(X, X) else X
    return float(max(values.max(), -values.min())) if values.size else 0.0


def squared_norms(X: MatrixLike) -> Array:
    """Return the squared Euclidean norms of the rows in float64, infinite where they overflow.

    Examples
    --------
    >>> squared_norms(np.array([[3.0, 4.0]]))
    array([25.])
    """
    with np.errstate(over="ignore"):
        if either_sparse(X, X):
            rows = as_csr(X)
            return np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
        rows = as_dense(X)
        return np.einsum("ij,ij->i", rows, rows)
