"""Fits to a real table, clean or with planted corruption, against fits that know the truth."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from untaint import SubquantileRegressorCV
from untaint.datasets import contaminate

from .catalogue import Array, split

#: Kinds of planted corruption: those of :func:`untaint.datasets.contaminate`, and permuted targets.
KINDS = ("label", "cluster", "shift", "leverage", "permuted")


class Cell(NamedTuple):
    """One fit: share estimated and its interval, rows flagged, and errors on clean test rows.

    ``truth`` is the error of the same learner on the good rows alone, ``plain`` that of an ordinary
    fit to all rows; errors are in units of the targets' standard deviation.
    """

    table: str
    n_rows: int
    kind: str
    epsilon: float
    seed: int
    share: float
    low: float
    high: float
    flagged: float
    recall: float
    rmse: float
    truth: float
    plain: float
    transform: str
    seconds: float

    @property
    def ratio(self) -> float:
        """Error relative to that of the learner that knows the good rows."""
        return self.rmse / self.truth


def evaluate(
    table: str,
    n_rows: int,
    kind: str,
    epsilon: float,
    seed: int,
    contamination: float | str = "auto",
    **parameters: Any,
) -> Cell:
    """Fit one cell of the study; ``parameters`` are those of all three fits."""
    X, y, X_test, y_test = split(table, n_rows, seed)
    X, y, wrong = corrupt(X, y, kind, epsilon, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        model = SubquantileRegressorCV(contamination=contamination, **parameters).fit(X, y)
        seconds = time.process_time() - start
        ordinary = SubquantileRegressorCV(contamination=0, **parameters)
        plain = clone(ordinary).fit(X, y)
        good = plain
        if wrong.any():
            good = clone(ordinary).fit(X[~wrong], y[~wrong])
    flagged = ~model.inlier_mask_
    low, high = model.contamination_interval_
    errors = [
        float(np.sqrt(np.mean(np.square(m.predict(X_test) - y_test))) / y_test.std())
        for m in (model, good, plain)
    ]
    return Cell(
        *(table, n_rows, kind, epsilon, seed, model.contamination_, low, high),
        *(float(flagged[~wrong].mean()), float(flagged[wrong].mean()) if wrong.any() else 0.0),
        *errors,
        model.target_transform_ or "",
        seconds,
    )


def corrupt(
    X: Array, y: Array, kind: str, epsilon: float, seed: int
) -> tuple[Array, Array, np.ndarray]:
    """Return the corrupted rows, and which of them are wrong."""
    rng = np.random.default_rng([seed, 1])
    if kind == "clean" or epsilon == 0:
        return X, y, np.zeros(len(y), dtype=bool)
    if kind == "permuted":
        chosen = rng.permutation(len(y))[: round(epsilon * len(y))]
        y = y.copy()
        y[chosen] = np.roll(y[chosen], 1)
        wrong = np.zeros(len(y), dtype=bool)
        wrong[chosen] = True
        return X, y, wrong
    return contaminate(X, y, epsilon=epsilon, kind=kind, random_state=rng)
