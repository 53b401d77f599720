"""Regret over the number of rounds: a panel a stream, a line a learner, its bound in dashes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from .style import INK, drawing, key_line, panels, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = {
    "auto-one": "#0072b2",
    "auto-two": "#56b4e9",
    "theory-one": "#d55e00",
    "theory-two": "#e69f00",
    "kernel-two": "#009e73",
    "printed": "#cc79a7",
    "rls": "#888888",
    "leader": "#bbbbbb",
    "sgd": "#2f3e4e",
    "adagrad": "#b8a000",
}
DASHES = (0, (4, 2))


def draw_regret(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return mean over the seeds; what is below one is drawn at one."""
    streams = groups(rows, ("kind",))
    with drawing():
        figure, axes = panels(1, len(streams), height=2.9)
        for ax, ((kind,), part) in zip(axes[0], streams.items(), strict=True):
            _panel(ax, part)
            ax.set_title(str(kind), loc="left", color=INK, fontweight="bold")
            ax.set_xlabel("rounds T", color=INK)
        _share_heights(axes[0])
        axes[0, 0].set_ylabel("regret, at least 1", color=INK)
        handles = [*axes[0, 0].get_lines(), key_line(color=INK, linestyle=DASHES, label="bound")]
        where: Any = {"loc": "outside upper center", "ncols": 5, "columnspacing": 1.0}
        shown = [line for line in handles if not line.get_label().startswith("_")]
        figure.legend(handles=shown, frameon=False, labelcolor=INK, handlelength=1.6, **where)
        return save(figure, path)


def _panel(ax: Axes, rows: Sequence[Row]) -> None:
    tidy(ax)
    ax.set(xscale="log", yscale="log")
    for (method,), part in groups(rows, ("method",)).items():
        color = COLORS.get(str(method), INK)
        by_length = sorted(groups(part, ("rounds",)).items())
        lengths = [float(str(T)) for (T,), _ in by_length]
        regrets = [max(fmean(values(some, "regret")), 1.0) for _, some in by_length]
        ax.plot(lengths, regrets, color=color, marker=".", label=str(method))
        limits = [values(some, "bound") for _, some in by_length]
        if all(limits):
            bounds = [fmean(found) for found in limits]
            ax.plot(lengths, bounds, color=color, linestyle=DASHES, linewidth=0.9)


def _share_heights(axes: Sequence[Axes]) -> None:
    limits = [ax.get_ylim() for ax in axes]
    for ax in axes:
        ax.set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
