"""The columns of an audit in the order of the rows, and robust deviations of the targets."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import FloatArray
from ..target_transform import TargetTransform
from .findings import FLAG_SCORE

# A robust deviation is at least this fraction of the spread of the targets.
MIN_RELATIVE_SCALE = 0.005


def deviations(
    audit: Mapping[str, NDArray[Any]], transform: TargetTransform | None = None
) -> FloatArray:
    """Return the targets' scores in robust deviations, with a lower bound on the deviation.

    Where rows follow a curve to the last digit, five deviations may be negligible, and the
    approximation error of the fit would look like mistakes. Deviations are those of transformed
    targets, if the fit was made on these.
    """
    scores = np.asarray(audit["score"], float)
    observed, expected = (
        on_scale(np.asarray(audit[name], float), transform) for name in ("observed", "expected")
    )
    least_scale = (
        MIN_RELATIVE_SCALE * 1.4826 * float(np.median(np.abs(observed - np.median(observed))))
    )
    if least_scale > 0:
        residuals = np.abs(observed - expected)
        scores = np.minimum(scores, residuals / least_scale)
    # Feature outliers rank with the worst target, whatever their own targets are.
    feature_outlier = np.isin(audit["kind"], ("features", "both"))
    worst = max(float(scores[~feature_outlier].max(initial=0.0)), 2 * FLAG_SCORE)
    return np.where(feature_outlier, np.maximum(scores, worst), scores)


def on_scale(y: FloatArray, transform: TargetTransform | None) -> FloatArray:
    """Return targets on the scale of a fit."""
    return y if transform is None else transform.forward(y)


def training_audit(model: Any, X: FloatArray, y: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return an audit's columns from the fit itself, without leave-one-out residuals.

    One row among very many has negligible leverage on a fit of few features, so that its training
    score is close to its leave-one-out score.
    """
    return {
        "score": model.outlier_scores_,
        "flagged": ~model.inlier_mask_,
        "observed": y,
        "expected": model.predict(X),
        "kind": np.where(model.inlier_mask_, "", "target"),
        "features": np.full(len(y), ""),
    }


def audit_by_row(audit: Any) -> dict[str, NDArray[Any]]:
    """Return the columns of an audit, a data frame or an array, in the order of the rows."""
    names = audit.dtype.names if hasattr(audit, "dtype") else audit.columns
    columns = {name: np.asarray(audit[name]) for name in names}
    order = np.argsort(columns["row"])
    return {name: column[order] for name, column in columns.items()}
