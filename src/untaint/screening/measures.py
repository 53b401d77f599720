r"""The size of a sample: two averages of the standardised distances of its features.

With :math:`z_j` the distance of feature j from its centre over its scale among the central half of
the samples (:mod:`.scales`), the size is

.. math:: \exp\Big(\frac1d \sum_j \log(1 + z_j)\Big) - 1.

It is large for samples that are outlying in most features, and a single heavy-tailed feature
hardly affects it. The root mean square, in units of high quantiles of the features, is large for
samples that are outlying in some of them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from .._typing import BoolArray, FloatArray, IntArray
from .scales import centres_of, quantile, scale_of, scales_of

# Values are clipped here, so that their squares are finite.
MAX_VALUE = 1e150
# A column without larger values counts as constant: its scale has no inverse.
MIN_VALUE = 1e-300
# Central fraction of the samples that determines centres and scales.
CORE_FRACTION = 0.5
HIGH_QUANTILE = 0.9
# Values of dense columns that are measured together, so that they stay in a core's cache.
BLOCK_VALUES = 1 << 18


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
        largest = np.abs(self.X).max(axis=0, initial=0.0)
        if (largest > MAX_VALUE).any():
            self.X = np.clip(self.X, -MAX_VALUE, MAX_VALUE)
        if ((largest > 0) & (largest < MIN_VALUE)).any():
            self.X = np.asfortranarray(np.where(largest < MIN_VALUE, 0.0, self.X))

    def __getitem__(self, j: int) -> tuple[Any, FloatArray]:
        """Return row indices and their entries of column j; all other entries are zero."""
        if not self.sparse:
            return slice(None), self.X[:, j]
        stored = slice(self.X.indptr[j], self.X.indptr[j + 1])
        values = np.clip(np.asarray(self.X.data[stored], dtype=float), -MAX_VALUE, MAX_VALUE)
        return self.X.indices[stored], values

    def blocks(self) -> Iterator[slice]:
        """Return slices of dense columns, narrow where the samples are many."""
        width = max(BLOCK_VALUES // max(self.n, 1), 1)
        for first in range(0, self.d, width):
            yield slice(first, min(first + width, self.d))


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
        if not self.columns.sparse:
            for block in self.columns.blocks():
                inside = self.columns.X[core, block]
                self.centre[block] = centres_of(inside, self.weights[core])
        scale = self._scales(core, 0.5)
        if not first:
            # The core of sparse data is sparser than the rest: bound the decrease of a scale.
            scale = np.where(scale > 0, np.maximum(scale, 0.25 * self.scale), 0.0)
            if not scale.all():
                # A feature is constant in the core: a large scale limits its influence.
                scale = np.where(scale > 0, scale, self._scales(np.full(len(core), True), 1.0))
        self.scale = scale

    def _sizes(self) -> FloatArray:
        """Return the size of every sample."""
        used = self.scale > 0
        total = self._row_sums(np.where(used, self.scale, np.inf), np.log1p)
        return np.expm1(total / max(int(used.sum()), 1))

    def root_mean_square(self, active: BoolArray) -> FloatArray:
        """Return root mean squares of distances over the 0.9 quantiles of ``active`` samples."""
        scale = self._scales(active, HIGH_QUANTILE)
        total = self._row_sums(np.where(scale > 0, scale, np.inf), np.square)
        return np.sqrt(total / self.columns.d)

    def _scales(self, active: BoolArray, fraction: float) -> FloatArray:
        """Return a quantile of the distances of ``active`` samples from the centre, by feature."""
        scales = np.empty(self.columns.d)
        if not self.columns.sparse:
            for block in self.columns.blocks():
                deviations = self.columns.X[active, block] - self.centre[block]
                scales[block] = scales_of(deviations, self.weights[active], fraction)
            return scales
        active_total = float(self.weights[active].sum())
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            weights = self.weights[rows][active[rows]]
            zeros = active_total - float(weights.sum())
            scales[j] = scale_of(np.abs(values[active[rows]]), weights, fraction, zeros)
        return scales

    def _row_sums(
        self, scale: FloatArray, function: Callable[[FloatArray], FloatArray]
    ) -> FloatArray:
        """Return the sum over the features of a function of the standardised distances."""
        total = np.zeros(self.columns.n)
        if not self.columns.sparse:
            for block in self.columns.blocks():
                deviations = self.columns.X[:, block] - self.centre[block]
                total += function(_ratio(deviations, scale[block])).sum(axis=1)
            return total
        for j in range(self.columns.d):
            rows, values = self.columns[j]
            total[rows] += function(_ratio(values, scale[j]))
        return total

    def spread(self, rows: IntArray) -> float:
        """Return the median size of some samples about their own centre; dense X only."""
        X, weights = self.columns.X[rows], self.weights[rows]
        return quantile(row_sizes(X, centres_of(X, weights), self.scale), weights, 0.5)


def row_sizes(X: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the sizes of dense samples, for given centres and scales of the features."""
    used = scale > 0
    ratios = _ratio(X[:, used] - centre[used], scale[used])
    return np.expm1(np.log1p(ratios).sum(axis=1) / max(int(used.sum()), 1))


def _ratio(deviations: FloatArray, scale: Any) -> FloatArray:
    with np.errstate(over="ignore"):
        return np.minimum(np.abs(deviations) / scale, MAX_VALUE)
