"""The protocol of every accuracy study.

1. Split the clean rows 80/20 into training and test rows, every class for itself.
2. Fill missing cells by the medians of the training rows, which are still clean, and standardise X
   by their mean and deviation. So is a regression target; classes are numbered 0, 1, ...
3. Corrupt the training rows. The test rows stay clean.

The split and the corruption depend on the seed alone, so every method meets the same rows. Nothing
of the test rows, and nothing of the corrupted values, enters the scaling.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from untaint.datasets import contaminate
from untaint.datasets.corruption import task_of

from ..frame import Case
from .sets import load

Array = NDArray[Any]


@dataclass(frozen=True)
class Split:
    """Corrupted training rows with their truth, and clean test rows, in standard units."""

    X_train: Array
    y_train: Array
    clean_mask: NDArray[np.bool_]
    X_test: Array
    y_test: Array

    def rmse(self, model: Any) -> float:
        """Return root mean squared error of a fitted model on the test rows."""
        return float(np.sqrt(np.mean(np.square(model.predict(self.X_test) - self.y_test))))


def prepare(
    X: Array, y: Array, *, kind: str, epsilon: float, seed: int, test_size: float = 0.2
) -> Split:
    """Split, standardise, corrupt; the kind of corruption tells classification from regression.

    Examples
    --------
    >>> from benchmarks.data.protocol import prepare
    >>> from untaint.datasets import load_kiln
    >>> X, y = load_kiln(return_X_y=True)
    >>> split = prepare(X, y, kind="label", epsilon=0.2, seed=0)
    >>> split.X_train.shape, split.X_test.shape, int((~split.clean_mask).sum())
    ((320, 3), (80, 3), 64)
    """
    # Two streams: another kind of corruption must not change the split.
    split_rng, corruption_rng = np.random.default_rng(seed).spawn(2)
    if task_of(kind) == "classification":
        y = np.unique(y, return_inverse=True)[1]
        train, test = _split(y, test_size, split_rng)
        y_train, y_test = y[train], y[test]
    else:
        train, test = _split(np.zeros(len(y)), test_size, split_rng)
        y_train, y_test = _standardise(y[train], y[test])
    X_train, X_test = _standardise(*_fill(X[train], X[test]))
    X_bad, y_bad, corrupted = contaminate(
        X_train, y_train, epsilon=epsilon, kind=kind, random_state=corruption_rng
    )
    return Split(X_bad, y_bad, ~corrupted, X_test, y_test)


def split_of(case: Case) -> Split:
    """Load, split and corrupt the case's data."""
    X, y = load(case.dataset, case.seed)
    return prepare(X, y, kind=case.kind, epsilon=case.epsilon, seed=case.seed)


def _split(
    strata: Array, test_size: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return training and test rows in random order; a stratum of two rows or more is in both."""
    order = rng.permutation(len(strata))
    in_test = np.zeros(len(strata), dtype=bool)
    for stratum in np.unique(strata):
        places = np.flatnonzero(strata[order] == stratum)
        n_test = min(max(round(test_size * len(places)), 1), len(places) - 1)
        in_test[places[:n_test]] = True
    return order[~in_test], order[in_test]


def _fill(train: Array, test: Array) -> tuple[Array, Array]:
    """Put the training rows' medians into the missing cells of both."""
    medians = np.nanmedian(train, axis=0)
    return np.where(np.isnan(train), medians, train), np.where(np.isnan(test), medians, test)


def _standardise(train: Array, test: Array) -> tuple[Array, Array]:
    """Scale both by the training rows; a constant column is only centred."""
    mean, deviation = train.mean(axis=0), train.std(axis=0)
    scale = np.where(deviation > 0, deviation, 1.0)
    return (train - mean) / scale, (test - mean) / scale
