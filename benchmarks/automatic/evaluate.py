"""One accuracy case without parameters: fit the method on corrupted rows, score on clean ones.

rmse_by_median is the error of the competitors whose setting was chosen by the median absolute
validation error, rmse of those chosen by the mean squared one; ours have one choice.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import Any

import numpy as np

from ..case import Case
from ..protocol import Split
from .fitting import estimator, rows_of, watch

MEASURES = ("rmse", "rmse_by_median", "seconds")
# Of our own estimator: its parameters, and whether it sees the clean rows only.
OURS: dict[str, tuple[dict[str, Any], bool]] = {
    "genie": ({"contamination": 0.0}, True),
    "untaint-cv": ({}, False),
    "kernel-ridge-cv": ({"contamination": 0.0}, False),
}


def evaluate(case: Case) -> dict[str, float]:
    """Fit the case's method on corrupted rows and return its measures."""
    split = rows_of(case)
    return _ours(case, split) if case.method in OURS else _competitor(case, split)


def _ours(case: Case, split: Split) -> dict[str, float]:
    options, sees_mask = OURS[case.method]
    rows = split.clean_mask if sees_mask else np.ones(len(split.y_train), dtype=bool)
    model = estimator(case.kind, case.seed, **options)
    watched = watch(model, split.X_train[rows], split.y_train[rows])
    return {
        "rmse": split.rmse(watched.model),
        "rmse_by_median": math.nan,
        "seconds": watched.seconds,
    }


def _competitor(case: Case, split: Split) -> dict[str, float]:
    # Only here, because cases are declared without the competitors.
    from . import competitors

    grid = competitors.automatic_grid(split.X_train, split.y_train)
    started = perf_counter()
    found = competitors.search(
        competitors.COMPETITORS[case.method](grid), split.X_train, split.y_train
    )
    return {
        "rmse": split.rmse(found.by_mse),
        "rmse_by_median": split.rmse(found.by_median),
        "seconds": perf_counter() - started,
    }
