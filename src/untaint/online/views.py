"""A batch of noisy rows: what was seen of each, and what is known of its noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from .._typing import FloatArray
from .noise import Noise, RowNoise


@final
@dataclass(frozen=True)
class Views:
    """Rows, perhaps a second copy of them, and the noise of one copy if it is known."""

    X: FloatArray
    y: FloatArray
    copy: FloatArray | None
    noise: Noise | None
    weights: FloatArray | None = None  # None: all one

    @property
    def n_copies(self) -> int:
        """One or two."""
        return 1 if self.copy is None else 2

    def merged(self) -> tuple[FloatArray, Noise]:
        """The best single view of each row, and its noise.

        The mean of two copies has half of their covariance; if that is not known, a quarter of
        (a - b) (a - b)' has it as its mean. The mean's product with itself less that quarter is
        (a b' + b a') / 2, the copies' product with one another.
        """
        if self.copy is None:
            assert self.noise is not None
            return self.X, self.noise
        mean = (self.X + self.copy) / 2
        if self.noise is None:
            return mean, RowNoise("roots", (self.X - self.copy) / 2)
        if isinstance(self.noise, RowNoise):
            return mean, self.noise.halved()
        return mean, self.noise / 2


def with_constant(
    Z: FloatArray,
    y: FloatArray,
    weights: FloatArray | None,
    origin: FloatArray | float = 0.0,
    level: float = 0.0,
) -> FloatArray:
    """Rows (1, z - origin, y - level), times the root of their weight."""
    by_column = Z.strides[0] < Z.strides[1]  # a data frame's block: copied fastest as it lies
    rows = np.empty((len(y), Z.shape[1] + 2), order="F" if by_column else "C")
    rows[:, 0] = 1.0
    np.subtract(Z, origin, out=rows[:, 1:-1])
    np.subtract(y, level, out=rows[:, -1])
    if weights is not None:
        rows *= np.sqrt(weights)[:, None]
    return rows
