"""One case of a table: prepare, tune as all are tuned, score on clean rows.

rmse       sqrt(mean((prediction - y)^2)) over the clean test rows, in standard units
kept bad   share of the bad rows that the model keeps; nan if it does not say which it keeps

Nothing here is a time: the same seeds give the same rows.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..case import Case
from ..classification.measures import SCORES, scores
from ..data import load
from ..protocol import Split, prepare
from .grids import Grid
from .method import Entry, MethodContext
from .tuning import Trial, Tuned, tune

PARAMETERS = (
    "alpha",
    "gamma",
    "smoothing",
    "excess",
    "tilt",
    "growth",
    "step",
    "threshold",
    "leaf",
    "features",
)
REGRESSION_MEASURES = ("rmse", "kept_bad", *PARAMETERS)
CLASSIFICATION_MEASURES = (*SCORES, "kept_bad", *PARAMETERS)


@dataclass(frozen=True)
class Comparison:
    """A comparison of methods: the task, and the grid of their settings."""

    task: Literal["kernel", "linear", "classes"]
    grid: Grid

    def evaluate(self, case: Case) -> dict[str, Any]:
        """Tune and fit the case's method on corrupted rows and return its measures."""
        split = prepare(
            *load(case.dataset, case.seed), kind=case.kind, epsilon=case.epsilon, seed=case.seed
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a method says of its fits is not a result
            tuned = self.fit(case, split)
        if self.task == "classes":
            measures = scores(tuned.model, split.X_test, split.y_test)
        else:
            measures = {"rmse": split.rmse(tuned.model)}
        return measures | {"kept_bad": kept_bad(tuned.model, split)} | chosen(tuned)

    def fit(self, case: Case, split: Split) -> Tuned:
        """Tune and fit; only Genie may look at the mask."""
        data = Trial(split.X_train, split.y_train, ~split.clean_mask, self.task == "classes")
        if case.method == "genie":
            data = data.take(split.clean_mask)
        context = MethodContext(case.seed, data.X.shape[1], self._kernel(case.dataset), self.grid)
        method = self.methods()[case.method](context)
        return tune(method, data, most_rows=self.grid.most_rows, seed=case.seed)

    def methods(self) -> dict[str, Entry]:
        """Return the methods by name."""
        # Only here, because these import every competitor and cases are declared without them.
        from . import classes, kernel, linear

        return {"kernel": kernel, "linear": linear, "classes": classes}[self.task].METHODS

    def _kernel(self, dataset: str) -> str:
        if self.task == "linear":
            return "linear"
        return "poly" if dataset.startswith("polynomial") else "rbf"


def kept_bad(model: Any, split: Split) -> float:
    """Return share of the bad rows that the model keeps."""
    bad, mask = ~split.clean_mask, getattr(model, "inlier_mask_", None)
    # Genie's mask is of other rows.
    if mask is None or len(mask) != len(bad) or not bad.any():
        return math.nan
    return float(np.mean(mask[bad]))


def chosen(tuned: Tuned) -> dict[str, Any]:
    """Return the setting, also of a model that has chosen it itself."""
    own = {name: getattr(tuned.model, f"{name}_", None) for name in ("alpha", "gamma")}
    return {name: value for name, value in own.items() if value is not None} | tuned.setting
