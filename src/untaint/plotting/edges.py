"""Points, with arrows at the edge for those that lie out of view."""

from typing import Any

import numpy as np

from .._typing import BoolArray, FloatArray
from . import marks, style
from .colors import Axes, palette

Bounds = tuple[float, float]
ARROW_SIZE = 24.0


def draw_points(
    ax: Axes,
    x: FloatArray,
    y: FloatArray,
    flagged: BoolArray,
    x_bounds: Bounds,
    y_bounds: Bounds | None = None,
) -> str:
    """Draw kept rows, flagged ones above them, and arrows for those out of bounds.

    Returns
    -------
    str
        A note on the arrows, empty if there are none.
    """
    x, sides = _inside(ax, "x", x, x_bounds)
    y, heights = (y, np.zeros(len(y))) if y_bounds is None else _inside(ax, "y", y, y_bounds)
    beside = {"<": (sides < 0) & (heights == 0), ">": (sides > 0) & (heights == 0)}
    n_outside = draw_groups(ax, x, y, flagged, {"v": heights < 0, "^": heights > 0} | beside)
    return f"\n{style.count(n_outside, 'row')} beyond, at the edge" if n_outside else ""


def _inside(
    ax: Axes, axis: str, values: FloatArray, bounds: Bounds
) -> tuple[FloatArray, FloatArray]:
    """Set limits; return values that are in view, and on which side they were out of bounds."""
    low, high = bounds
    margin = 0.05 * (high - low) or 1.0
    ax.set(**{f"{axis}lim": (low - margin, high + margin)})
    sides = (values > high).astype(float) - (values < low)
    known = np.nan_to_num(values, nan=low)
    return np.clip(known, low - 0.6 * margin, high + 0.6 * margin), sides


def draw_groups(
    ax: Axes, x: FloatArray, y: FloatArray, flagged: BoolArray, arrows: dict[str, BoolArray]
) -> int:
    """Draw both groups of rows, some of them as arrows; return the number of arrows."""
    outside = np.logical_or.reduce(list(arrows.values()))
    colors = palette(ax)
    looks = (
        (~flagged, "kept", colors.kept, marks.KEEP, marks.KEEP_SIZE, 2.0),
        (flagged, "flagged", colors.flagged, marks.FLAG, marks.FLAG_SIZE, 3.0),
    )
    for rows, name, color, marker, size, zorder in looks:
        look: dict[str, Any] = {"color": color, "zorder": zorder, "linewidths": 0}
        if rows.any():  # an entry for the legend, also if all rows are out of view
            entry = f"{name} ({rows.sum():,})"
            ax.scatter([], [], s=size, marker=marker, label=entry, **look)
        marks.scatter(ax, x, y, rows & ~outside, size, marker=marker, **look)
        for arrow, out in arrows.items():
            marks.scatter(ax, x, y, rows & out, ARROW_SIZE, marker=arrow, **look)
    return int(outside.sum())
