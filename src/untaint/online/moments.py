r"""Sums over a stream from which every corrected fit is computed.

A round adds :math:`r r^T` for the row :math:`r = (1, z, y)` of constant, features and target, so
that one matrix holds count, means and second moments. Rounds go to folds in turn, in runs of 4 up
to round 64, and then 16 equal runs between any round 2^k and its double: a fold left out judges
what the others chose, without a row being kept, also if consecutive rows are alike.

``noise`` holds the sums of :math:`E[n n^T]`, which the second moments of noisy features have too
much; ``seen`` counts how often two entries were there together, if some are missing. Features are
counted from an origin near their mean, lest a large offset swallow them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

import numpy as np

from .._typing import FloatArray
from .noise import Noise, RowNoise

FOLDS = 16
_FIRST = 64  # rounds in runs of four


@final
@dataclass
class Moments:
    """Sums of r r' and of noise covariances, one for each fold."""

    n_features: int
    noisy: bool = True  # whether sums of noise are kept
    rounds: int = 0
    second: FloatArray = field(init=False)  # (FOLDS, d + 2, d + 2)
    noise: FloatArray = field(init=False)  # (FOLDS, d, d)
    seen: FloatArray | None = field(init=False, default=None)  # (d + 2, d + 2)

    def __post_init__(self) -> None:
        d = self.n_features
        self.second = np.zeros((FOLDS, d + 2, d + 2))
        self.noise = np.zeros((FOLDS, d, d) if self.noisy else (FOLDS, 0, 0))

    def add(self, rows: FloatArray, noise: Noise | None) -> None:
        """Add rows (1, z, y), times the root of their weight, and the noise of z."""
        for part, fold in _runs(self.rounds, len(rows)):
            block = rows[part]
            product = block.T @ block
            self.second[fold] += product
            if isinstance(noise, RowNoise):
                self._add_row_noise(fold, noise[part], block[:, 0] ** 2)
            elif noise is not None:
                self.noise[fold] += product[0, 0] * noise
        self.rounds += len(rows)

    def _add_row_noise(self, fold: int, noise: RowNoise, weights: FloatArray) -> None:
        if noise.kind == "roots":
            self.noise[fold] += (noise.values * weights[:, None]).T @ noise.values
        elif noise.kind == "variances":
            self.noise[fold] += np.diag(weights @ noise.values)
        else:
            self.noise[fold] += np.tensordot(weights, noise.values, 1)

    def count_seen(self, present: FloatArray) -> None:
        """Count which entries of the rows added last were there: 0 or the weight's root."""
        pairs = present.T @ present
        self.seen = pairs if self.seen is None else self.seen + pairs

    def widen(self, n_features: int) -> None:
        """Make room for features that have been zero so far."""
        old, d = self.n_features, n_features
        second, noise = np.zeros((FOLDS, d + 2, d + 2)), np.zeros((FOLDS, d, d))
        places = np.r_[: old + 1, d + 1]
        second[:, places[:, None], places] = self.second
        noise[:, :old, :old] = self.noise
        if self.seen is not None:
            seen = np.zeros((d + 2, d + 2))
            seen[places[:, None], places] = self.seen
            self.seen = seen
        self.n_features, self.second, self.noise = d, second, noise

    def copy(self) -> Moments:
        """The sums as they are now."""
        now = Moments.__new__(Moments)
        now.n_features, now.noisy, now.rounds = self.n_features, self.noisy, self.rounds
        now.second, now.noise = self.second.copy(), self.noise.copy()
        now.seen = None if self.seen is None else self.seen.copy()
        return now

    def total(self) -> tuple[FloatArray, FloatArray]:
        """Sums over all folds: second moments and noise."""
        return self.second.sum(axis=0), self.noise.sum(axis=0)

    def grouped(self, n_groups: int) -> tuple[FloatArray, FloatArray]:
        """Folds joined into fewer; groups without a row are left out."""
        shape = (n_groups, FOLDS // n_groups)
        second = self.second.reshape(*shape, *self.second.shape[1:]).sum(axis=1)
        noise = self.noise.reshape(*shape, *self.noise.shape[1:]).sum(axis=1)
        filled = second[:, 0, 0] > 0
        return second[filled], noise[filled]


def _runs(start: int, n: int) -> Iterator[tuple[slice, int]]:
    """Rows of each run, counted from the first of n, and the fold that it belongs to."""
    t, end = start, start + n
    while t < end:
        octave = 1 << (t.bit_length() - 1) if t >= _FIRST else 0
        length = (octave or _FIRST) // FOLDS
        fold = (t - octave) // length
        stop = min(octave + (fold + 1) * length, end)
        yield slice(t - start, stop - start), fold
        t = stop
