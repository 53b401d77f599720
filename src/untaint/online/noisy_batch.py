"""A batch of noisy rows with the declared noise covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import FloatArray
from .noise import Noise, RowNoise
from .replicates import measurements


@final
@dataclass(frozen=True)
class NoisyBatch:
    """A NoisyBatch holds rows, optional copies of them, and the noise of one copy if known.

    ``X_copy`` is a second copy (n, d), or several (k, n, d) with NaN where a row has no such copy.
    """

    X: FloatArray
    y: FloatArray
    X_copy: FloatArray | None
    noise: Noise | None
    sample_weight: FloatArray | None = None  # None means unit weights
    rows: FloatArray | None = None  # (1, X, y) if X and y are columns of such an array
    n_following: int = 0  # number of rows that will be learnt before a fit is requested

    @property
    def n_copies(self) -> int:
        """The number of copies of each row, one or two, if it is the same for all."""
        return 1 if self.X_copy is None else 2

    @property
    def has_replicates(self) -> bool:
        """Whether the number of copies may differ between rows."""
        return self.X_copy is not None and self.X_copy.ndim == 3

    def weight_per_copy(self) -> float:
        """Return the sum over rows of weight / number of copies."""
        if self.has_replicates:
            assert self.X_copy is not None
            counts = 1.0 + (~np.isnan(self.X_copy[:, :, 0])).sum(axis=0)
            weight = 1.0 if self.sample_weight is None else self.sample_weight
            return float(np.sum(weight / counts))
        n = len(self.y) if self.sample_weight is None else float(self.sample_weight.sum())
        return n / self.n_copies

    def merged(self) -> tuple[FloatArray, Noise]:
        """Return the mean of the copies of each row, and the noise of that mean.

        The mean of two copies has half of their noise covariance; if that is unknown, a quarter of
        (a - b) (a - b)' has it as its expectation. The mean's outer product less that quarter is (a
        b' + b a') / 2, the cross product of the two copies.
        """
        if self.X_copy is None:
            assert self.noise is not None
            return self.X, self.noise
        if self.has_replicates:
            return self._merged_replicates(self.X_copy)
        mean = (self.X + self.X_copy) / 2
        if self.noise is None:
            return mean, RowNoise("roots", (self.X - self.X_copy) / 2)
        if isinstance(self.noise, RowNoise):
            return mean, self.noise.halved()
        return mean, self.noise / 2

    def _merged_replicates(self, copies: FloatArray) -> tuple[FloatArray, Noise]:
        deviations, counts = measurements(self.X, copies)
        mean = self.X - deviations[0]
        if self.noise is None:
            values = np.ascontiguousarray(deviations.swapaxes(0, 1))
            return mean, RowNoise("replicates", values, counts=counts)
        if not isinstance(self.noise, RowNoise):
            return mean, RowNoise("factors", 1.0 / counts, cov=self.noise)
        per_copy = counts.reshape(-1, *(1 for _ in self.noise.values.shape[1:]))
        return mean, RowNoise(self.noise.kind, self.noise.values / per_copy)


def augmented_rows(
    Z: FloatArray,
    y: FloatArray,
    sample_weight: FloatArray | None,
    origin: FloatArray | None = None,
    target_origin: float = 0.0,
    *,
    rows: FloatArray | None = None,
) -> FloatArray:
    """Return rows (1, z - origin, y - target_origin), multiplied by the root of their weight.

    They are computed in place if ``rows`` is given, which must be (1, z, y).
    """
    if rows is None:
        by_column = Z.strides[0] < Z.strides[1]  # as in data frames; their layout is kept
        rows = np.empty((len(y), Z.shape[1] + 2), order="F" if by_column else "C")
        rows[:, 0] = 1.0
        rows[:, 1:-1], rows[:, -1] = Z, y
    if origin is not None:
        rows[:, 1:-1] -= origin
    if target_origin:
        rows[:, -1] -= target_origin
    if sample_weight is not None:
        rows *= np.sqrt(sample_weight)[:, None]
    return rows
