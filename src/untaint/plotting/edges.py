"""Points, with arrows at the edge for those that lie out of view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._typing import BoolArray, FloatArray
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_points(
    ax: Axes, x: FloatArray, y: FloatArray, flagged: BoolArray, bounds: tuple[float, float]
) -> str:
    """Draw the kept rows, the flagged ones above them, and arrows for those left or right of view.

    Returns
    -------
    str
        A note on the arrows, empty if there are none.
    """
    low, high = bounds
    margin = 0.05 * (high - low) or 1.0
    ax.set_xlim(low - margin, high + margin)
    left, right = x < low, x > high
    inside = ~(left | right)
    at = np.clip(np.nan_to_num(x, nan=low), low - 0.6 * margin, high + 0.6 * margin)
    look: dict[str, Any] = {"linewidths": 0, "rasterized": len(x) > style.MANY}
    for rows, color, size, zorder in (
        (~flagged, style.KEPT, 9.0, 2.0),
        (flagged, style.FLAGGED, 18.0, 3.0),
    ):
        for part, marker in ((inside, "o"), (left, "<"), (right, ">")):
            selected = rows & part
            if selected.any():
                area = style.mark_size(ax, size if marker == "o" else 24.0, len(x))
                look |= {"color": color, "zorder": zorder, "marker": marker, "s": area}
                ax.scatter(at[selected], y[selected], **look)
    n_outside = int((~inside).sum())
    return f"\n{style.count(n_outside, 'row')} beyond, at the edge" if n_outside else ""
