"""How much better a model gets by leaving wrong rows out.

Rows are split in folds. Two models see the same folds, wrong rows and all: a plain one that
believes every row, and ours. Both predict the fold that was left out, and are compared on its
trusted rows. These are the rows that our verdict trusts, so it is judge in its own cause here;
where nobody knows the truth, there is no other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .._typing import BoolArray, FloatArray, IntArray
from .findings import Improvement, Task
from .judging import Verdict
from .rare import alone
from .target_scale import from_scale, to_scale
from .told import told

FOLDS = 3
# Rows that take part: more would say the same.
ROWS = 1500
FEWEST = 30


def measure_improvement(
    X: FloatArray, y: NDArray[Any], verdict: Verdict, task: Task, seed: int
) -> Improvement | None:
    """Errors of a plain model and of ours; None if no row is given up, or rows are too few.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Amounts in units of the table, or labels.
    verdict : Verdict
    task : {"regression", "classification"}
    seed : int
    """
    trusted = ~verdict.flagged
    if verdict.share <= 0 or trusted.sum() < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:ROWS]
    folds = np.arange(len(rows)) % FOLDS
    targets = to_scale(y, verdict.scale) if task == "regression" else y
    robust = told(verdict.model, contamination=min(verdict.share, 0.49))
    before, after = (
        _errors(model, X[rows], targets[rows], y[rows], folds, trusted[rows], verdict, task)
        for model in (told(verdict.model, contamination=0.0), robust)
    )
    if before is None or after is None:
        return None
    if task == "regression":
        summaries = float(np.median(before)), float(np.median(after))
        return Improvement("typical error", *summaries, rows=len(after))
    return Improvement(
        "share of labels missed", float(before.mean()), float(after.mean()), rows=len(after)
    )


def _errors(
    model: Any,
    X: FloatArray,
    targets: NDArray[Any],
    y: NDArray[Any],
    folds: IntArray,
    trusted: BoolArray,
    verdict: Verdict,
    task: Task,
) -> FloatArray | None:
    errors = []
    for fold in range(FOLDS):
        learnt, asked = np.flatnonzero(folds != fold), (folds == fold) & trusted
        learnt = learnt[~alone(targets[learnt], task)]
        if not asked.any() or (task == "classification" and len(np.unique(targets[learnt])) < 2):
            return None
        if 0 < model.contamination * len(learnt) < 1:
            return None
        predicted = clone(model).fit(X[learnt], targets[learnt]).predict(X[asked])
        if task == "regression":
            errors.append(np.abs(from_scale(predicted, verdict.scale) - y[asked]))
        else:
            errors.append((predicted != y[asked]).astype(float))
    return np.concatenate(errors)
