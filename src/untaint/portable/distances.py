r"""Distances between rows x that come and rows z that are known.

One matrix product gives all squared distances,

.. math:: |x - z|^2 = |x|^2 + |z|^2 - 2 x^T z,

with a rounding error of a few u (|x|^2 + |z|^2). So both sides are measured from the median of the
z, in units in which the kernel has scale one. How far an x lies does no harm: far from all z its
distances are large, and wrong by few digits only. Two far rows next to one another would: whether
there can be any is known of the z alone, and if so the product is done in double precision, and if
that does not serve either, or if a root will be taken of distances near zero, distances are summed
column by column from the differences.

A sum over columns (``fold``) needs memory for two tables of n rows and m columns, whatever the
number of columns; it is the only way for the Manhattan distance.
"""

from typing import Any

import numpy as np

from .value import Value

# Error of a squared distance that a kernel of scale one can bear, in either precision.
TOLERABLE = {np.dtype(np.float32): 1e-6, np.dtype(np.float64): 1e-11}
# Power of the largest number whose square, summed over columns, is a number still.
ROOT = 0.45


def squared_distances(X: Value, Z: Any, root: float) -> Value:
    """Return (root |x - z|)^2, at least zero."""
    centre, z = _centred(Z, root)
    z_norms = np.sum(z * z, axis=1)
    reach = float(z_norms.max(initial=0.0))
    for dtype in (X.arithmetic.working, X.arithmetic.widest):
        if _tolerable(reach, dtype):
            x = ((X.wide() - centre) * root).cast(dtype)
            x = x.clip(float(x.limits.max) ** ROOT)
            norms = (x * x).sum() + z_norms
            return (norms - 2.0 * (x @ z.T)).abs().narrow()
    return X.wide().fold(Z, _square_of(root)).narrow()


def euclidean_distances(X: Value, Z: Any, scale: float) -> Value:
    """Return scale times |x - z|, by differences: a root magnifies rounding errors of squares."""
    x, z, scale = _sides(X, Z, scale)
    return x.fold(z, _square_of(scale)).sqrt().narrow()


def manhattan_distances(X: Value, Z: Any, scale: float) -> Value:
    """Return scale times the sum of |x_j - z_j| over the columns j."""
    x, z, scale = _sides(X, Z, scale)
    return x.fold(z, _size_of(scale)).narrow()


def _square_of(root: float) -> Any:
    def square(a: Value, b: Value) -> Value:
        difference = (a - b) * root if root != 1.0 else a - b
        return difference * difference

    return square


def _size_of(scale: float) -> Any:
    def size(a: Value, b: Value) -> Value:
        difference = (a - b).abs()
        return difference * scale if scale != 1.0 else difference

    return size


def _sides(X: Value, Z: Any, scale: float) -> tuple[Value, Any, float]:
    """Return both sides of a difference, and what it is to be multiplied by.

    If all z are near their centre, both are measured from there in scaled units, and the working
    precision does. Else they stay as they are, for every change would cost digits.
    """
    centre, z = _centred(Z, scale)
    reach = float(np.abs(z).max(initial=0.0)) * np.sqrt(z.shape[1])
    if _tolerable(reach, X.arithmetic.working):
        return ((X.wide() - centre) * scale).narrow(), z, 1.0
    return X.wide(), Z, scale


def _tolerable(reach: float, dtype: np.dtype[Any]) -> bool:
    return reach * float(np.finfo(dtype).eps) <= TOLERABLE[dtype]


def _centred(Z: Any, scale: float) -> tuple[Any, Any]:
    """Return the centre of constant rows, and these rows centred in units of the kernel."""
    centre = np.median(Z, axis=0) if len(Z) else np.zeros(Z.shape[1])
    with np.errstate(over="ignore"):
        return centre, (Z - centre) * scale
