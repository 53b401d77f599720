r"""The size of a sample: two averages of the standardised distances of its features.

With :math:`z_j` the distance of feature j from its centre over its scale among the central half of
the samples (:mod:`.scales`), the size is

.. math:: \exp\Big(\frac1d \sum_j \log(1 + z_j)\Big) - 1.

It is large for samples that are outlying in most features, and a single heavy-tailed feature
hardly affects it. The root mean square, in units of high quantiles of the features, is large for
samples that are outlying in some of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray
from .scales import centre_of, quantile, scale_of

# Values are clipped here, so that their squares are finite.
MAX_VALUE = 1e150
# Central fraction of the samples that determines centres and scales.
CORE_FRACTION = 0.5
HIGH_QUANTILE = 0.9


class Columns:
    """Access to single columns of a dense or sparse matrix."""

    def __init__(self, X: Any) -> None:
        self.n, self.d = X.shape
        self.sparse = bool(sparse.issparse(X))
        self.X: Any
        if self.sparse:
            self.X = X.tocsc()
            self.X.sum_duplicates()
            return
        self.X = np.asfortranarray(X, dtype=float)
        if self.X.size and np.abs(self.X).max() > MAX_VALUE:
            self.X = np.clip(self.X, -MAX_VALUE, MAX_VALUE)

    def __getitem__(self, j: int) -> tuple[Any, FloatArray]:
        """Return row indices and their entries of column j; all other entries are zero."""
        if not self.sparse:
            return slice(None), self.X[:, j]
        stored = slice(self.X.indptr[j], self.X.indptr[j + 1])
        values = np.clip(np.asarray(self.X.data[stored], dtype=float), -MAX_VALUE, MAX_VALUE)
        return self.X.indices[stored], values


class Measures:
    """Centre and scale of every feature, and the size of every sample; weights are positive."""

    def __init__(self, columns: Columns, weights: FloatArray) -> None:
        self.columns, self.weights = columns, weights
        self.centre, self.scale = np.zeros((2, columns.d))
        self._measure(np.full(columns.n, True), first=True)
        for _ in range(2):
            size = self._sizes()
            self._measure(size <= quantile(size, weights, CORE_FRACTION), first=False)
        self.size = self._sizes()

    def _measure(self, core: BoolArray, first: bool) -> None:
        """Estimate centre and scale of each feature from the samples of the core."""
        core_total = float(self.weights[core].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            inside = core[rows]
            weights = self.weights[rows][inside]
            if not self.columns.sparse:
                self.centre[j] = centre_of(values[inside], weights)
            z = np.abs(values - self.centre[j])
            scale = scale_of(z[inside], weights, zeros=core_total - float(weights.sum()))
            if first:
                self.scale[j] = scale
            elif scale > 0:
                # The core of sparse data is sparser than the rest: bound the decrease of a scale.
                self.scale[j] = max(scale, 0.25 * self.scale[j])
            else:
                # The feature is constant in the core: a large scale limits its influence.
                self.scale[j] = z.max(initial=0.0)

    def _sizes(self) -> FloatArray:
        """Return the size of every sample."""
        total = np.zeros(self.columns.n)
        used = np.flatnonzero(self.scale > 0).tolist()
        for j in used:
            rows, values = self.columns[j]
            total[rows] += np.log1p(_ratio(values - self.centre[j], self.scale[j]))
        return np.expm1(total / max(len(used), 1))

    def root_mean_square(self, active: BoolArray) -> FloatArray:
        """Return root mean squares of distances over the 0.9 quantiles of ``active`` samples."""
        total = np.zeros(self.columns.n)
        active_total = float(self.weights[active].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            z, weights = np.abs(values - self.centre[j]), self.weights[rows][active[rows]]
            zeros = active_total - float(weights.sum())
            scale = scale_of(z[active[rows]], weights, HIGH_QUANTILE, zeros)
            if scale > 0:
                total[rows] += _ratio(z, scale) ** 2
        return np.sqrt(total / self.columns.d)

    def spread(self, rows: IntArray) -> float:
        """Return the median size of some samples about their own centre; dense X only."""
        X, weights = self.columns.X[rows], self.weights[rows]
        middle = np.array([centre_of(x, weights) for x in X.T])
        return quantile(row_sizes(X, middle, self.scale), weights, 0.5)


def row_sizes(X: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the sizes of dense samples, for given centres and scales of the features."""
    used = scale > 0
    ratios = _ratio(X[:, used] - centre[used], scale[used])
    return np.expm1(np.log1p(ratios).sum(axis=1) / max(int(used.sum()), 1))


def _ratio(deviations: FloatArray, scale: Any) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.minimum(np.abs(deviations) / scale, MAX_VALUE)
