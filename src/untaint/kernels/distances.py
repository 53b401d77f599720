r"""Scaled squared distances by tiles, accurate even for samples far from the others.

With x, z measured from a centre and multiplied by ``root``, one matrix product gives

.. math::

    t = |x - z|^2 = [-\sqrt2 x, 1, |x|^2] \cdot [\sqrt2 z, |z|^2, 1]

with a rounding error of a few u (|x|^2 + |z|^2), where u is the unit roundoff. It is negligible for
most samples, even in float32, but not for samples far from the centre. Therefore

* the centre is a coordinate-wise median, which is robust to outliers;
* samples too far for float32 are multiplied in float64, and only these, so that the kernel values
  of a sample do not depend on which other samples are in its tile;
* entries too small relative to |x|^2 + |z|^2 even for float64 (two outliers close to one another)
  are recomputed from the difference x - z.
"""

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from .._remembered import remembered
from .arrays import Array, MatrixLike, as_csr, as_dense, either_sparse
from .sides import MAX_SINGLE_NORM, WIDE, DenseSides, SparseSides, WideSides
from .tiles import build

ROUNDING = 5e-16  # error of the float64 product relative to |x|^2 + |z|^2
FEW_ROWS = 1000  # samples of many columns whose distances serve every scale


class SquaredDistances:
    """The tile function of (root |x - z|_2)^2.

    Parameters
    ----------
    X, Z : arrays or CSR of shapes (n, d) and (m, d)
    root : float
        Factor of the distance |x - z|_2.
    dtype : dtype
        Precision of the tiles.
    rooted : bool
        Whether the caller will take the square root, which amplifies errors of small distances.
    as_given : bool
        Whether distances of few samples of many columns are not to be taken from known ones.

    Examples
    --------
    >>> X, Z = np.array([[0.0], [1e12]]), np.array([[3.0], [1e12]])
    >>> out = np.empty((2, 2))
    >>> tile = SquaredDistances(X, Z, root=1.0, dtype=float)
    >>> tile(slice(0, 2), slice(0, 2), out, np.empty((2, 2)))
    >>> out.round()
    array([[9.e+00, 1.e+24],
           [1.e+24, 0.e+00]])
    """

    def __init__(
        self,
        X: MatrixLike,
        Z: MatrixLike,
        *,
        root: float,
        dtype: npt.DTypeLike,
        rooted: bool = False,
        as_given: bool = False,
    ) -> None:
        self.root, self.rooted = root, rooted
        self.tolerance = 1e-11 if np.dtype(dtype) == np.float64 else 1e-8
        self.known: Array | None = None
        few = X.shape[0] <= FEW_ROWS and X.shape[1] > WIDE and not either_sparse(X, Z)
        if few and Z is X and not as_given:
            self.known, unit = squared_distances(X)
            self.root *= unit
            return
        self.sides: SparseSides | DenseSides | WideSides
        with np.errstate(over="ignore"):
            if either_sparse(X, Z):
                self.sides = SparseSides(as_csr(X), None if Z is X else as_csr(Z), root)
            else:
                rows, others = as_dense(X), None if Z is X else as_dense(Z)
                single = np.dtype(dtype) == np.float32 and not rooted
                if single or X.shape[1] <= WIDE:
                    self.sides = DenseSides(rows, others, root, single)
                else:
                    self.sides = WideSides(rows, others, root)

    def __call__(self, rows: slice, cols: slice, out: Array, work: Array) -> None:
        """Write the tile of the given rows and columns into ``out``."""
        if self.known is not None:
            np.multiply(self.known[rows, cols], self.root * self.root, out=out, casting="same_kind")
            return
        sides = self.sides
        max_norm = float(sides.left_norm[rows].max() + sides.right_norm[cols].max())
        if sides.single is not None and max_norm <= MAX_SINGLE_NORM:
            A, B = sides.single
            np.matmul(A[rows], B[cols].T, out=out)
            np.abs(out, out=out)
            return
        t = out if out.dtype == np.float64 else work
        sides.product(rows, cols, t)
        self._refine(rows, cols, t, max_norm, spare=work if t is out else out)
        if not self.rooted:  # with a root, _refine leaves nothing negative
            np.abs(t, out=t)
        if t is not out:
            np.copyto(out, t, casting="same_kind")
        if sides.single is not None:
            self._single_near_rows(rows, cols, out)

    def _single_near_rows(self, rows: slice, cols: slice, out: Array) -> None:
        """Recompute the rows near the centre in float32, as in a tile without distant samples."""
        assert self.sides.single is not None
        norms = self.sides.left_norm[rows] + self.sides.right_norm[cols].max()
        near = norms <= MAX_SINGLE_NORM
        if near.any():
            A, B = self.sides.single
            out[near] = np.abs(np.matmul(A[rows], B[cols].T))[near]

    def _refine(self, rows: slice, cols: slice, t: Array, max_norm: float, spare: Array) -> None:
        """Recompute the entries of ``t`` whose error exceeds the tolerance.

        A relative error below the tolerance is harmless, since every kernel here changes by less
        than the relative change of t; so is, without a root, an absolute one. The root turns an
        error e of t into e / (2 sqrt(t)).
        """
        error = ROUNDING * max_norm / self.tolerance  # upper bound, in units of the tolerance
        if self.rooted:  # the floor is positive, so that no negative entry remains
            floor = max(min(error, 0.25 * error * error), float(np.finfo(np.float64).tiny))
        else:
            floor = error if error > 1.0 else 0.0
        if floor == 0.0 or t.min() >= floor:
            return
        suspect = t < floor
        if np.count_nonzero(suspect) > t.size // 16:
            suspect = self._suspects(rows, cols, t, spare)
        if np.count_nonzero(suspect) > t.size // 16:
            self.sides.difference_tile(rows, cols, t)
            t *= self.root
            t *= self.root
        else:
            i, j = np.nonzero(suspect)
            if self.sides.Z is self.sides.X and rows == cols:  # no difference on the diagonal
                t[i[i == j], j[i == j]] = 0.0
                i, j = i[i != j], j[i != j]
            differences = self.sides.differences(i + rows.start, j + cols.start)
            t[i, j] = differences * self.root * self.root

    def _suspects(self, rows: slice, cols: slice, t: Array, spare: Array) -> Array:
        """Return the mask of the entries to recompute, by the error bound of each entry."""
        norms = self.sides.left_norm[rows, None], self.sides.right_norm[cols]
        error = np.add(*norms, out=spare, casting="same_kind")
        error *= ROUNDING / self.tolerance
        suspect: Array = t < error
        if self.rooted:
            error *= 0.5
            suspect &= t < np.square(error, out=error)
        else:
            suspect &= error > 1.0
        return suspect


def squared_distances(X: MatrixLike) -> tuple[Array, float]:
    """Return all squared distances of X in units of the square of a length, and this length.

    Copies of a sample have a distance of exactly zero.
    """

    def compute() -> tuple[Array, float]:
        unit = _spread(X) or 1.0
        tiles = SquaredDistances(
            X, X, root=1.0 / unit, dtype=np.float64, rooted=True, as_given=True
        )
        n = X.shape[0]
        return build(tiles, (n, n), np.float64, symmetric=True), unit

    return remembered("squared distances", X, compute)


def _spread(X: MatrixLike) -> float:
    """Return the root mean square distance of the samples from their mean."""
    D = X.data if sp.issparse(X) else (X - X.mean(axis=0)).ravel()
    return float(np.sqrt(D @ D / max(X.shape[0], 1)))
