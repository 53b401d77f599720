"""Tiles of a kernel matrix that the formulas of kernels overwrite.

Every kernel writes its formula once, with operators and methods, such as ``(-t).exp()``. On
`InPlace` it works on a tile without further memory; on :class:`untaint.portable.Value` it works on
arrays of any library, or becomes a graph.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array


class InPlace:
    """An array that every operation overwrites, so that each intermediate result is used once.

    Parameters
    ----------
    data : array
    work : array, optional
        Memory for `copy`, at least as many bytes as the data have.
    fast_log : bool
        Whether float32 logarithms may round 1 + t. NumPy has a vectorised float32 log but no log1p.

    Examples
    --------
    >>> from untaint.kernels.in_place import InPlace
    >>> (-InPlace(np.array([0.0, 1.0, 740.0]))).exp().data.round(3)
    array([1.   , 0.368, 0.   ])
    """

    def __init__(self, data: Array, work: Array | None = None, *, fast_log: bool = False) -> None:
        self.data = data
        self._work = work
        self._fast_log = fast_log and data.dtype == np.float32

    def __neg__(self) -> InPlace:
        np.negative(self.data, out=self.data)
        return self

    def __radd__(self, other: float) -> InPlace:
        np.add(self.data, other, out=self.data)
        return self

    def __mul__(self, other: float | InPlace) -> InPlace:
        factor = other.data if isinstance(other, InPlace) else other
        np.multiply(self.data, factor, out=self.data)
        return self

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> InPlace:
        if other != 1.0:
            np.divide(self.data, other, out=self.data)
        return self

    def __rtruediv__(self, other: float) -> InPlace:
        np.divide(other, self.data, out=self.data)
        return self

    def exp(self) -> InPlace:
        """Take exponentials, 0 where they are below the smallest normal number.

        Outliers produce many such entries. Computing them takes four times as long as others, and
        so does every product with the denormal results.
        """
        t = self.data
        smallest = np.log(np.finfo(t.dtype).tiny)
        if t.size and t.min() < smallest:
            np.copyto(t, -np.inf, where=t < smallest)
        np.exp(t, out=t)
        return self

    def log1p(self) -> InPlace:
        """Take logarithms of 1 + t."""
        if self._fast_log:
            np.add(self.data, 1.0, out=self.data)
            np.log(self.data, out=self.data)
        else:
            np.log1p(self.data, out=self.data)
        return self

    def copy(self) -> InPlace:
        """Return a copy, which further operations leave alone."""
        if self._work is None:
            return InPlace(self.data.copy())
        work = self._work.reshape(-1).view(self.data.dtype)[: self.data.size]
        np.copyto(work.reshape(self.data.shape), self.data)
        return InPlace(work.reshape(self.data.shape))

    def ones(self) -> InPlace:
        """Fill the array with ones."""
        self.data.fill(1.0)
        return self
