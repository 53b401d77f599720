"""What an adversary writes into the rows of a classification problem, in place at ``rows``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


def flip(X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator) -> None:
    """The other class, or, of several, any other with equal chance."""
    classes, codes = np.unique(y, return_inverse=True)
    steps = rng.integers(1, len(classes), size=len(rows))
    y[rows] = classes[(codes[rows] + steps) % len(classes)]


def flip_and_inflate(
    X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator
) -> None:
    """Another class, and x = 100 x."""
    flip(X, y, rows, rng)
    X[rows] *= 100.0


def flip_to_runner_up(
    X: NDArray[Any], y: NDArray[Any], rows: Rows, rng: np.random.Generator
) -> None:
    """The second most frequent class, whatever the row was: every error goes the same way."""
    classes, sizes = np.unique(y, return_counts=True)
    # The rows come from the class that argmax names; masking it settles ties the same way.
    others = np.where(np.arange(len(classes)) == np.argmax(sizes), -1, sizes)
    y[rows] = classes[np.argmax(others)]
