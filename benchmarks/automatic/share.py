"""One case of the estimated share: how far off it is, and how many rows are trimmed.

share_error   |estimated share - true share|
covered       1 if the true share is in the interval
flagged       share of the rows that are not kept
warned        1 if two explanations were reported
"""

from __future__ import annotations

import numpy as np

from ..case import Case
from .fitting import estimator, rows_of, watch

MEASURES = ("share", "share_error", "low", "high", "covered", "flagged", "warned", "seconds")


def measure_share(case: Case) -> dict[str, float]:
    """Fit with no argument and compare the share with the truth."""
    split = rows_of(case)
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
