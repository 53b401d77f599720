"""Random numbers that stay what they were when features are added."""

from __future__ import annotations

import numpy as np

from .._typing import FloatArray, IntArray


def normal_columns(n: int, n_features: int, seed: int) -> FloatArray:
    """Standard normal numbers of shape (n, n_features); each column has a seed of its own."""
    columns = [np.random.default_rng([seed, j + 1]).standard_normal(n) for j in range(n_features)]
    return np.column_stack(columns)


def even_draw(masses: FloatArray, n: int, seed: int) -> IntArray:
    """Which of them each of n draws is: as often as its mass says, up to one."""
    levels = (np.arange(n) + np.random.default_rng([seed, 0]).random()) / n
    return np.minimum(np.searchsorted(np.cumsum(masses) / masses.sum(), levels), len(masses) - 1)
