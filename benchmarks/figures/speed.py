"""Time, memory and error over the number of rows, both axes logarithmic: a row a family.

Ours are bold. A cross at the top of the first two panels says where memory or time ran out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from ..speed.families import FAMILIES, Family
from .style import FAINT, INK, drawing, method_name, panels, plain_ticks, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BOLD, DASHED, DOTTED = 2.4, (0, (4, 2)), (0, (1, 1.5))
BLUE, SKY, GREEN, ORANGE, RED, PINK = (
    "#0072b2",
    "#56b4e9",
    "#009e73",
    "#e69f00",
    "#d55e00",
    "#cc79a7",
)
# Ours are blue or green, competitors are not.
LINES: dict[str, dict[str, Any]] = {
    "untaint": {"color": BLUE, "linewidth": BOLD},
    "untaint-auto": {"color": SKY, "linewidth": BOLD},
    "untaint-plain": {"color": BLUE, "linewidth": BOLD, "linestyle": DOTTED},
    "untaint-rff": {"color": GREEN, "linewidth": BOLD},
    "genie": {"color": INK, "linestyle": DASHED},
    "kernel-ridge": {"color": RED},
    "svr": {"color": ORANGE},
    "svc": {"color": ORANGE},
    "matrix": {"color": FAINT},
    "matrix-sklearn": {"color": FAINT, "linestyle": DASHED},
    "nystroem-ridge": {"color": RED},
    "nystroem-ridge-32": {"color": ORANGE},
    "nystroem-logistic": {"color": RED},
    "linear-regression": {"color": FAINT},
    "logistic-regression": {"color": RED},
    "huber": {"color": ORANGE},
    "ransac": {"color": RED},
    "ltsreg": {"color": PINK},
    "lmrob": {"color": PINK, "linestyle": DASHED},
}
# The word for both fits is shorter here, where ten methods share a key.
NAMES = {"untaint": "untaint, given", "untaint-auto": "untaint, estimated"}
KEY: dict[str, Any] = {"frameon": False, "labelcolor": INK, "handlelength": 2.2}


def draw_growth(rows: Sequence[Row], path: Path) -> list[Path]:
    """Return one picture for each family, named after the results where there is but one family."""
    families: dict[str, list[Row]] = {}
    for row in rows:
        families.setdefault(row["dataset"].rpartition("-")[0], []).append(row)
    written = []
    for name, some in families.items():
        beside = path if len(families) == 1 else path.with_name(f"{path.stem}.{name}.csv")
        written += _draw(FAMILIES[name], some, beside)
    return written


def curve(rows: Sequence[Row], measure: str) -> tuple[list[float], list[float]]:
    """Return sizes, and the mean over the seeds at each, where it can be shown on such an axis."""
    sizes = sorted(set(values(rows, "n")))
    found = [values([row for row in rows if row["n"] == n], measure) for n in sizes]
    points = [(n, fmean(some)) for n, some in zip(sizes, found, strict=True) if some]
    shown = [(n, value) for n, value in points if value > 0]
    return [n for n, _ in shown], [value for _, value in shown]


def _draw(family: Family, rows: Sequence[Row], path: Path) -> list[Path]:
    rows = [row | {"mistakes": _mistakes(row)} for row in rows]
    labels = {"seconds": "seconds", "peak_megabytes": "peak memory, MB"} | _error(family)
    with drawing():
        figure, axes = panels(1, len(labels), height=3.1)
        for ax, (measure, label) in zip(axes[0], labels.items(), strict=True):
            _panel(ax, rows, measure)
            ax.set_title(label, loc="left", color=INK, fontweight="bold")
            ax.set_xlabel("rows n", color=INK)
        for ax in axes[0, :2]:
            _crosses(ax, rows)
        handles = axes[0, 0].get_lines()
        shown = [line for line in handles if not str(line.get_label()).startswith("_")]
        where: Any = {"loc": "outside upper center", "ncols": 5, "columnspacing": 1.2}
        figure.legend(handles=shown, **KEY, **where)
        return save(figure, path)


def _error(family: Family) -> dict[str, str]:
    if family.classes:
        return {"mistakes": "error rate"}
    if family.kernel == "linear":
        return {"coef_error": "error of coefficients"}
    return {"rmse": "test RMSE"}


def _mistakes(row: Row) -> float:
    return 1.0 - row["accuracy"] if values([row], "accuracy") else math.nan


def _panel(ax: Axes, rows: Sequence[Row], measure: str) -> None:
    from matplotlib.ticker import NullLocator

    tidy(ax)
    ax.set(xscale="log", yscale="log")
    found = groups(rows, ("method",))
    for method in sorted((str(name) for (name,) in found), key=_place):
        x, y = curve(found[method,], measure)
        line = LINES.get(method, {"color": FAINT})
        ax.plot(
            x, y, label=NAMES.get(method, method_name(method)), marker=".", markersize=4, **line
        )
    plain_ticks(ax.yaxis)
    ax.set_xticks(sorted(set(values(rows, "n"))))
    ax.xaxis.set_major_formatter(lambda n, _: compact(n))
    ax.xaxis.set_minor_locator(NullLocator())


def compact(n: float) -> str:
    """Return thousands and millions by their letters, so that sizes fit beside one another."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if n >= unit:
            return f"{n / unit:g}{letter}"
    return f"{n:g}"


def _place(method: str) -> int:
    return list(LINES).index(method) if method in LINES else len(LINES)


def _crosses(ax: Axes, rows: Sequence[Row]) -> None:
    """Mark sizes at which a method came to no end, at the top, where there is no value to read."""
    for row in rows:
        if not values([row], "seconds"):
            color = LINES.get(row["method"], {"color": FAINT})["color"]
            at: Any = {"transform": ax.get_xaxis_transform(), "clip_on": False}
            ax.plot([row["n"]], [0.98], marker="x", color=color, linestyle="none", **at)
