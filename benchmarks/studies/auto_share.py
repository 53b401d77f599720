"""A study of how well the share of bad rows is estimated, and how many clean rows are trimmed.

share_error   |estimated share - true share|
covered       1 if the true share is in the interval
flagged       share of the rows that are not kept
warned        1 if two explanations were reported

The clean data sets include drawn ones whose noise has heavy tails, is skewed, or grows with a
feature.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np

from ..data.protocol import split_of
from ..data.sets import FIVE
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, largest, mean, show, summary_table, values
from ..methods.search import estimator, watch

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4)
CLEAN = ("student", "laplace", "skewed", "growing", "counts", "friedman", "wide")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random targets at five shares, and clean rows that look suspicious."""
    ours, n = ["untaint-cv"], 300 if quick else 1000
    cells = [
        Cells(("kiln", "diabetes") if quick else FIVE, ["label"], SHARES, ours),
        Cells([f"{name}-{n}" for name in CLEAN], ["label"], [0.0], ours),
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit with no argument and compare the share with the truth."""
    split = split_of(case)
    model, warned, seconds = watch(estimator(case.kind, case.seed), split.X_train, split.y_train)
    truth = float(np.mean(~split.clean_mask))
    low, high = (float(bound) for bound in model.contamination_interval_)
    return {
        "share": float(model.contamination_),
        "share_error": abs(float(model.contamination_) - truth),
        "low": low,
        "high": high,
        "covered": float(low <= truth <= high),
        "flagged": float(np.mean(~model.inlier_mask_)),
        "warned": float(warned),
        "seconds": seconds,
    }


def table(rows: list[Row]) -> str:
    """Return every cell, errors over corrupted data sets, and clean rows that were flagged."""
    columns = {
        "estimated": mean("share"),
        "error": mean("share_error"),
        "largest error": largest("share_error"),
        "covered": mean("covered"),
        "flagged": mean("flagged"),
        "warned": mean("warned"),
    }
    return f"{summary_table(rows, columns)}\n\n{errors(rows)}\n\n{flags(rows)}"


def errors(rows: Sequence[Row]) -> str:
    """Return errors of the estimate over the data sets that appear with bad rows too."""
    corrupted = {row["dataset"] for row in rows if row["epsilon"] > 0}
    parts = groups(row for row in rows if row["dataset"] in corrupted).values()
    found = [errors for part in parts if (errors := values(part, "share_error"))]
    if not found:
        return "No share was estimated."
    by_cell = [fmean(errors) for errors in found]
    return (
        f"Mean absolute error of the share, over {len(found)} cells: {show(fmean(by_cell))}; "
        f"largest mean of a cell: {show(max(by_cell))}; "
        f"largest of a single fit: {show(max(map(max, found)))}."
    )


def flags(rows: Sequence[Row]) -> str:
    """Return share of clean rows that were flagged, over all clean data sets."""
    cells = groups((row for row in rows if row["epsilon"] == 0), by=["dataset"])
    means = [fmean(found) for part in cells.values() if (found := values(part, "flagged"))]
    if not means:
        return "No clean rows were assessed."
    return (
        f"Flagged of clean rows, over {len(means)} data sets: {show(fmean(means))}; "
        f"largest mean of a data set: {show(max(means))}."
    )


STUDIES = {
    "auto-share": Study(
        "The share of bad rows as estimated from them; epsilon is the truth.",
        cases,
        run,
        ("share", "share_error", "low", "high", "covered", "flagged", "warned", "seconds"),
        table,
        seeds=10,
    )
}
