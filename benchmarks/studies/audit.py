"""A study of the false-discovery rate of the audit, and of its recall."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from untaint.datasets.corruption import task_of

from ..automatic.audit import FDR, MEASURES, measure_audit
from ..case import Case
from ..results import Row
from ..summary import groups, mean, show, summary_table, values
from ._cells import FIVE, Cells, cases_of
from .base import Study

CLASSES = ("heart", "breast", "vehicle")
COMPETITORS = {"precision_forest": "IsolationForest", "precision_cleanlab": "cleanlab"}


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random and patterned targets, and flipped classes."""
    datasets = ("kiln",) if quick else FIVE
    cells = [
        Cells(datasets, ["label"], [0.1, 0.2, 0.4]),
        Cells(datasets, ["cluster", "shift"], [0.2, 0.4]),
        Cells(["classes2-150"] if quick else CLASSES, ["flip"], [0.2]),
    ]
    return cases_of(cells, ["untaint-cv"], seeds)


def table(rows: list[Row]) -> str:
    """Return every cell, and the figures that the promise is about."""
    cells = summary_table(
        rows,
        {
            "false discoveries": mean("false_discoveries"),
            "recall": mean("recall"),
            "oracle's recall": mean("oracle_recall"),
            f"oracle's at {FDR:g}": mean("oracle_recall_at_fdr"),
            "average precision": mean("precision_untaint"),
            "of IsolationForest": mean("precision_forest"),
            "of cleanlab": mean("precision_cleanlab"),
        },
    )
    lines = [promise(rows, "regression"), promise(rows, "classification"), label_recall(rows)]
    lines += [precision_wins(rows, measure) for measure in COMPETITORS]
    return "\n\n".join([cells, *(line for line in lines if line)])


def promise(rows: Sequence[Row], task: str) -> str:
    """Return false discoveries of one task, on average over the cells."""
    cells = groups([row for row in rows if task_of(row["kind"]) == task])
    found = [values(part, "false_discoveries") for part in cells.values()]
    means = [fmean(part) for part in found if part]
    if not means:
        return ""
    return f"False discoveries, {task}, mean over {len(means)} cells: {show(fmean(means))}."


def label_recall(rows: Sequence[Row]) -> str:
    """Return the smallest recall of random targets over what the true residuals allow."""
    cells = groups([row for row in rows if row["kind"] == "label"]).values()
    lines = []
    for oracle, words in (
        ("oracle_recall", "the same share of false discoveries"),
        ("oracle_recall_at_fdr", f"a share of {FDR:g}"),
    ):
        ratios = [
            fmean(values(part, "recall")) / fmean(values(part, oracle))
            for part in cells
            if values(part, "recall") and any(values(part, oracle))
        ]
        if ratios:
            lines.append(
                f"Recall of random targets over the oracle's at {words}: "
                f"{show(fmean(ratios))}, smallest cell {show(min(ratios))}."
            )
    return " ".join(lines)


def precision_wins(rows: Sequence[Row], measure: str) -> str:
    """Return in how many cells our average precision is above a competitor's."""
    cells = [
        part
        for part in groups(rows).values()
        if values(part, measure) and values(part, "precision_untaint")
    ]
    if not cells:
        return f"{COMPETITORS[measure]} is not installed: no comparison."
    above = sum(
        fmean(values(part, "precision_untaint")) > fmean(values(part, measure)) for part in cells
    )
    return f"Average precision above {COMPETITORS[measure]}'s in {above} of {len(cells)} cells."


STUDY = Study(
    f"Rows flagged by audit(fdr={FDR:g}) after a fit with no argument, against the truth.",
    cases,
    measure_audit,
    MEASURES,
    table,
    seeds=10,
)
