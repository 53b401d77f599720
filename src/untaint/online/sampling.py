"""Random numbers that do not change when features are added."""

import numpy as np

from .._typing import FloatArray, IntArray


def normal_columns(n: int, n_features: int, seed: int) -> FloatArray:
    """Return standard normal numbers of shape (n, n_features), with one seed per column."""
    columns = [np.random.default_rng([seed, j + 1]).standard_normal(n) for j in range(n_features)]
    return np.column_stack(columns)


def systematic_sample(masses: FloatArray, n: int, seed: int) -> IntArray:
    """Draw n indices by systematic sampling: each occurs n times its mass, rounded up or down."""
    levels = (np.arange(n) + np.random.default_rng([seed, 0]).random()) / n
    return np.minimum(np.searchsorted(np.cumsum(masses) / masses.sum(), levels), len(masses) - 1)
