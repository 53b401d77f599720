"""A study of the false-discovery rate of the audit, of its recall and of its ranking of the rows.

``oracle_recall`` is what the true model's residuals allow at the share of false discoveries that
the audit came to, ``oracle_recall_at_fdr`` at the rate that was asked for. ``precision`` is average
precision.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np
from sklearn.metrics import average_precision_score

from untaint.datasets.corruption import task_of

from ..data.protocol import split_of
from ..data.sets import FIVE
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, mean, show, summary_table, values
from ..measures import false_discoveries, recall, recall_allowed
from ..methods import detection
from ..methods.search import estimator, watch

FDR = 0.1
MEASURES = (
    *("false_discoveries", "recall", "oracle_recall", "oracle_recall_at_fdr"),
    *("precision_untaint", "precision_forest", "precision_cleanlab", "seconds"),
)
COMPETITORS = {"precision_forest": "IsolationForest", "precision_cleanlab": "cleanlab"}


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random and patterned targets, and flipped classes."""
    datasets, ours = ("kiln",) if quick else FIVE, ["untaint-cv"]
    classes = ["classes2-150"] if quick else ["heart", "breast", "vehicle"]
    cells = [
        Cells(datasets, ["label"], [0.1, 0.2, 0.4], ours),
        Cells(datasets, ["cluster", "shift"], [0.2, 0.4], ours),
        Cells(classes, ["flip"], [0.2], ours),
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Fit with no argument, audit, and compare with the truth and with competitors."""
    split = split_of(case)
    bad = ~split.clean_mask
    model, _, seconds = watch(estimator(case.kind, case.seed), split.X_train, split.y_train)
    audit = model.audit(fdr=FDR)
    order = np.argsort(np.asarray(audit["row"]))  # that of the training rows
    flagged = np.asarray(audit["flagged"], dtype=bool)[order]
    realised = false_discoveries(flagged, bad)
    truth = detection.oracle(split, case.kind, case.seed)
    scores = {
        "untaint": np.asarray(audit["score"], dtype=np.float64)[order],
        "forest": detection.isolation_forest(split, case.kind, case.seed),
        "cleanlab": detection.cleanlab(split, case.kind, case.seed),
    }
    precisions = {
        f"precision_{name}": math.nan if score is None else average_precision_score(bad, score)
        for name, score in scores.items()
    }
    return {
        "false_discoveries": realised,
        "recall": recall(flagged, bad),
        "oracle_recall": recall_allowed(truth, bad, realised),
        "oracle_recall_at_fdr": recall_allowed(truth, bad, FDR),
        **{name: float(value) for name, value in precisions.items()},
        "seconds": seconds,
    }


def table(rows: list[Row]) -> str:
    """Return every cell, and the figures that the promise is about."""
    columns = {
        "false discoveries": mean("false_discoveries"),
        "recall": mean("recall"),
        "oracle's recall": mean("oracle_recall"),
        f"oracle's at {FDR:g}": mean("oracle_recall_at_fdr"),
        "average precision": mean("precision_untaint"),
        "of IsolationForest": mean("precision_forest"),
        "of cleanlab": mean("precision_cleanlab"),
    }
    lines = [summary_table(rows, columns)]
    lines += [promise(rows, "regression"), promise(rows, "classification"), label_recall(rows)]
    lines += [precision_wins(rows, measure) for measure in COMPETITORS]
    return "\n\n".join(line for line in lines if line)


def promise(rows: Sequence[Row], task: str) -> str:
    """Return false discoveries of one task, on average over the cells."""
    cells = groups(row for row in rows if task_of(row["kind"]) == task).values()
    found = [fmean(some) for part in cells if (some := values(part, "false_discoveries"))]
    if not found:
        return ""
    return f"False discoveries, {task}, mean over {len(found)} cells: {show(fmean(found))}."


def label_recall(rows: Sequence[Row]) -> str:
    """Return the smallest recall of random targets over what the true residuals allow."""
    cells = groups(row for row in rows if row["kind"] == "label").values()
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
        (fmean(ours), fmean(theirs))
        for part in groups(rows).values()
        if (theirs := values(part, measure)) and (ours := values(part, "precision_untaint"))
    ]
    if not cells:
        return f"{COMPETITORS[measure]} is not installed: no comparison."
    above = sum(ours > theirs for ours, theirs in cells)
    return f"Average precision above {COMPETITORS[measure]}'s in {above} of {len(cells)} cells."


STUDIES = {
    "audit": Study(
        f"Rows flagged by audit(fdr={FDR:g}) after a fit with no argument, against the truth.",
        cases,
        run,
        MEASURES,
        table,
        seeds=10,
    )
}
