"""Measures of fitted models and of outlier scores, on rows whose truth is known.

accuracy           share of rows whose class is predicted
recall of class c  the same among the rows of class c
balanced accuracy  mean of the recalls
smallest recall    least of the recalls, which shows a class that was trimmed
rarest recall      recall of the class with the fewest rows
log loss           mean of -log p(the row's class), not below the rounding error
false discoveries  share of the flagged rows that are good; 0 where none is flagged
recall allowed     the largest recall of a score, over the thresholds whose share of false
                   discoveries is at most a given one
kept bad           share of the bad rows that a model keeps; nan if it does not say which it keeps
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .data.protocol import Split

Array: TypeAlias = NDArray[Any]

CLASS_SCORES = ("accuracy", "balanced_accuracy", "smallest_recall", "rarest_recall", "log_loss")
# Of a validation error, in robust standard deviations of the targets, good and bad.
BOUND = 1.5
# Shares of whole rows: equal ones may differ in their last bits.
ROUNDING = 1e-9


def class_scores(model: Any, X: Array, y: Array) -> dict[str, float]:
    """Return every score of a classifier by name.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from benchmarks.measures import class_scores
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> for name, value in class_scores(DummyClassifier().fit(X, y), X, y).items():
    ...     print(name, round(value, 2))
    accuracy 0.75
    balanced_accuracy 0.5
    smallest_recall 0.0
    rarest_recall 0.0
    log_loss 0.56
    """
    right = model.predict(X) == y
    classes, sizes = np.unique(y, return_counts=True)
    recalls = np.array([right[y == name].mean() for name in classes])
    return {
        "accuracy": float(right.mean()),
        "balanced_accuracy": float(recalls.mean()),
        "smallest_recall": float(recalls.min()),
        "rarest_recall": float(recalls[np.argmin(sizes)]),
        "log_loss": log_loss(model, X, y),
    }


def log_loss(model: Any, X: Array, y: Array) -> float:
    """Return the mean negative log-probability of the rows' classes, nan without probabilities.

    A class that the model has never met has probability zero.
    """
    if not hasattr(model, "predict_proba"):
        return math.nan
    ours = y[:, np.newaxis] == model.classes_
    p = np.sum(np.where(ours, model.predict_proba(X), 0.0), axis=1)
    return float(-np.mean(np.log(np.maximum(p, np.finfo(np.float64).eps))))


def bounded_error(y: Array, predicted: Array) -> float:
    """Return the mean squared error, each error bounded by 1.5 robust target deviations.

    There is no bound if most targets are equal.
    """
    deviation = 1.4826 * float(np.median(np.abs(y - np.median(y))))
    bound = (BOUND * deviation) ** 2 or np.inf
    return float(np.mean(np.minimum(np.square(y - predicted), bound)))


def balanced_error(y: Array, predicted: Array) -> float:
    """Return one minus the mean recall."""
    right = predicted == y
    return 1.0 - float(np.mean([right[y == name].mean() for name in np.unique(y)]))


def kept_bad(model: Any, split: Split) -> float:
    """Return share of the bad rows that the model keeps."""
    bad, mask = ~split.clean_mask, getattr(model, "inlier_mask_", None)
    # The oracle's mask is of other rows.
    if mask is None or len(mask) != len(bad) or not bad.any():
        return math.nan
    return float(np.mean(mask[bad]))


def false_discoveries(flagged: Array, bad: Array) -> float:
    """Return share of the flagged rows that are good."""
    return float(np.mean(~bad[flagged])) if flagged.any() else 0.0


def recall(flagged: Array, bad: Array) -> float:
    """Return share of the bad rows that are flagged; nan without bad rows."""
    return float(np.mean(flagged[bad])) if bad.any() else math.nan


def recall_allowed(score: Array, bad: Array, share: float) -> float:
    """Return best recall of a score with at most this share of false discoveries.

    Examples
    --------
    >>> import numpy as np
    >>> from benchmarks.measures import recall_allowed
    >>> score = np.array([4.0, 3.0, 2.0, 1.0])
    >>> bad = np.array([True, False, True, False])
    >>> recall_allowed(score, bad, 0.0), recall_allowed(score, bad, 0.4)
    (0.5, 1.0)
    """
    order = np.argsort(-score, kind="stable")
    found, ranks = np.cumsum(bad[order]), np.arange(1, len(bad) + 1)
    # A threshold cannot part rows of the same score.
    last = np.append(np.diff(score[order]) != 0, True)
    allowed = last & ((ranks - found) / ranks <= share + ROUNDING)
    return float(found[allowed].max(initial=0) / found[-1]) if bad.any() else math.nan
