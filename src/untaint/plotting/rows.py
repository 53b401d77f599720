"""The rows and targets to plot: those that are passed, or those that the model keeps."""

from typing import Any

import numpy as np

from .._typing import AnyArray
from .outlier_view import OutlierView


def training_rows(model: Any, n_rows: int) -> Any:
    """Return the rows that the model keeps, None if it does not keep them all."""
    X = getattr(model, "X_fit_", None)
    return X if X is not None and X.shape[0] == n_rows else None


def rows_and_targets(model: Any, view: OutlierView, X: Any, y: Any) -> tuple[Any, AnyArray, bool]:
    """Return rows, their targets, and whether they are the training rows."""
    kept = training_rows(model, len(view.scores))
    if y is None:
        if X is not None:
            raise ValueError("y should be passed along with X.")
        if view.observed is None:
            raise ValueError(f"{type(model).__name__} does not keep its targets: pass X and y.")
        return kept, view.observed, True
    targets = np.asarray(y)
    if X is None:
        if kept is None:
            raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
        X = kept
    if n_rows(targets) != n_rows(X):
        found = f"{n_rows(X)} and {n_rows(targets)}"
        raise ValueError(f"X and y should have as many rows, got {found}.")
    same_rows = kept is None or X is kept or _same(X, kept)
    return X, targets, same_rows and _equal(targets, view.observed, kept is not None)


def check_training_rows(expected: int, X: Any = None, y: Any = None) -> None:
    """Check that X and y, if they are given, have the number of training rows."""
    for name, values in (("X", X), ("y", y)):
        if values is not None and n_rows(values) != expected:
            raise ValueError(
                f"{name} should be the {expected} rows that the model was fitted to, "
                f"got {n_rows(values)}."
            )


def n_rows(X: Any) -> int:
    """Return the number of rows of an array, a sparse matrix, a frame or a list."""
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (IndexError, TypeError):
        raise TypeError(f"X and y should be arrays with a row each, got {X!r}.") from None


def _same(X: Any, kept: Any) -> bool:
    """Return whether X are the training rows."""
    if hasattr(kept, "tocsr"):
        if getattr(X, "shape", None) != kept.shape or not hasattr(X, "tocsr"):
            return False
        return (X.tocsr().astype(kept.dtype) != kept).nnz == 0
    if hasattr(X, "tocsr"):
        return False
    try:
        return np.array_equal(np.asarray(X).astype(kept.dtype), kept)
    except (TypeError, ValueError):  # no numbers, as predict will say
        return False


def _equal(targets: AnyArray, observed: AnyArray | None, unknown: bool) -> bool:
    """Return whether targets are those of the training rows, or what to assume if unknown."""
    return unknown if observed is None else np.array_equal(targets, observed)
