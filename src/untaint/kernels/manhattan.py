"""Manhattan distances by tiles: t = |x - z|_1.

No matrix product gives these, so they come from the differences themselves, which are accurate
wherever the rows lie.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from .arrays import Array, Design, as_csr, as_dense, either_sparse
from .tiles import Fill


def manhattan_distances(X: Design, Z: Design) -> Fill:
    """Tile function of |x - z|_1, from the differences themselves.

    Parameters
    ----------
    X, Z : arrays or CSR of shapes (n, d) and (m, d)

    Returns
    -------
    callable
        As :func:`untaint.kernels.tiles.build` takes it.

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [0.0, 0.0]])
    >>> out = np.empty((2, 2))
    >>> manhattan_distances(X, X)(slice(0, 2), slice(0, 2), out, out)
    >>> out
    array([[0., 3.],
           [3., 0.]])
    """
    if either_sparse(X, Z):
        from sklearn.metrics.pairwise import manhattan_distances as by_pairs

        A, B = as_csr(X), as_csr(Z)

        def fill_sparse(rows: slice, cols: slice, out: Array, work: Array) -> None:
            np.copyto(out, by_pairs(_slim(A[rows]), _slim(B[cols])), casting="same_kind")

        return fill_sparse

    A, B = as_dense(X), as_dense(Z)

    def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
        t = out if out.dtype == np.float64 else work
        cdist(A[rows], B[cols], "cityblock", out=t)
        if t is not out:
            np.copyto(out, t, casting="same_kind")

    return fill


def _slim(tile: Design) -> Design:
    """The tile with 32-bit indices, the only ones that scikit-learn's loop takes."""
    tile.indices = tile.indices.astype(np.int32, copy=False)
    tile.indptr = tile.indptr.astype(np.int32, copy=False)
    return tile
