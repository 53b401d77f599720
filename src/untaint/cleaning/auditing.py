"""What an audit says of each row, in the order of the rows, and how far off each target is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray
from .target_scale import Scale, to_scale

# Robust deviations of a target that is flagged.
FAR = 5.0
# A deviation is at least this part of the spread of the targets.
FINEST = 0.005


def deviations(audit: Mapping[str, NDArray[Any]]) -> FloatArray:
    """Robust deviations of targets, none of them finer than matters.

    Where rows follow a curve to the last digit, five deviations may be a hair's breadth, and what
    the curve misses would look like mistakes.
    """
    scores = np.asarray(audit["score"], float)
    observed = np.asarray(audit["observed"], float)
    finest = FINEST * 1.4826 * float(np.median(np.abs(observed - np.median(observed))))
    if finest > 0:
        residuals = np.abs(observed - np.asarray(audit["expected"], float))
        scores = np.minimum(scores, residuals / finest)
    # Implausible features are as bad as the worst target, however good the targets are.
    implausible = np.isin(audit["kind"], ("features", "both"))
    worst = max(float(scores[~implausible].max(initial=0.0)), 2 * FAR)
    return np.where(implausible, np.maximum(scores, worst), scores)


def as_fitted(model: Any, X: FloatArray, y: NDArray[Any], scale: Scale) -> dict[str, NDArray[Any]]:
    """An audit's columns without its cost.

    One row among very many moves a fit of few features by nothing to speak of: what it scores in
    the fit is what it would score without it.
    """
    return {
        "score": model.outlier_scores_,
        "flagged": ~model.inlier_mask_,
        "observed": to_scale(y, scale),
        "expected": model.predict(X),
        "kind": np.where(model.inlier_mask_, "", "target"),
        "features": np.full(len(y), ""),
    }


def by_row(audit: Any) -> dict[str, NDArray[Any]]:
    """An audit's columns in the order of the rows, be it a data frame or an array."""
    names = audit.dtype.names if hasattr(audit, "dtype") else audit.columns
    columns = {name: np.asarray(audit[name]) for name in names}
    order = np.argsort(columns["row"])
    return {name: column[order] for name, column in columns.items()}
