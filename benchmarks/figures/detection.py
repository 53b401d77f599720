"""ROC and precision-recall curves of scores, averaged over data sets and seeds; a row a kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..frame import Row
from ..frame.tables import groups, values
from .style import INK, drawing, method_name, save, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES: dict[str, dict[str, Any]] = {
    "oracle": {"color": INK, "linestyle": (0, (4, 2))},
    "untaint": {"color": "#0072b2", "linewidth": 2.0},
    "residuals": {"color": "#9aa5b1"},
    "forest": {"color": "#d55e00"},
    "cleanlab": {"color": "#009e73"},
}
TITLES = {"label": "random targets", "cluster": "targets at one value", "shift": "shifted targets"}


def draw_detection(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw both curves for each kind of wrong rows."""
    from matplotlib.figure import Figure

    kinds = groups(rows, ("kind",))
    with drawing():
        figure = Figure(figsize=(6.4, 0.6 + 1.9 * len(kinds)), layout="constrained")
        axes = figure.subplots(len(kinds), 2, squeeze=False, sharex="col")
        for (left, right), ((kind,), part) in zip(axes, kinds.items(), strict=True):
            for (method,), own in groups(part, ("method",)).items():
                _curve(left, own, "tpr@", str(method), ends=(1.0, 1.0))
                _curve(right, own, "precision@", str(method))
            left.set_title(TITLES.get(str(kind), str(kind)), loc="left", color=INK)
            left.set_ylabel("wrong rows found", color=INK)
            right.set_ylabel("precision", color=INK)
            for ax in (left, right):
                tidy(ax)
                ax.set_ylim(0.0, 1.03)
        axes[-1, 0].set_xlabel("correct rows flagged", color=INK)
        axes[-1, 1].set_xlabel("wrong rows found", color=INK)
        handles, labels = axes[0, 0].get_legend_handles_labels()
        where: Any = {"loc": "outside upper center", "ncols": 5}
        figure.legend(handles, labels, frameon=False, labelcolor=INK, **where)
        return save(figure, path)


def _curve(
    ax: Axes, rows: Sequence[Row], prefix: str, method: str, ends: tuple[float, float] | None = None
) -> None:
    names = [name for name in rows[0] if name.startswith(prefix)]
    points = [
        (float(name.removeprefix(prefix)), fmean(found))
        for name in names
        if (found := values(rows, name))
    ]
    if not points:
        return
    line = [*points, *([ends] if ends else [])]
    ax.plot(
        [x for x, _ in line],
        [y for _, y in line],
        label=method_name(method),
        **LINES.get(method, {}),
    )
