"""Plot of residuals against fitted values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray
from . import style
from .edges import draw_points
from .label_odds import plot_label_odds
from .outlier_view import OutlierView, read_outliers
from .rows import rows_and_targets
from .scale import scale_beyond, visible_bounds

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_residuals(
    model: Any, X: Any = None, y: Any = None, ax: Axes | None = None, *, output: int = 0
) -> Axes:
    """Draw residuals against fitted values or, for a classifier, the odds of the labels.

    For a regressor, residuals beyond the threshold are on a logarithmic scale, so that a target of
    1e12 does not squash the others; fitted values that lie far out are drawn at the edge. For a
    classifier, the odds of each row's label are drawn by label.

    Parameters
    ----------
    model : fitted estimator
    X : array, sparse matrix or data frame of shape (m, d), optional
        By default the training rows, if the model keeps them. Rows that the model has not seen
        are flagged if their loss is above its threshold.
    y : array of shape (m,) or (m, k), optional
        Targets or labels. By default those of the model's audit.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    output : int, default=0
        Which target of a regressor with several to draw.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import plot_residuals
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 1e12
    >>> model = SubquantileRegressor(contamination=1 / 6, alpha=0.01).fit(X, y)
    >>> ax = plot_residuals(model, X, y)
    >>> ax.get_yscale()
    'symlog'
    """
    view = read_outliers(model)
    rows, targets, seen = rows_and_targets(model, view, X, y)
    if hasattr(model, "classes_"):
        return plot_label_odds(model, rows, targets, view.flagged if seen else None, ax)
    expected, observed = _compare(model, view, rows, targets)
    n_outputs = observed.shape[1]
    if not 0 <= output < n_outputs:
        raise ValueError(f"output should be in [0, {n_outputs}), got {output!r}.")
    residuals = observed - expected
    with np.errstate(over="ignore"):
        losses = (residuals**2).sum(axis=1)
    flagged = view.flagged if seen else losses > getattr(model, "loss_threshold_", np.inf)
    which = f", output {output} of {n_outputs}" if n_outputs > 1 else ""
    ax = style.get_axes(ax)
    _draw(ax, expected[:, output], residuals[:, output], flagged, which)
    return ax


def _compare(
    model: Any, view: OutlierView, rows: Any, targets: NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Return expected and observed targets, a column for each output."""
    expected = view.expected if rows is None else np.asarray(model.predict(rows))
    if expected is None:
        raise ValueError(f"{type(model).__name__} does not keep its rows: pass X and y.")
    expected, observed = _columns(expected), _columns(targets.astype(float))
    if expected.shape != observed.shape:
        raise ValueError(
            f"y should have one target for each prediction, of shape {expected.shape}, "
            f"got {observed.shape}."
        )
    return expected, observed


def _draw(
    ax: Axes, fitted: FloatArray, residuals: FloatArray, flagged: BoolArray, which: str
) -> None:
    known = residuals[np.isfinite(residuals)]
    good = abs(residuals[np.isfinite(residuals) & ~flagged])
    threshold = float(good.max(initial=0.0))
    low, high = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    logarithmic = scale_beyond(ax, low, high, threshold)
    ax.axhline(0, color=style.FAINT, lw=0.8, zorder=1)
    if logarithmic:
        for side in (-threshold, threshold):
            ax.axhline(side, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
    low, high = ax.get_ylim()
    residuals = np.nan_to_num(residuals, nan=0.0, posinf=high, neginf=low)
    note = draw_points(ax, fitted, residuals, flagged, visible_bounds(fitted, ~flagged))
    beyond = style.beyond("beyond ±", threshold) if logarithmic else ""
    key = style.FLAGGED if flagged.any() else style.INK
    summary = style.flag_summary(flagged)
    style.label(ax, f"fitted value{note}", f"residual{which}{beyond}", summary, key)


def _columns(values: NDArray[Any]) -> FloatArray:
    return values[:, None] if values.ndim == 1 else values
