"""Training rows whose features carry noise of known size, and clean test rows.

The split and the scaling are those of every accuracy study. Each feature then gets Gaussian noise
of ``level`` times its deviation, in two independent copies; a constant column gets none.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from untaint.datasets import make_noisy_views

from .drawn import Array
from .protocol import prepare
from .sets import load


@dataclass(frozen=True)
class NoisyRows:
    """Two noisy copies A and B of the training rows, their truth, and clean test rows."""

    A: Array
    B: Array
    X_clean: Array
    y: NDArray[Any]
    noise_cov: Array
    X_test: Array
    y_test: NDArray[Any]

    def rmse(self, model: Any) -> float:
        """Return root mean squared error of a fitted model on the clean test rows."""
        return float(np.sqrt(np.mean(np.square(model.predict(self.X_test) - self.y_test))))

    def log_loss(self, model: Any) -> float:
        """Return the mean log loss of a fitted classifier on the clean test rows."""
        return float(log_loss(self.y_test, model.predict_proba(self.X_test)))


@lru_cache(maxsize=1)
def noisy_rows(dataset: str, level: float, seed: int, *, classes: bool = False) -> NoisyRows:
    """Split a data set, standardise on the clean training rows, and add noise to those.

    The last answer is kept, because the methods of a setting follow one another.
    """
    X, y = load(dataset, seed)
    split = prepare(X, y, kind="flip" if classes else "label", epsilon=0.0, seed=seed)
    noise_cov = np.square(level * split.X_train.std(axis=0))
    # The third stream: the first two split and corrupt.
    rng = np.random.default_rng(seed).spawn(3)[2]
    A, B = make_noisy_views(split.X_train, noise_cov=noise_cov, random_state=rng)
    return NoisyRows(A, B, split.X_train, split.y_train, noise_cov, split.X_test, split.y_test)
