"""A study of how well the share of bad rows is estimated, and how many clean rows are trimmed.

The clean data sets include drawn ones whose noise has heavy tails, is skewed, or grows with a
feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from ..automatic.share import MEASURES, measure_share
from ..case import Case
from ..results import Row
from ..summary import groups, largest, mean, show, summary_table, values
from ._cells import FIVE, Cells, cases_of
from .base import Study

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
HONEST = ("student", "laplace", "skewed", "growing", "counts", "friedman", "wide")
N_DRAWN, N_QUICK = 1000, 300


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random targets at five shares, and clean rows that look suspicious."""
    n = N_QUICK if quick else N_DRAWN
    cells = [
        Cells(("kiln", "diabetes") if quick else FIVE, ["label"], SHARES),
        Cells([f"{name}-{n}" for name in HONEST], ["label"], [0.0]),
    ]
    return cases_of(cells, ["untaint-cv"], seeds)


def table(rows: list[Row]) -> str:
    """Return every cell, errors over corrupted data sets, and clean rows that were flagged."""
    cells = summary_table(
        rows,
        {
            "estimated": mean("share"),
            "error": mean("share_error"),
            "largest error": largest("share_error"),
            "covered": mean("covered"),
            "flagged": mean("flagged"),
            "warned": mean("warned"),
        },
    )
    return f"{cells}\n\n{errors(rows)}\n\n{flags(rows)}"


def errors(rows: Sequence[Row]) -> str:
    """Return errors of the estimate over the data sets that appear with bad rows too."""
    corrupted = {row["dataset"] for row in rows if row["epsilon"] > 0}
    cells = [
        found
        for found in groups([row for row in rows if row["dataset"] in corrupted]).values()
        if values(found, "share_error")
    ]
    if not cells:
        return "No share was estimated."
    by_cell = [fmean(values(found, "share_error")) for found in cells]
    single = max(max(values(found, "share_error")) for found in cells)
    return (
        f"Mean absolute error of the share, over {len(cells)} cells: {show(fmean(by_cell))}; "
        f"largest mean of a cell: {show(max(by_cell))}; largest of a single fit: {show(single)}."
    )


def flags(rows: Sequence[Row]) -> str:
    """Return share of clean rows that were flagged, over all clean data sets."""
    cells = groups([row for row in rows if row["epsilon"] == 0], by=["dataset"])
    flagged = [values(found, "flagged") for found in cells.values()]
    means = [fmean(found) for found in flagged if found]
    if not means:
        return "No clean rows were assessed."
    return (
        f"Flagged of clean rows, over {len(means)} data sets: {show(fmean(means))}; "
        f"largest mean of a data set: {show(max(means))}."
    )


STUDY = Study(
    "The share of bad rows as estimated from them; epsilon is the truth.",
    cases,
    measure_share,
    MEASURES,
    table,
    seeds=10,
)
