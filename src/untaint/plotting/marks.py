"""Marks of rows: kept, trimmed, and flagged, which differ in marker, size and luminance."""

from typing import Any

import numpy as np

from .._typing import AnyArray, BoolArray, FloatArray
from . import style
from .colors import Axes, palette

# Marker of each kind of flagged row.
KINDS = {"target": "X", "features": "s", "both": "D"}
FLAG, KEEP = "X", "o"
FLAG_SIZE, KEEP_SIZE, TRIM_SIZE = 30.0, 9.0, 16.0


def draw_rows(
    ax: Axes,
    x: FloatArray,
    y: FloatArray,
    flagged: BoolArray,
    kept: BoolArray | None = None,
    kinds: AnyArray | None = None,
) -> None:
    """Scatter rows, with an entry for the legend for each group.

    Parameters
    ----------
    ax : Axes
    x, y : array of shape (n,)
    flagged : array of shape (n,), bool
    kept : array of shape (n,), bool, optional
        Rows that are neither kept nor flagged are hollow. By default there are none.
    kinds : array of shape (n,), str, optional
        Flagged rows of a kind in ``KINDS`` have its marker.
    """
    colors = palette(ax)
    kinds = np.full(len(x), "") if kinds is None else kinds
    kept = ~flagged if kept is None else kept
    named = {f"flagged: {kind}": (kinds == kind, marker) for kind, marker in KINDS.items()}
    named["flagged"] = (~np.isin(kinds, list(KINDS)), FLAG)
    for name, (rows, marker) in named.items():
        look = {"color": colors.flagged, "zorder": 3, "linewidths": 0, "marker": marker}
        _scatter_named(ax, x, y, rows & flagged, FLAG_SIZE, name, look)
    look = {"facecolors": "none", "edgecolors": colors.kept, "linewidths": 1, "zorder": 2.5}
    _scatter_named(ax, x, y, ~flagged & ~kept, TRIM_SIZE, "trimmed only", look)
    look = {"color": colors.kept, "zorder": 2, "linewidths": 0, "marker": KEEP}
    _scatter_named(ax, x, y, ~flagged & kept, KEEP_SIZE, "kept", look)


def _scatter_named(
    ax: Axes, x: FloatArray, y: FloatArray, rows: BoolArray, size: float, name: str, look: Any
) -> None:
    scatter(ax, x, y, rows, size, label=f"{name} ({rows.sum():,})", **look)


def scatter(
    ax: Axes, x: FloatArray, y: FloatArray, rows: BoolArray, size: float, **look: Any
) -> None:
    """Scatter some rows, if there are any."""
    if rows.any():
        look["s"] = style.mark_size(ax, size, len(x))
        ax.scatter(x[rows], y[rows], rasterized=len(x) > style.MANY, **look)
