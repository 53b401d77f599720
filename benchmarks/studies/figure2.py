"""Figure 2: how much sooner accelerated steps come to where plain ones end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean

from ..case import Case
from ..papers.descent import OBJECTIVE_MEASURES, watch_objective
from ..results import Row
from ..summary import groups, values
from ..table import markdown
from ._cells import Cells, cases_of
from .base import Study

METHODS = ("plain", "momentum", "nesterov")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each data set, acceleration and seed."""
    datasets = ["smooth-150"] if quick else ["boston", "concrete"]
    return cases_of([Cells(datasets, ["label"], [0.2])], METHODS, seeds)


def table(rows: list[Row]) -> str:
    """Return iterations to the last objective of plain steps, relative to theirs."""
    header = ["dataset", "method", "iterations", "plain's", "ratio", "seeds that came there"]
    body = []
    for setting, part in groups(rows, ("dataset", "method")).items():
        there = [row for row in part if values([row], "reached")]
        if there:
            means = [fmean(row[name] for row in there) for name in ("reached", "plain_n_iter")]
            ratio = f"{fmean(row['reached'] / row['plain_n_iter'] for row in there):.3f}"
            cells = [f"{means[0]:.0f}", f"{means[1]:.0f}", ratio]
        else:
            cells = ["-", "-", "-"]
        body.append([*setting, *cells, f"{len(there)} of {len(part)}"])
    return markdown(header, body)


def draw(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw the figure beside the results."""
    from ..figures.descent import draw_objectives

    return draw_objectives(rows, path)


STUDY = Study(
    "Figure 2: iterations until the objective is where plain gradient steps end, 20 % bad labels.",
    cases,
    watch_objective,
    OBJECTIVE_MEASURES,
    table,
    seeds=5,
    draw=draw,
)
