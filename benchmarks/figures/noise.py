"""Errors over the noise of the features: a panel for each data set, a line a method."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from .style import FAINT, INK, drawing, method_name, panels, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = 3
# What is worse is an arrow at the edge: lines that explode would hide all others.
BOTTOM, TOP = 0.98, 1.3
ARROW: dict[str, Any] = {"marker": "^", "linestyle": "none", "markersize": 4}
BLUE, SKY, ORANGE, RED, GREEN, GREY = (
    "#0072b2",
    "#56b4e9",
    "#e69f00",
    "#d55e00",
    "#009e73",
    "#7f8c98",
)
DASHED = (0, (4, 2))
# Ours are blue and competitors are not; dashes see the rows once.
LINES: dict[str, dict[str, Any]] = {
    "untaint": {"color": BLUE, "linewidth": 2.0},
    "untaint-stream": {"color": BLUE, "linestyle": DASHED},
    "untaint-two": {"color": SKY, "linewidth": 2.0},
    "untaint-stream-two": {"color": SKY, "linestyle": DASHED},
    "naive": {"color": INK},
    "naive-two": {"color": FAINT},
    "river": {"color": GREY, "linestyle": DASHED},
    "tls": {"color": RED},
    "odrpack": {"color": ORANGE, "linestyle": (0, (1, 1.5))},
    "simex": {"color": GREEN},
    "rc": {"color": GREEN, "linestyle": DASHED},
}


def draw_ratios(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return median over the seeds of the error over the clean fit's."""
    datasets = groups(rows, ("dataset",))
    n_columns = min(COLUMNS, len(datasets))
    n_rows = -(-len(datasets) // n_columns)
    with drawing():
        figure, axes = panels(n_rows, n_columns, height=0.8 + 1.9 * n_rows)
        for ax, ((dataset,), part) in zip(axes.flat, datasets.items(), strict=False):
            _panel(ax, part)
            ax.set_title(str(dataset).partition("-")[0], loc="left", color=INK, fontweight="bold")
        for ax in axes.flat[len(datasets) :]:
            ax.set_visible(False)
        for ax in axes[:, 0]:
            ax.set_ylabel("RMSE over clean fit's", color=INK)
        for ax in axes[-1]:
            ax.set_xlabel("noise, in deviations", color=INK)
        where: Any = {"loc": "outside upper center", "ncols": 4, "columnspacing": 1.0}
        handles = {line.get_label(): line for ax in axes.flat for line in ax.get_lines()}
        names = [method_name(method) for method in LINES]
        shown = [handles[name] for name in names if name in handles]
        figure.legend(handles=shown, frameon=False, labelcolor=INK, handlelength=2.2, **where)
        return save(figure, path)


def _panel(ax: Axes, rows: Sequence[Row]) -> None:
    tidy(ax)
    for (method,), part in groups(rows, ("method",)).items():
        by_level = groups(part, ("epsilon",)).items()
        found = sorted((float(str(k)), values(some, "over_clean")) for (k,), some in by_level)
        known = [(level, median(ratios)) for level, ratios in found if ratios]
        line = LINES.get(str(method), {"color": FAINT})
        inside = [(level, ratio) for level, ratio in known if ratio <= TOP]
        ax.plot(*_columns(inside), label=method_name(method), marker=".", **line)
        beyond = [(level, TOP - 0.01) for level, ratio in known if ratio > TOP]
        if beyond:
            ax.plot(*_columns(beyond), color=line["color"], **ARROW)
    ax.axhline(1.0, color=FAINT, linewidth=0.8, zorder=0)
    ax.set_ylim(BOTTOM, TOP)


def _columns(points: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]
