"""Regret over the number of rounds: a panel a stream, a line a learner, its bound in dashes.

Two of the six streams are drawn, the one without a change and the one that changes its sign ten
times; the table of the study has all. Regret is nearly linear below a thousand and down to minus
ten thousand, so that learners which do better than any fixed predictor are seen as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from .style import FAINT, INK, drawing, key_line, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STREAMS = {"iid": "no change", "blocks": "ten sign changes"}
OURS: dict[str, Any] = {"linewidth": 2.0, "zorder": 3}
# Ours are blue, the theorems' step sizes orange, as printed dotted, competitors grey.
LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "auto-one": ("default, one copy", {"color": "#0072b2", **OURS}),
    "auto-two": ("default, two copies", {"color": "#56b4e9", **OURS}),
    "theory-one": ("Theorem 1's step, one copy", {"color": "#d55e00"}),
    "theory-two": ("Theorem 1's step, two copies", {"color": "#e69f00"}),
    "printed": ("Algorithm 1 as printed", {"color": "#a03070", "linestyle": (0, (1, 1.2))}),
    "leader": ("corrected leader, every round", {"color": "#009e73"}),
    "rls": ("recursive least squares", {"color": "#888888", "marker": "^"}),
    "sgd": ("river's SGD", {"color": INK, "marker": "x"}),
    "adagrad": ("river's AdaGrad", {"color": "#b8a000", "marker": "v"}),
}
DASHES = (0, (4, 2))
LINEAR_BELOW = 10.0


def draw_regret(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return the picture of the mean over the seeds, and of the theorems' bounds."""
    from matplotlib.figure import Figure

    streams = {str(kind): part for (kind,), part in groups(rows, ("kind",)).items()}
    shown = [kind for kind in STREAMS if kind in streams] or list(streams)[:2]
    with drawing():
        figure = Figure(figsize=(6.9, 3.0), layout="constrained")
        axes = figure.subplots(1, len(shown), squeeze=False)[0]
        for ax, kind in zip(axes, shown, strict=True):
            _panel(ax, streams[kind])
            title = STREAMS.get(kind, kind)
            ax.set_title(title, loc="left", color=INK, fontweight="bold")
            ax.set_xlabel("rounds T", color=INK)
        axes[0].set_ylabel("regret", color=INK)
        handles = {line.get_label(): line for ax in axes for line in ax.get_lines()}
        lines = [handles[name] for name, _ in LINES.values() if name in handles]
        lines.append(key_line(color=INK, linestyle=DASHES, linewidth=0.9, label="bound"))
        where: Any = {"loc": "outside right upper", "handlelength": 1.8}
        figure.legend(handles=lines, frameon=False, labelcolor=INK, **where)
        return save(figure, path)


def _panel(ax: Axes, rows: Sequence[Row]) -> None:
    tidy(ax)
    ax.set(xscale="log")
    ax.set_yscale("symlog", linthresh=LINEAR_BELOW)
    ax.axhline(0.0, color=FAINT, linewidth=0.8, zorder=0)
    for (method,), part in groups(rows, ("method",)).items():
        if method not in LINES:
            continue
        name, line = LINES[str(method)]
        by_length = sorted(groups(part, ("rounds",)).items())
        lengths = [float(str(T)) for (T,), _ in by_length]
        regrets = [fmean(values(some, "regret")) for _, some in by_length]
        ax.plot(lengths, regrets, **({"marker": ".", "markersize": 4} | line), label=name)
        limits = [values(some, "bound") for _, some in by_length]
        if all(limits):
            bounds = [fmean(found) for found in limits]
            ax.plot(lengths, bounds, color=line["color"], linestyle=DASHES, linewidth=0.9)
