"""Scores and flags of the training rows, read from a model's audit."""

from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from . import style
from .final_step import check_model
from .scale import LARGEST


class OutlierView(NamedTuple):
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
    fdr : float or None
        The false-discovery rate of the flags; None if they are the trimmed rows.
    observed, expected, suggested : array or None
        Targets or labels, if the model's audit has them.
    """

    scores: FloatArray
    kept: BoolArray
    flagged: BoolArray
    kinds: AnyArray
    contamination: float
    interval: tuple[float, float] | None
    estimated: bool
    is_classifier: bool
    fdr: float | None = None
    observed: AnyArray | None = None
    expected: AnyArray | None = None
    suggested: AnyArray | None = None

    @property
    def score_name(self) -> str:
        """The name of the scores and their unit."""
        if not self.is_classifier:
            return "outlier score (robust s.d.)"
        unit = "above 1: probably wrong" if self.estimated else "loss / threshold"
        return f"outlier score ({unit})"

    def parts(self, *names: str) -> dict[str, Any]:
        """Return some attributes by name: the flags and names that displays are made of."""
        names = ("flagged", "score_name", "rule", *names)
        return {name: getattr(self, name) for name in names}

    @property
    def rule(self) -> str:
        """How rows are flagged, as the end of a sentence."""
        return "" if self.fdr is None else f", FDR {style.percent(self.fdr)}"

    @property
    def share_note(self) -> str:
        """A sentence on the contamination."""
        share = style.percent(self.contamination)
        if not self.estimated:
            return f"trimmed share {share}, as given"
        if self.interval is None:
            return f"estimated share {share}"
        low, high = (style.percent(bound) for bound in self.interval)
        return f"estimated share {share} ({low.removesuffix(' %')}–{high})"


def read_outliers(model: Any, fdr: float | None = None) -> OutlierView:
    """Read scores and flags from the model's audit, or from its mask and scores without one.

    An audit without the parameter ``fdr``, as those of baselines, flags the trimmed rows.
    """
    check_model(model, "outlier_scores_", "inlier_mask_")
    table, fdr = _audit(model, fdr)
    parameter = model.get_params().get("contamination", "auto")
    kept = np.asarray(model.inlier_mask_, dtype=bool)
    return OutlierView(
        **_row_columns(model, table, kept),
        kept=kept,
        contamination=float(getattr(model, "contamination_", np.mean(~kept))),
        interval=_interval(model),
        estimated=isinstance(parameter, str),
        is_classifier=hasattr(model, "classes_"),
        fdr=fdr,
    )


def _row_columns(model: Any, table: Any, kept: BoolArray) -> dict[str, Any]:
    """Return columns of the audit in the order of the rows, or what stands for missing ones."""
    names = ("score", "flagged", "kind", "observed", "expected", "suggested")
    found = {name: None if table is None else audit_column(table, name) for name in names}
    scores, flagged, kinds = (found.pop(name) for name in names[:3])
    scores = np.asarray(model.outlier_scores_) if scores is None else scores
    return found | {
        "scores": np.clip(np.nan_to_num(scores, nan=0.0), 0.0, LARGEST).astype(float),
        "flagged": ~kept if flagged is None else flagged.astype(bool),
        "kinds": np.full(len(kept), "") if kinds is None else kinds.astype(str),
    }


def _audit(model: Any, fdr: float | None) -> tuple[Any, float | None]:
    """Return the audit and the rate that its flags honour."""
    if not hasattr(model, "audit"):
        return None, None
    if fdr is None or "fdr" not in signature(model.audit).parameters:
        return model.audit(), None
    return model.audit(fdr=fdr), fdr


def _interval(model: Any) -> tuple[float, float] | None:
    bounds = getattr(model, "contamination_interval_", None)
    if bounds is None or not np.isfinite(bounds).all():
        return None
    low, high = bounds
    return float(low), float(high)


def check_audit(table: Any) -> None:
    """Check that a table is an audit of all rows."""
    dtype = table.dtype if isinstance(table, np.ndarray) else table
    names = getattr(dtype, "names" if dtype is not table else "columns", None)
    if names is None:
        raise TypeError(
            f"table should be an audit, as audit() returns, got {type(table).__name__}."
        )
    missing = next((name for name in ("row", "score", "flagged") if name not in names), None)
    if missing is not None:
        raise ValueError(f"table should be an audit, with the column {missing}.")
    rows = np.asarray(table["row"])
    if not np.array_equal(np.sort(rows), np.arange(len(rows))):
        raise ValueError(
            f"table should be an audit of all rows, with each row from 0 to {len(rows) - 1} once, "
            "got a part of one."
        )


def audit_column(table: Any, name: str) -> AnyArray | None:
    """Return a column of an audit in the order of the rows, 2-d for several outputs."""
    names = table.dtype.names if isinstance(table, np.ndarray) else table.columns
    if name not in names:
        return None
    values = np.asarray(table[name])
    if values.dtype == object and len(values) and np.ndim(values[0]) == 1:
        values = np.stack([np.asarray(value) for value in values])
    ordered = np.empty_like(values)
    ordered[np.asarray(table["row"])] = values
    return ordered
