"""Lines of scores, their envelope and the names of rows at their ends."""

from typing import Any

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from . import style
from .colors import Axes, palette

# More lines than this cannot be distinguished.
MOST_LINES = 1000
MOST_FLAGGED = 400


def draw_lines(
    ax: Axes, percents: FloatArray, scores: FloatArray, groups: dict[str, IntArray]
) -> None:
    """Draw a line for each row of each group, thicker and above the others if flagged."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    colors = {"flagged": palette(ax).flagged, "not flagged": palette(ax).kept}
    for name, rows in groups.items():
        lines = [np.column_stack([percents, scores[:, row]]) for row in rows]
        is_flagged = name == "flagged"
        look: dict[str, Any] = {
            "colors": colors[name],
            "linewidths": style.mark_size(ax, 1.0 if is_flagged else 0.7),
            # The more lines, the fainter, so that dark means many.
            "alpha": float(np.clip(6.0 / np.sqrt(max(len(rows), 1)), 0.2, 0.9)),
            "rasterized": len(rows) > MOST_FLAGGED,
            "zorder": 3 if is_flagged else 2,
        }
        ax.add_collection(LineCollection(lines, **look))
        if len(rows):
            ax.add_line(Line2D([], [], color=colors[name], lw=1.5, label=name))


def draw_envelope(ax: Axes, percents: FloatArray, envelope: FloatArray) -> None:
    """Draw three quantiles of the rows that are not flagged."""
    ink = palette(ax).ink
    names = ("1, 50, 99 % of not flagged", None, None)
    for values, name, line in zip(envelope, names, ("--", "-", "--"), strict=True):
        ax.plot(percents, values, color=ink, lw=0.9, ls=line, label=name, zorder=3.5)


def sample_lines(scores: FloatArray, mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the flagged rows and the others that are drawn: all, or a sample of many."""
    flagged, others = np.flatnonzero(mask), np.flatnonzero(~mask)
    if len(scores) <= MOST_LINES:
        return flagged, others
    flagged = flagged[_evenly(scores[flagged], MOST_FLAGGED)]
    return flagged, others[_evenly(scores[others], MOST_LINES - len(flagged))]


def _evenly(scores: FloatArray, most: int) -> IntArray:
    """Return positions of some scores, low and high in proportion, the highest included."""
    order = np.argsort(-scores, kind="stable")
    if len(order) <= most:
        return order
    return order[np.linspace(0, len(order) - 1, most).astype(int)]


def draw_contamination(
    ax: Axes, share: float, interval: tuple[float, float] | None, estimated: bool
) -> None:
    """Draw the model's own share as a line, with a band for its interval."""
    ink = palette(ax).ink
    if interval is not None and interval[0] < interval[1]:
        low, high = interval
        ax.axvspan(100 * low, 100 * high, color=ink, alpha=0.1, lw=0, zorder=0.5)
    ax.axvline(100 * share, color=ink, lw=0.8, ls=style.DASHES, zorder=4)
    right = 100 * share > 0.6 * ax.get_xlim()[1]
    text = f"estimated {style.percent(share)}" if estimated else f"{style.percent(share)}, as given"
    look: dict[str, Any] = {"ha": "right" if right else "left", "va": "top"}
    place = ("data", "axes fraction")
    style.write(ax, text, (100 * share, 1), (-3 if right else 3, -2), xycoords=place, **look)


def name_lines(ax: Axes, rows: IntArray, last: FloatArray) -> None:
    """Write numbers of rows beside the ends of their lines, at least a line of text apart."""
    heights = ax.transLimits.transform(
        ax.transScale.transform(np.column_stack([np.zeros(len(rows)), last[rows]]))
    )[:, 1]
    places = _apart(heights, 0.8 * style.line_room(ax))
    for row, place in zip(rows, places, strict=True):
        style.write(ax, f"row {row}", (1, place), (4, 0), xycoords="axes fraction", va="center")


def _apart(heights: FloatArray, gap: float) -> FloatArray:
    """Return places near descending heights, at least a gap apart and at most at the top."""
    places = heights.copy()
    for i in range(1, len(places)):
        places[i] = min(places[i], places[i - 1] - gap)
    if len(places) == 0:
        return places
    return places + min(float(np.mean(heights - places)), 1.0 - places[0])
