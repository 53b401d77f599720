"""Scores of some rows as more and more of them are given up, for a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray
from .findings import Monitored, Task
from .judging import Verdict
from .rare import alone
from .target_scale import to_scale
from .told import told

ROWS = 500
FEWEST = 20
SHARES = np.array([0.0, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.42, 0.48])


def monitor_rows(
    X: FloatArray, y: NDArray[Any], verdict: Verdict, task: Task, seed: int
) -> Monitored | None:
    """Fit a sample of the rows once for each share, and note what each row scores.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Amounts in units of the table, or labels.
    verdict : Verdict
    task : {"regression", "classification"}
    seed : int
    """
    rows = np.sort(np.random.default_rng(seed).permutation(verdict.fitted)[:ROWS])
    rows = rows[~alone(y[rows], task)]
    if len(rows) < FEWEST:
        return None
    targets = to_scale(y[rows], verdict.scale) if task == "regression" else y[rows]
    if task == "classification" and len(np.unique(targets)) < 2:
        return None
    scores = [
        told(verdict.model, contamination=share).fit(X[rows], targets).outlier_scores_
        for share in np.where(SHARES * len(rows) < 1, 0.0, SHARES).tolist()
    ]
    return Monitored(SHARES, rows, np.array(scores, dtype=float))
