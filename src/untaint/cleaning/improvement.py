"""Cross-validated errors of a plain and of a robust fit.

Both models are fitted to the same folds and predict the fold that was left out: kernels with wrong
rows included, once trimmed and once not, trees with flagged rows and without. They are compared on
all rows of the fold without wrong cells, also on those that the robust fit takes for wrong: on
those that it agrees with it would always be better. The typical error is a median, so that wrong
targets, which are the same for both, hardly count.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from .._progress import tracked
from .._typing import BoolArray, FloatArray, IntArray
from ..cells.quick_trees import predict_out_of_fold
from .findings import Improvement, Task
from .learner_choice import boosting
from .refit import overflows, with_contamination
from .row_assessment import RowAssessment
from .singleton_labels import singleton_label

FOLDS = 3
# Rows that take part; more would hardly change the result.
ROWS = 1500
FEWEST = 30


class _Sample(NamedTuple):
    """Rows to compare fits on, with their targets on the scale of the fit and in own units."""

    X: FloatArray
    targets: NDArray[Any]
    y: NDArray[Any]
    folds: IntArray
    compared: BoolArray
    assessment: RowAssessment
    task: Task


def measure_improvement(
    X: FloatArray,
    y: NDArray[Any],
    assessment: RowAssessment,
    task: Task,
    seed: int,
    compared: BoolArray | None = None,
    trained: BoolArray | None = None,
) -> Improvement | None:
    """Return the errors of a plain and of the robust model.

    The result is None if the contamination is zero, or if rows are too few.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Numeric targets in units of the table, or class labels.
    assessment : RowAssessment
    task : {"regression", "classification"}
    seed : int
    compared : bool array of shape (n,), optional
        Rows to compare on, by default all.
    trained : bool array of shape (n,), optional
        Rows that fits may use, by default all.
    """
    unflagged = ~assessment.flagged
    compared = np.ones(len(y), dtype=bool) if compared is None else compared
    if assessment.contamination <= 0 or unflagged.sum() < FEWEST:
        return None
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(y))[:ROWS]
    folds = np.arange(len(rows)) % FOLDS
    targets = assessment.on_fit_scale(y)
    everything = np.ones(len(rows), dtype=bool) if trained is None else trained[rows]
    both = [everything, everything & unflagged[rows]]
    sample = _Sample(X[rows], targets[rows], y[rows], folds, compared[rows], assessment, task)
    # Fits are small: threads would wait for one another.
    with threadpool_limits(1, "openmp"):
        if assessment.learner == "kernel":
            share = min(assessment.contamination, 0.49)
            kernels = [with_contamination(assessment.model, each) for each in (0.0, share)]
            before, after = (_errors(model, everything, sample) for model in kernels)
        elif task == "regression":
            before, after = _errors_of_quick_trees(both, sample)
        else:
            trees = boosting(task, seed, y)
            before, after = (_errors(trees, kept, sample) for kept in both)
    if before is None or after is None:
        return None
    if task == "regression":
        summaries = float(np.median(before)), float(np.median(after))
        return Improvement("typical error", *summaries, rows=len(after))
    return Improvement(
        "share of labels missed", float(before.mean()), float(after.mean()), rows=len(after)
    )


def _errors_of_quick_trees(fitted: Sequence[BoolArray], sample: _Sample) -> list[FloatArray | None]:
    """Return errors of trees that are fitted to several choices of rows, of all folds at once."""
    X, targets, y, folds, compared, assessment, _ = sample
    if not compared.any() or any(
        not (rows & (folds != fold)).any() or overflows(targets[rows], "regression")
        for rows in fitted
        for fold in range(FOLDS)
    ):
        return [None for _ in fitted]
    return [
        np.abs(assessment.in_own_units(predicted) - y)[compared]
        for predicted in predict_out_of_fold(X, targets, fitted, folds)
    ]


def _errors(model: Any, kept: BoolArray, sample: _Sample) -> FloatArray | None:
    X, targets, y, folds, compared, assessment, task = sample
    errors = []
    for fold in tracked(range(FOLDS), FOLDS):
        train, test = np.flatnonzero((folds != fold) & kept), (folds == fold) & compared
        train = train[~singleton_label(targets[train], task)]
        if not test.any() or (task == "classification" and len(np.unique(targets[train])) < 2):
            return None
        share = getattr(model, "contamination", 0.0)
        if 0 < share * len(train) < 1 or overflows(targets[train], task):
            return None
        predicted = clone(model).fit(X[train], targets[train]).predict(X[test])
        if task == "regression":
            errors.append(np.abs(assessment.in_own_units(predicted) - y[test]))
        else:
            errors.append((predicted != y[test]).astype(float))
    return np.concatenate(errors)
