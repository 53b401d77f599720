"""A batch of noisy rows with the declared noise covariance."""

from dataclasses import dataclass, replace
from typing import Self, final

import numpy as np

from .._typing import FloatArray, IntArray
from .noise import Noise, RowNoise, noise_of
from .replicates import Measurements, measurements


@final
@dataclass(eq=False)
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
    X_true: FloatArray | None = None  # true features of some rows, NaN in the others
    estimates_noise: bool = False  # whether the noise, or its factor, is to be estimated

    def __getitem__(self, rows: slice | IntArray) -> Self:
        weights = self.sample_weight
        return replace(
            self,
            X=self.X[rows],
            y=self.y[rows],
            X_copy=None if self.X_copy is None else self.X_copy[..., rows, :],
            noise=noise_of(self.noise, rows),
            sample_weight=None if weights is None else weights[rows],
            rows=None,
            X_true=None if self.X_true is None else self.X_true[rows],
        )

    @property
    def n_copies(self) -> int:
        """The number of copies of each row, one or two, if it is the same for all."""
        return 1 if self.X_copy is None else 2

    @property
    def has_replicates(self) -> bool:
        """Whether the number of copies may differ between rows, or the noise is estimated."""
        several = self.X_copy is not None and self.X_copy.ndim == 3
        return several or self.X_true is not None or self.estimates_noise

    def refuse_replicates(self, learner: str) -> None:
        """Raise an error for a learner that takes one copy of every row at most."""
        if self.has_replicates:
            raise ValueError(
                f"X_copy must be one copy of every row in {learner}: several copies, copies of "
                "some rows only, estimated noise, and X_true are for the linear learners."
            )

    def weight_per_copy(self) -> float:
        """Return the sum over rows of weight / number of copies."""
        if self.has_replicates:
            per_copy = self._measurements().per_copy
            return float(
                np.sum(per_copy if self.sample_weight is None else self.sample_weight * per_copy)
            )
        n = len(self.y) if self.sample_weight is None else float(self.sample_weight.sum())
        return n / self.n_copies

    def merged(self) -> tuple[FloatArray, Noise]:
        """Return the mean of the copies of each row, and the noise of that mean.

        The mean of two copies has half of their noise covariance; if that is unknown, a quarter of
        (a - b) (a - b)' has it as its expectation. The mean's outer product less that quarter is (a
        b' + b a') / 2, the cross product of the two copies.
        """
        if self.has_replicates:
            return self._merged_replicates()
        if self.X_copy is None:
            assert self.noise is not None
            return self.X, self.noise
        mean = (self.X + self.X_copy) / 2
        if self.noise is None:
            return mean, RowNoise("roots", (self.X - self.X_copy) / 2)
        if isinstance(self.noise, RowNoise):
            return mean, RowNoise(self.noise.kind, self.noise.values / 2.0)
        return mean, self.noise / 2

    def _measurements(self) -> Measurements:
        copies = np.empty((0, *self.X.shape)) if self.X_copy is None else self.X_copy
        return measurements(self.X, copies.reshape(-1, *self.X.shape), self.X_true)

    def _merged_replicates(self) -> tuple[FloatArray, Noise]:
        mean, deviations, freedom, per_copy = self._measurements()
        if self.noise is None or self.estimates_noise:
            shape = None if isinstance(self.noise, RowNoise) else self.noise
            return mean, RowNoise("replicates", deviations, shape, freedom, per_copy)
        if not isinstance(self.noise, RowNoise):
            return mean, RowNoise("factors", per_copy, cov=self.noise)
        factors = per_copy.reshape(-1, *(1 for _ in self.noise.values.shape[1:]))
        return mean, RowNoise(self.noise.kind, self.noise.values * factors)


def augmented_rows(
    Z: FloatArray,
    y: FloatArray,
    sample_weight: FloatArray | None,
    origin: FloatArray | None = None,
    *,
    rows: FloatArray | None = None,
) -> FloatArray:
    """Return rows (1, z, y) less an origin (0, z, y), multiplied by the root of their weight.

    They are computed in place if ``rows`` is given, which must be (1, z, y).
    """
    if rows is None:
        by_column = Z.strides[0] < Z.strides[1]  # as in data frames; their layout is kept
        rows = np.empty((len(y), Z.shape[1] + 2), order="F" if by_column else "C")
        rows[:, 0] = 1.0
        rows[:, 1:-1], rows[:, -1] = Z, y
    if origin is not None:
        rows -= origin
    if sample_weight is not None:
        rows *= np.sqrt(sample_weight)[:, None]
    return rows
