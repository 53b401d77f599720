"""Which rows an adversary takes: anywhere, in one neighbourhood, or from one class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def anywhere(
    X: NDArray[Any], y: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Every row is equally likely."""
    return rng.choice(len(X), size=count, replace=False)


def half_of_a_region(
    X: NDArray[Any], y: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """A random half of the ``2 count`` rows nearest to a random row (of all rows, if fewer)."""
    return rng.choice(_nearest_to_random_row(X, 2 * count, rng), size=count, replace=False)


def whole_region(
    X: NDArray[Any], y: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """All of the ``count`` rows nearest to a random row: no clean row is left among them."""
    return _nearest_to_random_row(X, count, rng)


def largest_class(
    X: NDArray[Any], y: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Rows of the most frequent class only."""
    classes, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    members = np.flatnonzero(codes == np.argmax(sizes))
    if count > len(members):
        raise ValueError(
            f"epsilon asks for {count} rows of class {classes[np.argmax(sizes)]!r}, "
            f"which has only {len(members)}; lower epsilon or use kind='flip'."
        )
    return rng.choice(members, size=count, replace=False)


def _nearest_to_random_row(
    X: NDArray[Any], count: int, rng: np.random.Generator
) -> NDArray[np.intp]:
    Z = standardised(X)
    centre = Z[rng.integers(len(Z))]
    distances = np.square(Z - centre).sum(axis=1)
    return np.argsort(distances, kind="stable")[:count]


def standardised(X: NDArray[Any]) -> NDArray[np.float64]:
    """Columns with mean zero and unit deviation; constant columns and missing cells become zero."""
    spread = np.nanstd(X, axis=0)
    Z: NDArray[np.float64] = (X - np.nanmean(X, axis=0)) / np.where(spread > 0, spread, 1.0)
    return np.where(np.isnan(Z), 0.0, Z)
