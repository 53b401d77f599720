"""Efficiency as bars; error over the contamination as curves, a panel a design and place."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..data.designs import ERRORS, target_deviation
from ..frame import Row
from ..frame.tables import groups
from ..studies.simulation import PLACES, curve, efficiency
from .style import INK, drawing, method_name, panels, plain_ticks, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Ours are blue; after Okabe and Ito, apart in lightness as well as in hue.
COLORS = {
    "untaint": "#0072b2",
    "untaint-told": "#56b4e9",
    "cv": "#003f66",
    "genie": "#2f3e4e",
    "plain": "#111111",
    "huber": "#e69f00",
    "ransac": "#cc79a7",
    "svr": "#d55e00",
    "term": "#009e73",
    "sever": "#8c6d1f",
    "lmrob": "#7b3294",
    "ltsreg": "#b58bd0",
}
MARKS = {"untaint": "o", "untaint-told": "s", "lmrob": "^", "ltsreg": "v", "ransac": "D"}
# The plain learner lies on top, since competing methods that follow it would hide it.
DASHED: dict[str, dict[str, Any]] = {
    "genie": {"linestyle": "--"},
    "plain": {"linestyle": (0, (2, 2.5)), "linewidth": 1.4, "zorder": 3},
}
TITLES = {"y": "wrong targets", "xy": "wrong features and targets"}
# Beyond this many deviations of the targets a fit is lost, and is drawn at the edge.
LOST = 30.0


def draw_simulation(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw each part of the study that has rows, beside the results."""
    clean = [row for row in rows if row["kind"] in ERRORS]
    spoiled = [row for row in rows if row["kind"] not in ERRORS]
    written = []
    with drawing():
        if clean:
            written += _draw_efficiency(clean, path.with_name(f"{path.stem}-efficiency"))
        if spoiled:
            written += _draw_curves(spoiled, path.with_name(f"{path.stem}-bias"))
    return written


def _draw_efficiency(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return one group of bars for each kind of error; the plain learner is the line at one."""
    designs = groups(rows, ("dataset",))
    figure, axes = panels(1, len(designs), height=2.8)
    figure.set_size_inches(6.9, 2.8)
    for ax, ((dataset,), part) in zip(axes[0], designs.items(), strict=True):
        methods = [m for (m,) in groups(part, ("method",)) if m != "plain"]
        width = 0.8 / max(len(methods), 1)
        for place, method in enumerate(methods):
            heights = [efficiency(part, str(method), kind, "shape") for kind in ERRORS]
            left = [at + width * (place - (len(methods) - 1) / 2) for at in range(len(ERRORS))]
            color = COLORS.get(str(method), INK)
            ax.bar(left, heights, 0.9 * width, color=color, label=method_name(method))
        tidy(ax)
        ax.axhline(1.0, color=INK, linewidth=0.8)
        ax.set_xticks(range(len(ERRORS)), list(ERRORS))
        ax.set_title(f"{dataset}", loc="left", color=INK, fontweight="bold")
        ax.legend(frameon=False, labelcolor=INK, ncols=2, handlelength=0.9, loc="upper left")
        ax.margins(y=0.3)
    axes[0, 0].set_ylabel("efficiency over the plain learner", color=INK)
    return save(figure, path)


def _draw_curves(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return largest root mean squared error over the sizes, in deviations of correct targets."""
    designs = groups(rows, ("dataset",))
    figure, axes = panels(len(designs), len(PLACES), height=2.3 * len(designs) + 0.3)
    figure.set_size_inches(6.9, 2.3 * len(designs) + 0.3)
    for line, ((dataset,), part) in zip(axes, designs.items(), strict=True):
        for ax, place in zip(line, PLACES, strict=True):
            _panel(ax, part, place, target_deviation(str(dataset).partition("-")[0]))
            ax.set_title(f"{dataset}: {TITLES[place]}", loc="left", color=INK, fontweight="bold")
        line[0].set_ylabel("largest error", color=INK)
        line[-1].legend(frameon=False, labelcolor=INK, bbox_to_anchor=(1.0, 1.0), loc="upper left")
    for ax in axes[-1]:
        ax.set_xlabel("contamination", color=INK)
    return save(figure, path)


def _panel(ax: Axes, rows: Sequence[Row], place: str, deviation: float) -> None:
    tidy(ax)
    ax.set_yscale("log")
    shares = sorted({row["epsilon"] for row in rows})
    for (method,), own in groups(rows, ("method",)).items():
        errors = [math.sqrt(curve(own, place, share, "mse")) / deviation for share in shares]
        line: dict[str, Any] = {"linewidth": 1.8 if str(method).startswith("untaint") else 1.0}
        ax.plot(
            shares,
            [min(error, LOST) for error in errors],
            color=COLORS.get(str(method), INK),
            marker=MARKS.get(str(method), "."),
            markersize=3,
            label=method_name(method),
            **(line | DASHED.get(str(method), {})),
        )
    ax.axhline(1.0, color="#9aa5b1", linewidth=0.8, linestyle=":")
    ax.set_ylim(top=LOST * 1.2)
    plain_ticks(ax.yaxis)
