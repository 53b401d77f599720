"""Curves of detection: hits against false alarms (ROC), precision against recall.

The rows' scores come from a fit without any argument (``untaint``), from the leave-one-out
residuals of a tuned kernel ridge regression (``residuals``), IsolationForest, cleanlab where it is
installed, and from the oracle's residuals. A measure ``tpr@f`` is the share of the wrong rows
among those scored above the threshold at which a share f of the right ones is, ``precision@r`` the
precision at the threshold at which a share r of the wrong rows is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from ..data.protocol import Split, split_of
from ..data.sets import FIVE
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import means, summary_table
from ..methods import detection
from ..methods.search import estimator, watch

METHODS = ("untaint", "residuals", "forest", "cleanlab", "oracle")
ALARMS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
RECALLS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
MEASURES = (
    "area",
    "average_precision",
    *(f"tpr@{share:g}" for share in ALARMS),
    *(f"precision@{share:g}" for share in RECALLS),
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return random, clustered and shifted targets, and those of other rows."""
    datasets = ("kiln",) if quick else FIVE
    return crossed([Cells(datasets, ["label", "cluster", "shift"], [0.2], METHODS)])(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Score the rows, and describe the score by points of its curves."""
    split = split_of(case)
    score = _score(case, split)
    if score is None:
        return dict.fromkeys(MEASURES, math.nan)
    return curves(~split.clean_mask, score)


def curves(wrong: Any, score: Any) -> dict[str, float]:
    """Return points of both curves of a score.

    Examples
    --------
    >>> from benchmarks.studies.detection_curves import curves
    >>> found = curves([True, False, True, False], [4.0, 3.0, 2.0, 1.0])
    >>> found["area"], found["tpr@0"], round(found["precision@1"], 2)
    (0.75, 0.5, 0.67)
    """
    wrong, score = np.asarray(wrong, dtype=bool), np.asarray(score, dtype=float)
    alarms, hits, _ = roc_curve(wrong, score, drop_intermediate=False)
    n_wrong, n_right = wrong.sum(), (~wrong).sum()
    found = {
        "area": float(roc_auc_score(wrong, score)),
        "average_precision": float(average_precision_score(wrong, score)),
    }
    for share in ALARMS:
        found[f"tpr@{share:g}"] = float(hits[alarms <= share + 1e-9].max())
    for share in RECALLS:
        enough = hits >= share - 1e-9
        flagged = hits[enough] * n_wrong + alarms[enough] * n_right
        found[f"precision@{share:g}"] = float(np.max(hits[enough] * n_wrong / flagged))
    return found


def _score(case: Case, split: Split) -> Any:
    if case.method == "untaint":
        model = watch(estimator(case.kind, case.seed), split.X_train, split.y_train).model
        audit = model.audit(fdr=0.1)
        return np.asarray(audit["score"])[np.argsort(np.asarray(audit["row"]))]
    if case.method == "residuals":
        model = estimator(case.kind, case.seed, contamination=0.0)
        return np.abs(model.fit(split.X_train, split.y_train).leave_one_out_residuals())
    score = {
        "forest": detection.isolation_forest,
        "cleanlab": detection.cleanlab,
        "oracle": detection.oracle,
    }[case.method]
    return score(split, case.kind, case.seed)


def table(rows: list[Row]) -> str:
    """Return areas, average precisions and some points, averaged over the seeds."""
    names = ("area", "average_precision", "tpr@0.01", "tpr@0.05", "precision@0.5", "precision@0.9")
    return summary_table(rows, means(names), by=("dataset", "kind", "epsilon", "method"))


STUDIES = {
    "detection-curves": Study(
        "How well scores rank wrong rows: points of the ROC and the precision-recall curve.",
        cases,
        run,
        MEASURES,
        table,
        seeds=5,
        draw="detection:draw_detection",
    )
}
