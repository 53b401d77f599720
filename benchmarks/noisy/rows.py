"""Training rows whose features carry noise of known size, and clean test rows.

The split and the scaling are those of every accuracy study. Each feature then gets Gaussian noise
of ``level`` times its deviation, in two independent copies; a constant column gets none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import make_noisy_views

from ..data import load
from ..protocol import prepare

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class NoisyRows:
    """Two noisy copies A and B of the training rows, their truth, and clean test rows."""

    A: Array
    B: Array
    X_clean: Array
    y: Array
    noise_cov: Array
    X_test: Array
    y_test: Array

    def rmse(self, model: Any) -> float:
        """Return root mean squared error of a fitted model on the clean test rows."""
        return float(np.sqrt(np.mean(np.square(model.predict(self.X_test) - self.y_test))))


def add_noise(X: Array, y: Array, *, level: float, seed: int) -> NoisyRows:
    """Split, standardise on the clean training rows, and add noise to those.

    Examples
    --------
    >>> from benchmarks.noisy.rows import add_noise
    >>> from untaint.datasets import load_kiln
    >>> rows = add_noise(*load_kiln(return_X_y=True), level=0.5, seed=0)
    >>> rows.A.shape, rows.X_test.shape, rows.noise_cov.tolist()
    ((320, 3), (80, 3), [0.25, 0.25, 0.25])
    """
    split = prepare(X, y, kind="label", epsilon=0.0, seed=seed)
    noise_cov = np.square(level * split.X_train.std(axis=0))
    # The third stream: the first two split and corrupt.
    rng = np.random.default_rng(seed).spawn(3)[2]
    A, B = make_noisy_views(split.X_train, noise_cov=noise_cov, random_state=rng)
    return NoisyRows(A, B, split.X_train, split.y_train, noise_cov, split.X_test, split.y_test)


@lru_cache(maxsize=1)
def rows_of(dataset: str, level: float, seed: int) -> NoisyRows:
    """Return rows of a data set by name; the methods of a setting follow one another."""
    X, y = load(dataset, seed)
    return add_noise(X, y, level=level, seed=seed)
