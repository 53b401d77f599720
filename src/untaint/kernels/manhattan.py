"""Manhattan distances by tiles: t = |x - z|_1.

They are computed from differences, which are accurate for outliers too, since no matrix product
gives them.
"""

import numpy as np
from scipy.spatial.distance import cdist

from .arrays import Array, MatrixLike, as_csr, as_dense, either_sparse
from .tiles import Fill


def manhattan_distances(X: MatrixLike, Z: MatrixLike) -> Fill:
    """Return the tile function of |x - z|_1; see :func:`untaint.kernels.tiles.build`."""
    if either_sparse(X, Z):
        from sklearn.metrics.pairwise import manhattan_distances as by_pairs

        A, B = as_csr(X), as_csr(Z)

        def fill_sparse(rows: slice, cols: slice, out: Array, work: Array) -> None:
            np.copyto(
                out, by_pairs(_with_int32(A[rows]), _with_int32(B[cols])), casting="same_kind"
            )

        return fill_sparse

    A, B = as_dense(X), as_dense(Z)

    def fill(rows: slice, cols: slice, out: Array, work: Array) -> None:
        t = out if out.dtype == np.float64 else work
        cdist(A[rows], B[cols], "cityblock", out=t)
        if t is not out:
            np.copyto(out, t, casting="same_kind")

    return fill


def _with_int32(tile: MatrixLike) -> MatrixLike:
    """Convert the indices of a tile to 32 bits, the only ones that scikit-learn accepts."""
    tile.indices = tile.indices.astype(np.int32, copy=False)
    tile.indptr = tile.indptr.astype(np.int32, copy=False)
    return tile
