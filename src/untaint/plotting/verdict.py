"""What a fitted model says of its training rows, read from its public attributes."""

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
class Verdict:
    """Scores and flags in the order of the training rows.

    Attributes
    ----------
    scores : array of shape (n,)
    kept, flagged : array of shape (n,), bool
    kinds : array of shape (n,), str
        What is odd about a flagged row: ``"target"``, ``"features"``, ``"both"`` or ``""``.
    share : float
    interval : tuple of two floats, or None
    estimated : bool
        Whether the share was estimated, and not given.
    labelled : bool
        Whether the targets are labels.
    observed, expected : array or None
        Targets or labels, if the model's audit tells them.
    """

    scores: FloatArray
    kept: BoolArray
    flagged: BoolArray
    kinds: NDArray[Any]
    share: float
    interval: tuple[float, float] | None
    estimated: bool
    labelled: bool
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
        return 1.0 if self.labelled and below <= 1.0 <= above else float(below)


def read_verdict(model: Any) -> Verdict:
    """From the model's audit, or from its mask and scores if it has none."""
    check_model(model, "outlier_scores_", "inlier_mask_")
    table = model.audit() if hasattr(model, "audit") else None
    kept = np.asarray(model.inlier_mask_, dtype=bool)

    def column(name: str) -> NDArray[Any] | None:
        return None if table is None else _column(table, name)

    flagged, kinds = column("flagged"), column("kind")
    given = model.get_params().get("contamination", "auto")
    return Verdict(
        scores=np.clip(np.nan_to_num(model.outlier_scores_, nan=0.0), 0.0, LARGEST).astype(float),
        kept=kept,
        flagged=~kept if flagged is None else flagged.astype(bool),
        kinds=np.full(len(kept), "") if kinds is None else kinds.astype(str),
        share=float(getattr(model, "contamination_", np.mean(~kept))),
        interval=_interval(model),
        estimated=isinstance(given, str),
        labelled=hasattr(model, "classes_"),
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
    """That the model is fitted and has the attributes."""
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
    """A column of the audit in the order of the rows; several outputs give several columns."""
    names = table.dtype.names if isinstance(table, np.ndarray) else table.columns
    if name not in names:
        return None
    values = np.asarray(table[name])
    if values.dtype == object and len(values) and np.ndim(values[0]) == 1:
        values = np.stack([np.asarray(value) for value in values])
    ordered = np.empty_like(values)
    ordered[np.asarray(table["row"])] = values
    return ordered
