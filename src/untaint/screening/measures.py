r"""The size of a row, by the distances of its features from their centres.

With :math:`z_j` the distance of feature j from its centre over its scale among the central half of
the rows (:mod:`.scales`), the size is

.. math:: \exp\Big(\frac1d \sum_j \log(1 + z_j)\Big) - 1.

It is large for rows that are far out in most features, and one heavy-tailed feature hardly moves
it. The root mean square, in units of high quantiles, sees rows that are far out in some.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray
from .scales import centre_of, quantile, scale_of

# Beyond it numbers are as good as equal, and their squares finite.
LARGEST = 1e150
# Rows that say how large features usually are: these of the nearest.
CORE = 0.5
HIGH = 0.9


class Columns:
    """Columns of dense or sparse rows, one at a time."""

    def __init__(self, X: Any) -> None:
        self.n, self.d = X.shape
        self.sparse = bool(sparse.issparse(X))
        self.X: Any
        if self.sparse:
            self.X = X.tocsc()
            self.X.sum_duplicates()
            return
        self.X = np.asfortranarray(X, dtype=float)
        if self.X.size and np.abs(self.X).max() > LARGEST:
            self.X = np.clip(self.X, -LARGEST, LARGEST)

    def __getitem__(self, j: int) -> tuple[Any, FloatArray]:
        """Rows, and their entries of column j; the entries of all other rows are zero."""
        if not self.sparse:
            return slice(None), self.X[:, j]
        stored = slice(self.X.indptr[j], self.X.indptr[j + 1])
        values = np.clip(np.asarray(self.X.data[stored], dtype=float), -LARGEST, LARGEST)
        return self.X.indices[stored], values


class Measures:
    """Centre and scale of every column, and the size of every row.

    Parameters
    ----------
    columns : Columns
    weights : array of shape (n,), positive
        A weight of k is k copies of the row.
    """

    def __init__(self, columns: Columns, weights: FloatArray) -> None:
        self.columns = columns
        self.weights = weights
        self.centre = np.zeros(columns.d)
        self.scale = np.zeros(columns.d)
        self._measure(np.full(columns.n, True), first=True)
        for _ in range(2):
            size = self._sizes()
            self._measure(size <= quantile(size, weights, CORE), first=False)
        self.size = self._sizes()

    def _measure(self, core: BoolArray, first: bool) -> None:
        """Centre and scale among the core."""
        core_total = float(self.weights[core].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            inside, weights = core[rows], self.weights[rows]
            if not self.columns.sparse:
                self.centre[j] = centre_of(values[inside], weights[inside])
            z = np.abs(values - self.centre[j])
            zeros = core_total - float(weights[inside].sum())
            scale = scale_of(z[inside], weights[inside], zeros=zeros)
            if first:
                self.scale[j] = scale
            elif scale > 0:
                # The core of sparse rows is sparser still: it may not shrink a scale at will.
                self.scale[j] = max(scale, 0.25 * self.scale[j])
            else:
                # The core says nothing about this column: let it say little about the rows.
                self.scale[j] = z.max(initial=0.0)

    def _sizes(self) -> FloatArray:
        total = np.zeros(self.columns.n)
        used = np.flatnonzero(self.scale > 0).tolist()
        for j in used:
            rows, values = self.columns[j]
            total[rows] += np.log1p(_ratio(values - self.centre[j], self.scale[j]))
        return np.expm1(total / max(len(used), 1))

    def root_mean_square(self, live: BoolArray) -> FloatArray:
        """Of the features, in units of a high quantile of theirs."""
        total = np.zeros(self.columns.n)
        live_total = float(self.weights[live].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            inside, weights = live[rows], self.weights[rows]
            z = np.abs(values - self.centre[j])
            zeros = live_total - float(weights[inside].sum())
            scale = scale_of(z[inside], weights[inside], HIGH, zeros)
            if scale > 0:
                total[rows] += _ratio(z, scale) ** 2
        return np.sqrt(total / self.columns.d)

    def spread(self, rows: IntArray) -> float:
        """Median size of rows about their own centre, of dense rows."""
        weights, used = self.weights[rows], np.flatnonzero(self.scale > 0)
        total = np.zeros(len(rows))
        for j in used:
            values = self.columns.X[rows, j]
            middle = centre_of(values, weights)
            total += np.log1p(_ratio(values - middle, self.scale[j]))
        return quantile(np.expm1(total / max(len(used), 1)), weights, 0.5)


def row_sizes(X: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Sizes of dense rows, by centres and scales that others have set.

    Examples
    --------
    >>> import numpy as np
    >>> row_sizes(np.array([[3.0], [-1.0]]), np.array([1.0]), np.array([2.0]))
    array([1., 1.])
    """
    used = scale > 0
    ratios = np.minimum(np.abs(X[:, used] - centre[used]) / scale[used], LARGEST)
    return np.expm1(np.log1p(ratios).sum(axis=1) / max(int(used.sum()), 1))


def _ratio(deviations: FloatArray, scale: float) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.minimum(np.abs(deviations) / scale, LARGEST)
