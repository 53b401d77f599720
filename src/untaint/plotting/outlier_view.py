"""Scores and flags of the training rows, read from a model's public attributes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._typing import BoolArray, FloatArray
from .scale import LARGEST


@dataclass(frozen=True)
class OutlierView:
    """Scores and flags in the order of the training rows.

    Attributes
    ----------
    scores : array of shape (n,)
    kept, flagged : array of shape (n,), bool
    kinds : array of shape (n,), str
        Kind of a flagged row: ``"target"``, ``"features"``, ``"both"`` or ``""``.
    contamination : float
    interval : tuple of two floats, or None
    estimated : bool
        Whether the contamination was estimated, and not given.
    is_classifier : bool
        Whether the targets are class labels.
    observed, expected : array or None
        Targets or labels, if the model's audit has them.
    """

    scores: FloatArray
    kept: BoolArray
    flagged: BoolArray
    kinds: NDArray[Any]
    contamination: float
    interval: tuple[float, float] | None
    estimated: bool
    is_classifier: bool
    observed: NDArray[Any] | None = None
    expected: NDArray[Any] | None = None

    @property
    def threshold(self) -> float | None:
        """The score up to which rows are not flagged, None if scores do not decide that."""
        if not self.flagged.any() or self.flagged.all():
            return None
        below, above = self.scores[~self.flagged].max(), self.scores[self.flagged].min()
        if below > above:
            return None
        # Scores of classifiers are losses over the threshold.
        return 1.0 if self.is_classifier and below <= 1.0 <= above else float(below)


def read_outliers(model: Any, fdr: float | None = None) -> OutlierView:
    """Read scores and flags from the model's audit, or from its mask and scores.

    The scores of labels are those of the audit, which judges every row by the others.
    """
    check_model(model, "outlier_scores_", "inlier_mask_")
    table = None
    if hasattr(model, "audit"):
        table = model.audit() if fdr is None else model.audit(fdr=fdr)
    elif fdr is not None:
        raise TypeError(f"fdr needs a model with an audit, which {type(model).__name__} has not.")
    kept = np.asarray(model.inlier_mask_, dtype=bool)

    def column(name: str) -> NDArray[Any] | None:
        return None if table is None else _column(table, name)

    flagged, kinds, scores = column("flagged"), column("kind"), model.outlier_scores_
    audited = column("score")
    if audited is not None and (fdr is not None or hasattr(model, "classes_")):
        scores = audited
    parameter = model.get_params().get("contamination", "auto")
    return OutlierView(
        scores=np.clip(np.nan_to_num(scores, nan=0.0), 0.0, LARGEST).astype(float),
        kept=kept,
        flagged=~kept if flagged is None else flagged.astype(bool),
        kinds=np.full(len(kept), "") if kinds is None else kinds.astype(str),
        contamination=float(getattr(model, "contamination_", np.mean(~kept))),
        interval=_interval(model),
        estimated=isinstance(parameter, str),
        is_classifier=hasattr(model, "classes_"),
        observed=column("observed"),
        expected=column("expected"),
    )


def _interval(model: Any) -> tuple[float, float] | None:
    bounds = getattr(model, "contamination_interval_", None)
    if bounds is None or not np.isfinite(bounds).all():
        return None
    low, high = bounds
    return float(low), float(high)


def check_model(model: Any, *attributes: str) -> None:
    """Check that the model is fitted and has the attributes."""
    wanted = "model should be a fitted estimator of untaint, such as SubquantileRegressor"
    if not isinstance(model, BaseEstimator):
        found = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise TypeError(f"{wanted}, got {found}.")
    check_is_fitted(model)
    missing = [name for name in attributes if not hasattr(model, name)]
    if missing:
        remedy = ""
        if hasattr(model, "steps"):
            remedy = "; pass the pipeline's last step, pipeline[-1]"
        elif hasattr(model, "best_estimator_"):
            remedy = "; pass its best_estimator_"
        name = type(model).__name__
        raise TypeError(f"{wanted}, got {name}, which has no {missing[0]}{remedy}.")


def _column(table: Any, name: str) -> NDArray[Any] | None:
    """Return a column of the audit in the order of the rows, 2-d for several outputs."""
    names = table.dtype.names if isinstance(table, np.ndarray) else table.columns
    if name not in names:
        return None
    values = np.asarray(table[name])
    if values.dtype == object and len(values) and np.ndim(values[0]) == 1:
        values = np.stack([np.asarray(value) for value in values])
    ordered = np.empty_like(values)
    ordered[np.asarray(table["row"])] = values
    return ordered
