"""Figure 1: how the papers' gradient method sheds bad rows and error over its iterations."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ..case import Case
from ..papers.descent import CHECKPOINTS, ERROR_MEASURES, watch_errors
from ..results import Row
from ..summary import mean, summary_table
from ._cells import Cells, cases_of
from .base import Study

DATASETS = ("concrete", "boston", "polynomial-1000")
LEVELS = (0.0, 0.1, 0.2, 0.3, 0.4)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each data set, noise level and seed."""
    cells = Cells(DATASETS, ["label"], LEVELS)
    if quick:
        cells = Cells(["smooth-150", "polynomial-200"], ["label"], [0.0, 0.2, 0.4])
    return cases_of([cells], ["gradient"], seeds)


def table(rows: list[Row]) -> str:
    """Return errors after some iterations, and the share of bad rows after the last."""
    means = {f"rmse at {k:,}": mean(f"rmse@{k}") for k in CHECKPOINTS[::3]}
    last = {"bad among kept": mean(f"bad@{CHECKPOINTS[-1]}")}
    return summary_table(rows, {"genie": mean("genie"), **means, **last})


def draw(rows: list[Row], path: Path) -> list[Path]:
    """Draw the figure beside the results."""
    from ..figures.descent import draw_errors

    return draw_errors(rows, path)


STUDY = Study(
    "Figure 1: clean-test RMSE, and bad rows among those kept, over the iterations.",
    cases,
    watch_errors,
    ERROR_MEASURES,
    table,
    seeds=5,
    draw=draw,
)
