"""Error over the share of wrong rows, a figure a data set; seconds over the number of rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from .style import INK, drawing, method_name, plain_ticks, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# After Okabe and Ito; ours are blue and thick, the oracle is dashed.
LINES: dict[str, dict[str, Any]] = {
    "genie": {"color": INK, "linestyle": (0, (4, 2))},
    "subquantile": {"color": "#56b4e9", "linewidth": 2.0, "marker": "s"},
    "subquantile-auto": {"color": "#0072b2", "linewidth": 2.0, "marker": "o"},
    "untaint-given": {"color": "#56b4e9", "linewidth": 2.0, "marker": "s"},
    "untaint-auto": {"color": "#0072b2", "linewidth": 2.0, "marker": "o"},
    "untaint-cv": {"color": "#003f66", "linewidth": 2.0, "marker": "D"},
    "stack": {"color": "#003f66", "linestyle": (0, (4, 2)), "marker": "D"},
    "krr": {"color": "#9aa5b1", "marker": "."},
    "kernel-ridge": {"color": "#9aa5b1", "marker": "."},
    "sever": {"color": "#8c6d1f", "marker": "v"},
    "term": {"color": "#009e73", "marker": "^"},
    "svr": {"color": "#d55e00", "marker": "x"},
    "huber": {"color": "#e69f00", "marker": "+"},
    "ransac": {"color": "#cc79a7", "marker": "<"},
    "random-forest": {"color": "#7b3294", "marker": "*"},
}
KINDS = {"label": "random targets", "cluster": "targets at one value"}
SIZE = (4.6, 3.0)


def draw_error_curves(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw mean errors over the share of wrong rows, a figure for each data set and kind."""
    written = []
    for (dataset, kind), part in groups(rows, ("dataset", "kind")).items():
        with drawing():
            figure, ax = _figure()
            for (method,), own in groups(part, ("method",)).items():
                points = sorted(groups(own, ("epsilon",)).items())
                shares = [float(str(share)) for (share,), _ in points]
                _line(ax, str(method), shares, [fmean(values(r, "rmse")) for _, r in points])
            ax.set_yscale("log")
            plain_ticks(ax.yaxis)
            title = f"{dataset}: {KINDS.get(str(kind), kind)}"
            ax.set_title(title, loc="left", color=INK, fontweight="bold")
            ax.set_xlabel("share of wrong rows", color=INK)
            ax.set_ylabel("error on clean test rows", color=INK)
            _legend(figure, ax)
            written += save(figure, path.with_name(f"{path.stem}-{dataset}-{kind}"))
    return written + draw_overview(rows, path)


def draw_overview(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw errors over the oracle's of the same split, averaged over data sets, a panel a kind."""
    from matplotlib.figure import Figure

    oracle = {_split(row): float(row["rmse"]) for row in rows if row["method"] == "genie"}
    with drawing():
        kinds = groups(rows, ("kind",))
        figure = Figure(figsize=(6.6, 2.9), layout="constrained")
        panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
        for ax, ((kind,), part) in zip(panels, kinds.items(), strict=True):
            tidy(ax)
            for (method,), own in groups(part, ("method",)).items():
                points = sorted(groups(own, ("epsilon",)).items())
                shares = [float(str(share)) for (share,), _ in points]
                _line(ax, str(method), shares, [_ratio(r, oracle) for _, r in points])
            ax.set_yscale("log")
            plain_ticks(ax.yaxis)
            title = str(KINDS.get(str(kind), kind))
            ax.set_title(title, loc="left", color=INK, fontweight="bold")
            names = ", ".join(str(name) for (name,) in groups(part, ("dataset",)))
            ax.set_xlabel(f"share of wrong rows\n({names})", color=INK)
        panels[0].set_ylabel("error / oracle's error", color=INK)
        _legend(figure, panels[0])
        return save(figure, path.with_name(f"{path.stem}-overview"))


def _split(row: Row) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("dataset", "kind", "epsilon", "seed"))


def _ratio(rows: Sequence[Row], oracle: dict[tuple[str, ...], float]) -> float:
    """Geometric mean of the errors over those of the oracle."""
    return exp(fmean(log(float(row["rmse"]) / oracle[_split(row)]) for row in rows))


def draw_times(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw seconds over the number of rows."""
    with drawing():
        figure, ax = _figure()
        for (method,), own in groups(rows, ("method",)).items():
            points = sorted((float(row["n"]), float(row["seconds"])) for row in own)
            _line(ax, str(method), [n for n, _ in points], [s for _, s in points])
        ax.set_xscale("log")
        ax.set_yscale("log")
        plain_ticks(ax.xaxis)
        ax.set_xlabel("rows", color=INK)
        ax.set_ylabel("seconds of one core", color=INK)
        _legend(figure, ax)
        return save(figure, path)


def _figure() -> tuple[Any, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, layout="constrained")
    ax = figure.subplots()
    tidy(ax)
    return figure, ax


def _line(ax: Axes, method: str, x: Sequence[float], y: Sequence[float]) -> None:
    style = {"color": INK, "markersize": 3.5} | LINES.get(method, {})
    ax.plot(x, y, label=method_name(method), **style)


def _legend(figure: Any, ax: Axes) -> None:
    figure.legend(
        *ax.get_legend_handles_labels(),
        frameon=False,
        labelcolor=INK,
        handlelength=2.2,
        loc="outside right upper",
    )
