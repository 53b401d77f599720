"""Moments of a stream, in folds, from which every corrected fit is computed.

A round adds :math:`r r^T` for the augmented row :math:`r = (1, z, y)` of constant, features and
target, so that one Gram matrix holds count, means and second moments. Rounds are assigned to folds
in turn: in runs of 4 up to round 64, and then in 16 equal runs between round 2^k and its double.
This allows cross-validation without storing rows, also if consecutive rows are dependent.

``noise`` holds the sums of :math:`E[n n^T]`, by which noise raises the second moments of the
features. Features are measured from an origin near their mean, which avoids cancellation.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import final

import numpy as np
from scipy.linalg.blas import dgemm

from .._typing import FloatArray
from .correction import insert_features
from .noise import Noise, RowNoise
from .replicates import estimate_covariance
from .schedule import FIRST_ROUNDS, N_FOLDS

_MAX_WIDTH, _MAX_ROWS = 24, 1024  # of blocks for which a general product is the fastest


@final
class Moments:
    """Moments holds the Gram matrix of the rows and the summed noise covariances of each fold."""

    def __init__(self, n_features: int, *, noisy: bool = True) -> None:
        self.n_features, self.rounds = n_features, 0
        self.gram: FloatArray = np.zeros((N_FOLDS, n_features + 2, n_features + 2))
        self.total_gram = self.gram[0].copy()  # the sum over all folds
        size = n_features if noisy else 0  # whether sums of noise covariances are kept
        self._noise: FloatArray = np.zeros((N_FOLDS, size, size))  # without that of replicates
        self._total_noise = self._noise[0].copy()  # its sum over all folds
        self._scatter: FloatArray | None = None  # of replicates, in each fold
        self._noise_shape: FloatArray | None = None  # known up to a factor
        self._freedom = np.zeros(N_FOLDS)  # its degrees of freedom
        self._per_copy = np.zeros(N_FOLDS)  # sums of weight / number of copies

    def add(
        self, rows: FloatArray, noise: Noise | None, ends: Sequence[int] = ()
    ) -> list[tuple[FloatArray, FloatArray]]:
        """Add rows (1, z, y), multiplied by the root of their weight, and the noise of z.

        Returned are Gram matrix and noise of all rows up to each of the rounds ``ends``.
        """
        start, t, wanted, sums = self.rounds, 0, set(ends), list[tuple[FloatArray, FloatArray]]()
        for stop, fold in _parts(start, (*ends, start + len(rows))):
            part = rows[t : stop - start]
            product, of_fold = _gram(part), self.gram[fold]
            of_fold += product
            self.total_gram = self.total_gram + product
            if isinstance(noise, RowNoise):
                self._add_noise(fold, self._sum_row_noise(fold, noise[t : stop - start], part))
            elif noise is not None:
                self._add_noise(fold, product[0, 0] * noise)
            t = stop - start
            if stop in wanted:
                sums.append(self.total())
        self.rounds += t
        return sums

    def _add_noise(self, fold: int, noise: FloatArray | float) -> None:
        of_fold = self._noise[fold]
        of_fold += noise
        self._total_noise = self._total_noise + noise

    @property
    def noise(self) -> FloatArray:
        """The summed noise covariances of each fold, of shape (N_FOLDS, d, d)."""
        if self._scatter is None:
            return self._noise
        own = self._freedom > 0  # folds without replicates have the estimate of all
        scatter = np.where(own[:, None, None], self._scatter, self._scatter.sum(axis=0))
        freedom = np.where(own, self._freedom, self._freedom.sum())
        cov = estimate_covariance(scatter, freedom, self._noise_shape)
        return self._noise + self._per_copy[:, None, None] * cov

    def _sum_row_noise(self, fold: int, noise: RowNoise, rows: FloatArray) -> FloatArray | float:
        """Return the summed noise of rows, zero where it is estimated from their replicates."""
        sample_weight = rows[:, 0] ** 2
        if noise.kind != "replicates":
            return noise.sum(sample_weight)
        assert noise.freedom is not None and noise.factors is not None
        self._noise_shape = noise.cov
        if self._scatter is None:
            self._scatter = np.zeros_like(self._noise)
        flat = (rows[:, :1, None] * noise.values).reshape(-1, self.n_features)
        self._scatter[fold] += flat.T @ flat
        self._freedom[fold] += sample_weight @ noise.freedom
        self._per_copy[fold] += sample_weight @ noise.factors
        return 0.0

    @property
    def lacks_replicates(self) -> bool:
        """Whether the noise is to be estimated and no row has replicates."""
        return self._scatter is not None and not self._freedom.any()

    def expand(self, n_features: int) -> None:
        """Add new features, which were zero in all earlier rows."""
        more, self.n_features = n_features - self.n_features, n_features
        self.gram = insert_features(self.gram, n_features)
        self.total_gram = self.gram.sum(axis=0)
        self._noise = np.pad(self._noise, ((0, 0), (0, more), (0, more)))
        self._total_noise = np.pad(self._total_noise, (0, more))
        if self._scatter is not None:
            self._scatter = np.pad(self._scatter, ((0, 0), (0, more), (0, more)))

    def total(self) -> tuple[FloatArray, FloatArray]:
        """Return Gram matrix and noise covariance, summed over all folds; they are not copies."""
        if self._scatter is None:
            return self.total_gram, self._total_noise
        scatter, freedom = self._scatter.sum(axis=0), np.asarray(self._freedom.sum())
        cov = estimate_covariance(scatter, freedom, self._noise_shape)
        return self.total_gram, self._total_noise + self._per_copy.sum() * cov

    def grouped(self, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Merge the folds into fewer groups and return those that are not empty."""
        shape = (n_groups, N_FOLDS // n_groups)
        gram = self.gram.reshape(*shape, *self.gram.shape[1:]).sum(axis=1)
        by_fold = self.noise
        noise = by_fold.reshape(*shape, *by_fold.shape[1:]).sum(axis=1)
        filled = gram[:, 0, 0] > 0
        return gram[filled], noise[filled]


def _parts(start: int, ends: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield each round at which the fold changes or that is in ``ends``, and the fold before it."""
    t = start
    for end in ends:
        while t < end:
            octave = 1 << (t.bit_length() - 1) if t >= FIRST_ROUNDS else 0
            length = (octave or FIRST_ROUNDS) // N_FOLDS
            fold = (t - octave) // length
            t = min(octave + (fold + 1) * length, end)
            yield t, fold


def _gram(rows: FloatArray) -> FloatArray:
    """Return the products of the columns; half of a small matrix would be slower."""
    if rows.shape[1] > _MAX_WIDTH:
        return rows.T @ rows
    columns = rows[:_MAX_ROWS].T
    gram = dgemm(1.0, columns, columns, trans_b=True)
    for start in range(_MAX_ROWS, len(rows), _MAX_ROWS):
        columns = rows[start : start + _MAX_ROWS].T
        dgemm(1.0, columns, columns, 1.0, gram, trans_b=True, overwrite_c=True)
    return gram.T
