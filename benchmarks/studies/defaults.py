"""A study of methods without knowledge of the contamination, with equal budgets of settings.

*Genie* here is our estimator on the clean rows only, given that they are clean, and so selecting
its setting by ordinary leave-one-out errors. *kernel-ridge-cv* is the same on the corrupted rows.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..automatic.evaluate import MEASURES, evaluate
from ..case import Case
from ..results import Row
from ..table import ratio_table
from ._cells import FIVE, Cells, cases_of
from .base import Study

METHODS = ("genie", "untaint-cv", "kernel-ridge-cv", "plain-cv", "svr", "huber")
# Searched once, chosen by either validation error: two columns of the table.
TWO_SCORES = ("svr", "huber")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random targets at three shares, patterned ones at two."""
    cells = [
        Cells(FIVE, ["label"], [0.0, 0.2, 0.4]),
        Cells(FIVE, ["cluster", "shift"], [0.2, 0.4]),
    ]
    if quick:  # the competitors' searches take their time on small data too
        cells = [Cells(["smooth-150"], ["label"], [0.0, 0.4])]
    return cases_of(cells, METHODS, seeds)


def table(rows: list[Row]) -> str:
    """Return ratios to Genie, and on clean rows to kernel ridge tuned by cross-validation."""
    clean = [
        row for row in rows if row["epsilon"] == 0 and row["method"] in ("plain-cv", "untaint-cv")
    ]
    return (
        f"{ratio_table(by_score(rows), decimals=3)}\n\n"
        "Without corruption, over plain kernel ridge tuned by ordinary cross-validation:\n\n"
        f"{ratio_table(clean, reference='plain-cv', decimals=3)}"
    )


def by_score(rows: Iterable[Row]) -> list[Row]:
    """Make two rows of each that holds a choice by mean squared and one by median error."""
    result = []
    for row in rows:
        if row["method"] in TWO_SCORES:
            result.append(row | {"method": f"{row['method']}-mse"})
            result.append(
                row | {"method": f"{row['method']}-median", "rmse": row["rmse_by_median"]}
            )
        else:
            result.append(row)
    return result


STUDY = Study(
    "Clean-test RMSE over Genie's, every method without knowledge of the contamination.",
    cases,
    evaluate,
    MEASURES,
    table,
    seeds=10,
)
