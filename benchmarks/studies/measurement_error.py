"""Linear regression when features carry noise of known size, or come in two noisy copies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from ..case import Case
from ..noisy.evaluate import MEASURES, evaluate
from ..noisy.methods import METHODS, PACKAGES, installed
from ..results import Row
from ..summary import groups, values
from ..table import markdown, number
from ._cells import Cells, cases_of
from .base import Study

DATASETS = ("boston", "concrete", "wine", "diabetes", "drug-1000", "kiln")
LEVELS = (0.2, 0.5, 1.0)
KIND = "gaussian"
# One iteration of odrpack factors a 410 x 410 matrix for each of the 800 rows.
TOO_WIDE_FOR_ODRPACK = "drug"


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every method on every data set and noise level; odrpack on the narrow ones."""
    cells = Cells(("kiln", "diabetes") if quick else DATASETS, [KIND], LEVELS)
    every = cases_of([cells], installed(), seeds)
    return [case for case in every if not _too_wide(case.method, case.dataset)]


def _too_wide(method: str, dataset: str) -> bool:
    return method == "odrpack" and dataset.startswith(TOO_WIDE_FOR_ODRPACK)


def table(rows: list[Row]) -> str:
    """Return errors over those of the clean fit, and the worst seed against the naive fit."""
    methods = [name for name in METHODS if any(row["method"] == name for row in rows)]
    body = []
    for (dataset, level), found in groups(rows, ("dataset", "epsilon")).items():
        by_method = groups(found, ("method",))
        body.append([dataset, level, *(_cell(by_method.get((name,), [])) for name in methods)])
    legend = (
        "Clean-test RMSE over that of a ridge fitted to the clean rows, median over the seeds; in "
        "brackets the largest ratio of a seed to the naive ridge on the same noisy rows. `two`: "
        "both copies of the features, and not the noise; the naive ridge then has their mean."
    )
    missing = [
        f"{package} is not installed: {name} is left out."
        for name, package in PACKAGES.items()
        if name not in methods
    ]
    if "odrpack" in methods and any(_too_wide("odrpack", row["dataset"]) for row in rows):
        missing.append("odrpack is left out of drug: it factors a 410 x 410 matrix for every row.")
    return "\n\n".join([legend, markdown(["dataset", "noise", *methods], body), *missing])


def _cell(rows: Sequence[Row]) -> str:
    ratios, against_naive = values(rows, "over_clean"), values(rows, "over_naive")
    if not ratios:
        return "failed" if rows else "-"
    worst = max(against_naive, default=math.nan)
    some = "" if len(ratios) == len(rows) else f", {len(ratios)} of {len(rows)}"
    return f"{number(median(ratios))} ({number(worst)}{some})"


def draw(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw the ratios over the noise beside the results."""
    from ..figures.noise import draw_ratios

    return draw_ratios(rows, path)


STUDY = Study(
    "Clean-test RMSE of linear models, features with Gaussian noise of a share of their deviation.",
    cases,
    evaluate,
    MEASURES,
    table,
    seeds=10,
    draw=draw,
)
