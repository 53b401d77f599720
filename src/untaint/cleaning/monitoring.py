"""Scores of some rows against the trimmed fraction, for the monitoring plot."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._progress import tracked
from .._typing import FloatArray
from .findings import Monitored, Task
from .refit import overflows, with_contamination
from .row_assessment import RowAssessment
from .singleton_labels import singleton_label

ROWS = 500
FEWEST = 20
FRACTIONS = np.array([0.0, 0.02, 0.04, 0.06, 0.09, 0.12, 0.16, 0.2, 0.25, 0.3, 0.36, 0.42, 0.48])


def monitor_rows(
    X: FloatArray, y: NDArray[Any], assessment: RowAssessment, task: Task, seed: int
) -> Monitored | None:
    """Refit a sample of the rows with each trimmed fraction, and record the scores.

    Only kernels are refitted, which is quick.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Numeric targets in units of the table, or class labels.
    assessment : RowAssessment
    task : {"regression", "classification"}
    seed : int
    """
    if assessment.learner != "kernel":
        return None
    rows = np.sort(np.random.default_rng(seed).permutation(assessment.fitted)[:ROWS])
    rows = rows[~singleton_label(y[rows], task)]
    if len(rows) < FEWEST:
        return None
    targets = assessment.on_fit_scale(y[rows])
    if (task == "classification" and len(np.unique(targets)) < 2) or overflows(targets, task):
        return None
    shares = np.where(FRACTIONS * len(rows) < 1, 0.0, FRACTIONS).tolist()
    scores = [
        with_contamination(assessment.model, contamination=contamination)
        .fit(X[rows], targets)
        .outlier_scores_
        for contamination in tracked(shares, len(shares))
    ]
    return Monitored(FRACTIONS, rows, np.array(scores, dtype=float))
