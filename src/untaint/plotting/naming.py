"""Labels with the positions of rows beside their points, where they fit."""

import numpy as np

from .._typing import FloatArray, IntArray
from . import style
from .colors import Axes

# Size of a character and of a line, in font sizes.
WIDTH, HEIGHT = 0.62, 1.1
GAP = 5.0
# Half of the size of a mark, in points.
MARK = 3.0

# Left, right, bottom and top, in points.
Box = tuple[float, float, float, float]


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
    names, at, taken = [f"row {row}" for row in rows], _in_points(ax, x, y), list[Box]()
    for row, name in zip(rows, names, strict=True):
        right = _beside(at[row], name)[0]
        taken += [right] if _free(right, at, taken) else []
    if len(taken) == len(rows):
        for row, name in zip(rows, names, strict=True):
            style.write(ax, name, (x[row], y[row]), (GAP, 0), va="center")
    else:
        text = f"row{'s' if len(rows) > 1 else ''} {', '.join(map(str, rows))}"
        style.write(ax, text, (x[rows[0]], y[rows].max()), (-2, GAP), va="bottom")


def name_points(ax: Axes, rows: IntArray, x: FloatArray, y: FloatArray) -> None:
    """Write the numbers of rows beside their points, where they cover no point and no other name.

    Parameters
    ----------
    ax : Axes
        Axes whose scales and limits are set.
    rows : array of int
        Positions of the rows, the most important first.
    x, y : array of shape (n,)
        Coordinates of all points, in data units.
    """
    at, taken = _in_points(ax, x, y), list[Box]()
    edge = ax.get_window_extent().x1 * 72.0 / ax.figure.dpi
    for row in rows:
        text = str(row)
        boxes = _beside(at[row], text)
        box = next((box for box in boxes if box[1] < edge and _free(box, at, taken)), None)
        if box is not None:
            taken.append(box)
            offset = (0.5 * (box[0] + box[1]) - at[row, 0], 0.5 * (box[2] + box[3]) - at[row, 1])
            style.write(ax, text, (x[row], y[row]), offset, ha="center", va="center")


def _in_points(ax: Axes, x: FloatArray, y: FloatArray) -> FloatArray:
    """Return places on the page, from data units."""
    pixels: FloatArray = ax.transData.transform(np.column_stack([x, y]))
    return pixels * 72.0 / ax.figure.dpi


def _beside(at: FloatArray, text: str) -> list[Box]:
    """Return the boxes of a text to the right of a point, to its left, above and below."""
    from matplotlib.font_manager import FontProperties

    size = float(FontProperties(size=style.SMALL).get_size_in_points())
    width, height = WIDTH * size * len(text), HEIGHT * size
    x, y = at
    across, along = GAP + 0.5 * width, GAP + 0.5 * height
    shifts = [(across, 0.0), (-across, 0.0), (0.0, along), (0.0, -along)]
    return [
        (x + dx - 0.5 * width, x + dx + 0.5 * width, y + dy - 0.5 * height, y + dy + 0.5 * height)
        for dx, dy in shifts
    ]


def _free(box: Box, points: FloatArray, taken: list[Box]) -> bool:
    """Return whether a box covers neither a point nor another box."""
    left, right, low, high = box
    x, y = points.T
    across, along = (x > left - MARK) & (x < right + MARK), (y > low) & (y < high)
    if (across & along).any():
        return False
    return all(right < a or left > b or high < c or low > d for a, b, c, d in taken)
