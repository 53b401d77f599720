"""Labels with the positions of rows beside their points, where they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .._typing import FloatArray, IntArray
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Size of a character and of a line, in font sizes.
WIDTH, HEIGHT = 0.62, 1.1
GAP = 4.0


def name_rows(ax: Axes, rows: IntArray, x: FloatArray, y: FloatArray) -> None:
    """Write the numbers of rows whose points descend from the left.

    Each number is to the right of its point, if all of them fit; else in one line above the first.

    Parameters
    ----------
    ax : Axes
        Axes whose scales and limits are set.
    rows : array of int
        Positions of the rows, the highest first.
    x, y : array of shape (n,)
        Coordinates of all points, in data units.
    """
    if len(rows) == 0:
        return
    names = [f"row {row}" for row in rows]
    if _fit(ax, names, rows, np.column_stack([x, y])):
        for row, name in zip(rows, names, strict=True):
            _write(ax, name, (x[row], y[row]), (GAP, 0), "center")
    else:
        text = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
        _write(ax, text, (x[rows[0]], y[rows].max()), (-2, GAP), "bottom")


def _write(
    ax: Axes, text: str, at: tuple[float, float], offset: tuple[float, float], va: str
) -> None:
    ax.annotate(
        text,
        at,
        xytext=offset,
        textcoords="offset points",
        va=va,
        fontsize=style.SMALL,
        color=style.INK,
        zorder=4,
    )


def _fit(ax: Axes, names: list[str], rows: IntArray, points: FloatArray) -> bool:
    """Return whether no name covers a point or another name."""
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=style.SMALL).get_size_in_points()
    # From pixels to points.
    at = ax.transData.transform(points) * 72.0 / ax.figure.dpi
    boxes = []
    for row, name in zip(rows, names, strict=True):
        left, middle = at[row, 0] + 0.5 * GAP, at[row, 1]
        boxes.append((left, left + WIDTH * size * len(name), middle, 0.5 * HEIGHT * size))
    for place, (left, right, middle, half) in enumerate(boxes):
        inside = (at[:, 0] > left) & (at[:, 0] < right + GAP) & (abs(at[:, 1] - middle) < half + 2)
        if inside.any():
            return False
        for other_left, other_right, other_middle, _ in boxes[:place]:
            beside = left > other_right or right < other_left
            if not beside and abs(other_middle - middle) < 2 * half:
                return False
    return True
