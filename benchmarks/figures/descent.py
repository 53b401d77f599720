"""Figures 1 and 2: errors, wrong rows kept and objectives over the iterations of gradient steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..frame import Row
from ..methods.base import spread
from ..studies.descent import CHECKPOINTS, ITERATIONS, columns
from .style import (
    FAINT,
    INK,
    KINDS,
    LEVELS,
    band,
    drawing,
    key_line,
    panels,
    plain_ticks,
    save,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {"boston": "Boston Housing", "concrete": "Concrete", "polynomial": "Polynomial"}
ACCELERATIONS = {"plain": "plain steps", "momentum": "momentum", "nesterov": "Nesterov"}
# What the share of wrong rows would be if rows were kept blindly.
BLIND: dict[str, Any] = {"marker": 9, "linestyle": "none", "markersize": 5, "clip_on": False}
KEY: dict[str, Any] = {"frameon": False, "labelcolor": INK, "handlelength": 1.4}


def draw_errors(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw Figure 1: data sets side by side, errors above and wrong rows below."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    with drawing():
        figure, axes = panels(2, len(datasets), height=3.7)
        for (above, below), dataset in zip(axes.T, datasets, strict=True):
            part = [row for row in rows if row["dataset"] == dataset]
            _errors(above, part)
            _wrong_rows(below, part)
            _head(above, dataset, CHECKPOINTS)
            below.set_xlabel("iteration", color=INK)
        axes[0, 0].set_ylabel("test RMSE", color=INK)
        axes[1, 0].set_ylabel("wrong rows among\nthose kept", color=INK)
        handles = [*axes[0, 0].get_lines(), key_line(color=FAINT, label="in the data", **BLIND)]
        where: Any = {"loc": "outside upper center", "ncols": len(handles), "columnspacing": 1.0}
        figure.legend(handles=handles, **KEY, **where)
        return save(figure, path)


def draw_objectives(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw Figure 2: a panel for each data set, a colour for each acceleration."""
    datasets = list(dict.fromkeys(row["dataset"] for row in rows))
    with drawing():
        figure, axes = panels(1, len(datasets), height=2.4)
        for ax, dataset in zip(axes[0], datasets, strict=True):
            _objectives(ax, [row for row in rows if row["dataset"] == dataset])
            _head(ax, dataset, ITERATIONS)
            ax.set_xlabel("iteration", color=INK)
        axes[0, 0].set_ylabel("objective / final\nobjective of plain steps", color=INK)
        axes[0, -1].legend(loc="upper right", **KEY)
        return save(figure, path)


def curves(rows: Sequence[Row], measure: str, iterations: Sequence[int]) -> NDArray[np.float64]:
    """Return one curve for each row, over the iterations."""
    return np.array([[row[name] for name in columns(measure, iterations)] for row in rows])


def _errors(ax: Axes, rows: Sequence[Row]) -> None:
    for color, (level, part) in _levels(rows):
        found = curves(part, "rmse", CHECKPOINTS)
        band(ax, CHECKPOINTS, found, log=True, color=color, label=f"{100 * level:.0f} % wrong")
    oracle = float(np.exp(np.mean(np.log([row["genie"] for row in rows]))))
    ax.axhline(oracle, color=INK, linestyle=(0, (4, 2)), linewidth=0.9, label="oracle")
    ax.set_yscale("log")
    plain_ticks(ax.yaxis)


def _wrong_rows(ax: Axes, rows: Sequence[Row]) -> None:
    tidy(ax)
    for color, (level, part) in _levels(rows):
        if level > 0:
            band(ax, CHECKPOINTS, curves(part, "bad", CHECKPOINTS), color=color)
            ax.plot(CHECKPOINTS[0], level, color=color, **BLIND)
    ax.set_ylim(0, None)
    ax.yaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")


def _objectives(ax: Axes, rows: Sequence[Row]) -> None:
    ax.axhline(1.0, color=FAINT, linewidth=0.8)
    for (method, label), color in zip(ACCELERATIONS.items(), KINDS, strict=True):
        part = [row for row in rows if row["method"] == method]
        if part:
            found = curves(part, "excess", ITERATIONS)
            band(ax, ITERATIONS, found, log=True, color=color, label=label)
    ax.set_yscale("log")
    plain_ticks(ax.yaxis)


def _head(ax: Axes, dataset: str, iterations: Sequence[int]) -> None:
    tidy(ax)
    ax.set(xscale="log", xlim=(iterations[0], iterations[-1]))
    name = NAMES.get(dataset.partition("-")[0], dataset)
    ax.set_title(name, loc="left", color=INK, fontweight="bold")


def _levels(rows: Sequence[Row]) -> list[tuple[str, tuple[float, list[Row]]]]:
    """Return colour, noise level and its rows, from the lowest level."""
    levels = sorted({row["epsilon"] for row in rows})
    parts = [(level, [row for row in rows if row["epsilon"] == level]) for level in levels]
    return list(zip(spread(LEVELS, len(levels)), parts, strict=True))
