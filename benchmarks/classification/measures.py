"""Measures of a classifier on clean rows.

accuracy           share of rows whose class is predicted
recall of class c  the same among the rows of class c
balanced accuracy  mean of the recalls
smallest recall    least of the recalls, which shows a class that was trimmed
rarest recall      recall of the class with the fewest rows
log loss           mean of -log p(the row's class), not below the rounding error
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SCORES = ("accuracy", "balanced_accuracy", "smallest_recall", "rarest_recall", "log_loss")

Array = NDArray[Any]


def scores(model: Any, X: Array, y: Array) -> dict[str, float]:
    """Return every score by name.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from benchmarks.classification.measures import scores
    >>> X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    >>> for name, value in scores(DummyClassifier().fit(X, y), X, y).items():
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
        return float("nan")
    ours = y[:, np.newaxis] == model.classes_
    p = np.sum(np.where(ours, model.predict_proba(X), 0.0), axis=1)
    return float(-np.mean(np.log(np.maximum(p, np.finfo(np.float64).eps))))
