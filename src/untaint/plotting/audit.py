"""Plot of the scores of the rows, the most suspicious first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import BoolArray, FloatArray
from . import style
from .naming import name_rows
from .outlier_view import OutlierView, read_outliers
from .scale import scale_beyond

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Marker of each kind of flagged row.
KINDS = {"target": "o", "features": "s", "both": "D"}
# With fewer flagged rows than this among so many, they are seen only on a logarithmic axis.
FEW, LARGE = 0.02, 500


def plot_audit(
    model: Any, ax: Axes | None = None, *, n_labels: int = 5, fdr: float | None = None
) -> Axes:
    """Draw the rows' scores, the most suspicious first.

    A cliff between the flagged rows and the others means that they are well separated; a slope,
    that rows near the threshold may be on either side of it. Scores far above the threshold are on
    a logarithmic scale.

    Parameters
    ----------
    model : fitted estimator
        A regressor or classifier with ``outlier_scores_`` and ``inlier_mask_``. If it has an
        ``audit`` method, markers show the kind of a flagged row.
    ax : matplotlib Axes, optional
        Axes to draw on, those of a new figure by default.
    n_labels : int, default=5
        Number of the most suspicious rows that are labelled with their position.
    fdr : float, optional
        False-discovery rate at which rows are flagged, as in the model's ``audit``. None flags the
        rows that the fit did not keep.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np
    >>> from untaint import SubquantileRegressor
    >>> from untaint.plotting import plot_audit
    >>> X = np.linspace(0, 3, 60)[:, None]
    >>> y = np.sin(X).ravel()
    >>> y[::6] += 20
    >>> ax = plot_audit(SubquantileRegressor(contamination=1 / 6, alpha=0.01).fit(X, y))
    >>> print(ax.get_title(loc="left"))
    10 of 60 rows flagged
    trimmed share 17 %, as given
    """
    view = read_outliers(model, fdr)
    ax = style.get_axes(ax)
    order = np.argsort(-view.scores, kind="stable")
    threshold = view.threshold
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    top, room = float(view.scores.max()), style.line_room(ax)
    logarithmic = scale_beyond(ax, 0.0, top, threshold or 0.0, room=room)
    _set_ranks(ax, view)
    _draw_rows(ax, rank, view)
    if threshold is not None:
        _draw_threshold(ax, threshold)
    beyond = style.beyond("above ", threshold) if threshold and logarithmic else ""
    scores = f"{score_name(view)}{beyond}"
    style.label(ax, "rows, most suspicious first", scores, _summary(view))
    style.legend(ax, len(rank), loc="upper right", bbox_to_anchor=(1, 1 - room), borderaxespad=0)
    named = order[view.flagged[order]][:n_labels]
    name_rows(ax, named, rank, view.scores)
    return ax


def score_name(view: OutlierView) -> str:
    """Return the name of the scores and their unit."""
    if not view.is_classifier:
        return "outlier score (robust s.d.)"
    unit = "above 1: probably wrong" if view.estimated else "loss / threshold"
    return f"outlier score ({unit})"


def _set_ranks(ax: Axes, view: OutlierView) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    n_rows, share = len(view.scores), float(np.mean(view.flagged))
    if 0 < share < FEW and n_rows >= LARGE:
        ax.set_xscale("log")
        ax.set_xlim(0.8, 1.25 * n_rows)
    else:
        ax.set_xlim(1 - 0.03 * n_rows, 1.02 * n_rows)
        ax.xaxis.set_major_locator(MaxNLocator(max(3, int(1.7 * style.width(ax))), integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: style.number(value)))


def _draw_rows(ax: Axes, rank: FloatArray, view: OutlierView) -> None:
    rasterized = len(rank) > style.MANY

    def draw(rows: BoolArray, name: str, size: float, **look: Any) -> None:
        if rows.any():
            look["s"] = style.mark_size(ax, size, len(rank))
            text = f"{name} ({rows.sum():,})"
            ax.scatter(rank[rows], view.scores[rows], label=text, rasterized=rasterized, **look)

    flag: dict[str, Any] = {"size": 18.0, "color": style.FLAGGED, "linewidths": 0, "zorder": 3}
    for kind, marker in KINDS.items():
        draw(view.flagged & (view.kinds == kind), f"flagged: {kind}", marker=marker, **flag)
    draw(view.flagged & ~np.isin(view.kinds, list(KINDS)), "flagged", **flag)
    trimmed = ~view.flagged & ~view.kept
    hollow = {"facecolors": "none", "edgecolors": style.KEPT, "linewidths": 1}
    draw(trimmed, "trimmed only", size=14, zorder=2.5, **hollow)
    kept = ~view.flagged & view.kept
    draw(kept, "kept", size=9, color=style.KEPT, linewidths=0, zorder=2)


def _draw_threshold(ax: Axes, threshold: float) -> None:
    ax.axhline(threshold, color=style.INK, lw=0.8, ls=(0, (4, 3)), zorder=1)
    ax.annotate(
        f"threshold {threshold:.2g}",
        (1, threshold),
        xycoords=("axes fraction", "data"),
        xytext=(0, -2),
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=style.SMALL,
        color=style.INK,
        zorder=6,  # above the key, which may reach down to here
    )


def _summary(view: OutlierView) -> str:
    first = style.flag_summary(view.flagged)
    share = style.percent(view.contamination)
    if not view.estimated:
        return f"{first}\ntrimmed share {share}, as given"
    return f"{first}\nestimated share {share}{_between(view.interval)}"


def _between(interval: tuple[float, float] | None) -> str:
    if interval is None:
        return ""
    low, high = (style.percent(bound) for bound in interval)
    return f" ({low.removesuffix(' %')}–{high})"
