"""Functions to be learnt from two noisy copies of x, targets with noise of their own.

x is uniform on [-2, 2]^d: test rows lie where training rows are, or a few far out would decide.

sines    sum_j sin(2 x_j) / sqrt(d)                          noise blurs every wave
line     sum_j x_j / sqrt(d) + 0.1 sin(x_1)                  noise only flattens the slope
rough    sum_j z(3 x_j) / sqrt(d), z the triangle wave       corners that no smooth kernel has
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from untaint.datasets import make_noisy_views

from .drawn import Array

Surface: TypeAlias = Callable[[Array], Array]

TARGET_NOISE = 0.1
N_TEST = 2_000
SIDE = 2.0


SURFACES: dict[str, Surface] = {
    "sines": lambda X: np.sin(2.0 * X).sum(axis=1) / np.sqrt(X.shape[1]),
    "line": lambda X: X.sum(axis=1) / np.sqrt(X.shape[1]) + 0.1 * np.sin(X[:, 0]),
    "rough": lambda X: (2.0 / np.pi) * np.arcsin(np.sin(3.0 * X)).sum(axis=1) / np.sqrt(X.shape[1]),
}


@dataclass(frozen=True)
class Views:
    """Two noisy copies of the training rows, the clean ones, and clean test rows without noise."""

    A: Array
    B: Array
    X: Array
    y: Array
    X_test: Array
    f_test: Array


def make_views(name: str, n: int, *, d: int, deviation: float, seed: int) -> Views:
    """Draw n training rows with two noisy copies."""
    rng = np.random.default_rng(seed)
    surface = SURFACES[name]
    X, X_test = (rng.uniform(-SIDE, SIDE, size=(size, d)) for size in (n, N_TEST))
    y = surface(X) + TARGET_NOISE * rng.normal(size=n)
    A, B = make_noisy_views(X, noise_cov=deviation**2, random_state=rng)
    return Views(A, B, X, y, X_test, surface(X_test))
