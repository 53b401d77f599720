"""Scores of the rows against the trimmed fraction.

While too few rows are trimmed, the outliers mask one another in a fit that they have bent; where
the last of them is trimmed, their scores jump and those of the inliers settle. Robust statistics
calls such plots monitoring, or a forward search when rows enter one by one (Atkinson and Riani,
*Robust Diagnostic Regression Analysis*, 2000; Riani, Cerioli, Atkinson and Perrotta, *Monitoring
robust regression*, Electronic Journal of Statistics 8, 2014).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import FloatArray, IntArray
from . import style
from .audit import score_name
from .outlier_view import OutlierView, read_outliers
from .refits import Monitoring, monitor
from .scale import LARGEST, scale_beyond

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Scores of inliers are below.
USUAL, USUAL_CLASSIFIER = 3.0, 1.0
# More lines than this cannot be distinguished.
MOST_LINES = 1000
MOST_FLAGGED = 400


def plot_monitoring(
    model: Any,
    X: Any = None,
    y: Any = None,
    shares: Any = None,
    ax: Axes | None = None,
    *,
    sample_weight: Any = None,
    monitoring: Monitoring | None = None,
) -> Axes:
    """Draw the scores of all rows against the trimmed fraction.

    Each row has a line; rows that the model flags are coloured. The model's own contamination is
    marked, with its interval if it has one. Of more than a thousand rows, a sample is drawn.

    Parameters
    ----------
    model : fitted estimator
        An estimator with a parameter ``contamination``. It is not changed.
    X, y : optional
        The training rows. By default those that the model keeps, if it does.
    shares : array of shape (m,), optional
        Trimmed fractions in [0, 0.5), one fit each. By default 21 of them, up to 0.48.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    sample_weight : array of shape (n,), optional
        Weights that the model was fitted with.
    monitoring : Monitoring, optional
        The result of :func:`monitor`; nothing is fitted then.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import plot_monitoring
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel() + 0.01 * np.cos(50 * X).ravel()
    >>> y[::6] += 20
    >>> model = SubquantileRegressor(alpha=0.01).fit(X, y)
    >>> ax = plot_monitoring(model, X, y, shares=[0.0, 0.1, 0.2, 0.3])
    >>> ax.get_xlabel()
    'share of rows trimmed (%)'
    """
    view = read_outliers(model)
    if monitoring is None:
        monitoring = monitor(model, X, y, shares, sample_weight=sample_weight)
    grid, scores = monitoring
    if scores.shape[1] != len(view.scores):
        raise ValueError(
            f"monitoring should have the model's {len(view.scores)} rows, got {scores.shape[1]}."
        )
    ax = style.get_axes(ax)
    scores = np.clip(np.nan_to_num(scores, nan=0.0), 0.0, LARGEST)
    usual = USUAL_CLASSIFIER if view.is_classifier else USUAL
    logarithmic = scale_beyond(ax, 0.0, float(scores.max()), usual, room=style.line_room(ax))
    ax.set_xlim(100 * grid.min(), 100 * max(grid.max(), view.contamination, grid.min() + 0.01))
    _draw_lines(ax, grid, scores, view)
    _draw_contamination(ax, view)
    beyond = style.beyond("above ", usual) if logarithmic else ""
    named = f"{score_name(view)}{beyond}"
    style.label(ax, "share of rows trimmed (%)", named, _summary(view))
    return ax


def _draw_lines(ax: Axes, grid: FloatArray, scores: FloatArray, view: OutlierView) -> None:
    from matplotlib.collections import LineCollection

    flagged, others = sample_lines(view)
    for rows, color, zorder in ((others, style.KEPT, 2), (flagged, style.FLAGGED, 3)):
        lines = [np.column_stack([100 * grid, scores[:, row]]) for row in rows]
        # The more lines, the fainter, so that dark means many.
        look = {
            "colors": color,
            "linewidths": style.mark_size(ax, 0.8),
            "alpha": float(np.clip(5.0 / np.sqrt(max(len(rows), 1)), 0.15, 0.8)),
            "rasterized": len(rows) > MOST_FLAGGED,
        }
        ax.add_collection(LineCollection(lines, zorder=zorder, **look))
    word = "kept" if view.kept[others].all() else "not flagged"
    _name_ends(ax, {"flagged": scores[-1, flagged], word: scores[-1, others]})


def _name_ends(ax: Axes, ends: dict[str, FloatArray]) -> None:
    """Write names beside the last scores, at least a line of text apart."""

    def height(values: FloatArray) -> float:
        at = ax.transScale.transform((0.0, float(np.median(values))))
        return float(ax.transLimits.transform(at)[1])

    places = sorted((height(values), name) for name, values in ends.items() if len(values))
    lowest = -1.0
    for place, name in places:
        lowest = max(place, lowest)
        ax.annotate(
            name,
            (1, lowest),
            xycoords="axes fraction",
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=style.SMALL,
            color=style.FLAGGED if name == "flagged" else style.KEPT,
        )
        lowest += 0.8 * style.line_room(ax)


def sample_lines(view: OutlierView) -> tuple[IntArray, IntArray]:
    """Return the flagged rows and the others that are drawn: all, or a sample of many."""
    flagged, others = np.flatnonzero(view.flagged), np.flatnonzero(~view.flagged)
    if len(view.scores) <= MOST_LINES:
        return flagged, others
    flagged = flagged[_evenly(view.scores[flagged], MOST_FLAGGED)]
    return flagged, others[_evenly(view.scores[others], MOST_LINES - len(flagged))]


def _evenly(scores: FloatArray, most: int) -> IntArray:
    """Return positions of some scores, low and high in proportion, the highest included."""
    order = np.argsort(-scores, kind="stable")
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).astype(int)]


def _draw_contamination(ax: Axes, view: OutlierView) -> None:
    if view.interval is not None:
        low, high = view.interval
        ax.axvspan(100 * low, 100 * high, color=style.INK, alpha=0.08, lw=0, zorder=0.5)
    ax.axvline(100 * view.contamination, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=4)
    share = style.percent(view.contamination)
    right = 100 * view.contamination > 0.6 * ax.get_xlim()[1]
    ax.annotate(
        f"estimated {share}" if view.estimated else f"{share}, as given",
        (100 * view.contamination, 1),
        xycoords=("data", "axes fraction"),
        xytext=(-3 if right else 3, -2),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
        zorder=4,
    )


def _summary(view: OutlierView) -> str:
    flagged, others = sample_lines(view)
    summary = style.flag_summary(view.flagged)
    drawn = len(flagged) + len(others)
    return summary if drawn == len(view.scores) else f"{summary}\n{drawn:,} rows drawn"
