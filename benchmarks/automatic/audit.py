"""One case of the audit: which rows it flags, and how well its score sorts them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..case import Case
from .detection import false_discoveries, recall, recall_allowed
from .fitting import estimator, rows_of, watch

FDR = 0.1
MEASURES = (
    "false_discoveries",
    "recall",
    "oracle_recall",
    "oracle_recall_at_fdr",
    "precision_untaint",
    "precision_forest",
    "precision_cleanlab",
    "seconds",
)


def measure_audit(case: Case) -> dict[str, float]:
    """Fit with no argument, audit, and compare with the truth and with competitors.

    ``oracle_recall`` is what the true model's residuals allow at the share of false discoveries
    that the audit came to, ``oracle_recall_at_fdr`` at the rate that was asked for. ``precision``
    is average precision.
    """
    # Only here, because cases are declared without the competitors.
    from . import scores

    split = rows_of(case)
    bad = ~split.clean_mask
    model, _, seconds = watch(estimator(case.kind, case.seed), split.X_train, split.y_train)
    flagged, score = flags_and_scores(model.audit(fdr=FDR))
    realised, truth = false_discoveries(flagged, bad), scores.oracle(split, case.kind, case.seed)
    forest = scores.isolation_forest(split, case.kind, case.seed)
    cleanlab = scores.cleanlab(split, case.kind, case.seed)
    return {
        "false_discoveries": realised,
        "recall": recall(flagged, bad),
        "oracle_recall": recall_allowed(truth, bad, realised),
        "oracle_recall_at_fdr": recall_allowed(truth, bad, FDR),
        "precision_untaint": scores.average_precision(bad, score),
        "precision_forest": scores.average_precision(bad, forest),
        "precision_cleanlab": scores.average_precision(bad, cleanlab),
        "seconds": seconds,
    }


def flags_and_scores(table: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return flags and scores in the order of the training rows."""
    order = np.argsort(np.asarray(table["row"]))
    return (
        np.asarray(table["flagged"], dtype=bool)[order],
        np.asarray(table["score"], dtype=np.float64)[order],
    )
