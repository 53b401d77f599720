"""Errors of a fitted model on clean test rows, and against the true slope if there is one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .rows import Array, GeneratedRows

# Rows that are predicted at a time: a kernel matrix of all would take more than some fits.
BLOCK = 2_000


def scores(model: Any, rows: GeneratedRows, classes: bool) -> dict[str, float]:
    """Return errors on the clean test rows and of the slope, and the share of rows trimmed."""
    found = dict.fromkeys(("rmse", "accuracy", "coef_error", "share"), math.nan)
    if hasattr(model, "predict"):
        predictions = _predict(model, rows.X_test)
        if classes:
            found["accuracy"] = float(np.mean(predictions == rows.y_test))
        else:
            found["rmse"] = float(np.sqrt(np.mean(np.square(predictions - rows.y_test))))
    if rows.coef is not None:
        line = getattr(model, "estimator_", model)  # RANSAC's is inside
        found["coef_error"] = float(np.linalg.norm(np.ravel(line.coef_) - rows.coef))
    found["share"] = float(getattr(model, "contamination_", math.nan))
    return found


def _predict(model: Any, X: Array) -> Array:
    starts = range(0, len(X), BLOCK)
    return np.concatenate([np.ravel(model.predict(X[at : at + BLOCK])) for at in starts])
