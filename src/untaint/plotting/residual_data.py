"""Observed and expected targets of the training rows, by the audit, or of other rows."""

from numbers import Integral
from typing import Any

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from .display import check_known
from .outlier_view import OutlierView
from .rows import rows_and_targets


def read_residuals(model: Any, view: OutlierView, X: Any, y: Any, output: int) -> dict[str, Any]:
    """Return one output's observed and expected targets, flags and standardised residuals."""
    rows, targets, seen = rows_and_targets(model, view, X, y)
    expected, observed = _compare(model, view, rows, targets, seen)
    n_outputs = observed.shape[1]
    if not isinstance(output, Integral) or not 0 <= output < n_outputs:
        raise ValueError(f"output should be an integer in [0, {n_outputs}), got {output!r}.")
    residuals = observed - expected
    which = f", output {output} of {n_outputs}" if n_outputs > 1 else ""
    found: dict[str, Any] = {"observed": observed[:, output], "expected": expected[:, output]}
    if not seen:
        return found | {"flagged": _beyond_threshold(model, residuals), "note": which}
    found |= {"flagged": view.flagged, "note": f"{view.rule}{which}"}
    if n_outputs == 1:
        found["standardised"] = np.copysign(view.scores, residuals[:, 0])
    return found


def _beyond_threshold(model: Any, residuals: FloatArray) -> BoolArray:
    with np.errstate(over="ignore"):
        losses = (residuals**2).sum(axis=1)
    return np.asarray(losses > getattr(model, "loss_threshold_", np.inf))


def _compare(
    model: Any, view: OutlierView, rows: Any, targets: AnyArray, seen: bool
) -> tuple[FloatArray, FloatArray]:
    """Return expected and observed targets, a column for each output."""
    expected = view.expected if seen else None
    if expected is None:
        if rows is None:
            raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
        expected = np.asarray(model.predict(rows))
    try:
        expected, observed = _columns(expected), _columns(targets.astype(float))
    except (TypeError, ValueError):
        raise ValueError(f"y should be numbers, got {targets[:3].tolist()}.") from None
    check_known("y", observed)
    if expected.shape != observed.shape:
        raise ValueError(
            f"y should have one target for each prediction, of shape {expected.shape}, "
            f"got {observed.shape}."
        )
    return expected.astype(float), observed


def _columns(values: AnyArray) -> FloatArray:
    return values[:, None] if values.ndim == 1 else values


def standardise(residuals: FloatArray, flagged: BoolArray) -> FloatArray:
    """Return residuals over the robust deviation of those that are not flagged."""
    inner = abs(residuals[~flagged & np.isfinite(residuals)])
    scale = 1.4826 * float(np.median(inner)) if len(inner) else 1.0
    return residuals / (scale or 1.0)
