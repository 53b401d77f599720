"""One accuracy case: split and corrupt the rows, tune and fit the method, score it on clean rows.

rmse = sqrt(mean((prediction - y)^2)) over the clean test rows, in standard units.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any

from untaint.datasets.corruption import task_of

from .data.protocol import Split, split_of
from .frame import Case
from .measures import CLASS_SCORES, class_scores, kept_bad
from .methods.base import Entry, Grid, MethodContext
from .tuning import Folds, Trial, Tuned, Tuning

PARAMETERS = (
    *("alpha", "gamma", "smoothing", "excess", "tilt", "growth", "step", "threshold"),
    *("leaf", "features"),
)
# Without times: the same seeds give the same rows.
REGRESSION_MEASURES = ("rmse", "kept_bad", *PARAMETERS)
CLASSIFICATION_MEASURES = (*CLASS_SCORES, "kept_bad", *PARAMETERS)


@dataclass(frozen=True)
class Evaluation:
    """A comparison of methods; called with a case, it returns the case's measures.

    Attributes
    ----------
    methods : str
        Module of :mod:`benchmarks.methods`. It is imported when the first case runs, because it
        imports every competitor.
    measures : tuple of str
        The columns that are returned, of all that are found.
    grid : Grid
        The settings that methods choose from.
    tuning : callable
        How they choose.
    nominal : bool
        Whether methods are given the case's epsilon, and not the exact share of their rows.
    """

    methods: str
    measures: tuple[str, ...]
    grid: Grid = Grid()  # noqa: RUF009, a frozen dataclass
    tuning: Tuning = Folds()  # noqa: RUF009
    nominal: bool = False

    def __call__(self, case: Case) -> dict[str, Any]:
        split = split_of(case)
        classes = task_of(case.kind) == "classification"
        data = self._given(case, split, classes)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a method says of its fits is not a result
            context = MethodContext(case.seed, self._kernel(case.dataset), self.grid, data)
            method = self._table()[case.method](context)
            started = perf_counter()
            tuned = self.tuning(method, data, case.seed)
            found: dict[str, Any] = {"seconds": perf_counter() - started}
        if classes:
            found |= class_scores(tuned.model, split.X_test, split.y_test)
        else:
            found |= {"rmse": split.rmse(tuned.model)}
        if tuned.by_median is not None:
            found |= {"rmse_by_median": split.rmse(tuned.by_median)}
        found |= {"kept_bad": kept_bad(tuned.model, split)} | chosen(tuned)
        return {name: found[name] for name in self.measures if name in found}

    def _given(self, case: Case, split: Split, classes: bool) -> Trial:
        """Return the rows that the method is fitted on; only Genie may look at the mask."""
        oracle = case.method == "genie"
        share = (0.0 if oracle else case.epsilon) if self.nominal else None
        data = Trial(split.X_train, split.y_train, ~split.clean_mask, classes, share)
        return data.take(split.clean_mask) if oracle else data

    def _table(self) -> dict[str, Entry]:
        return import_module(f"benchmarks.methods.{self.methods}").METHODS

    def _kernel(self, dataset: str) -> str:
        if self.methods == "linear":
            return "linear"
        return "poly" if dataset.startswith("polynomial") else "rbf"


def chosen(tuned: Tuned) -> dict[str, Any]:
    """Return the setting, also of a model that has chosen it itself."""
    own = {name: getattr(tuned.model, f"{name}_", None) for name in ("alpha", "gamma")}
    return {name: value for name, value in own.items() if value is not None} | tuned.setting
