"""From a case to our estimator, fitted with no argument, and whether it warned."""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any, NamedTuple

from untaint import SubquantileClassifierCV, SubquantileRegressorCV
from untaint.datasets.corruption import task_of
from untaint.exceptions import AmbiguousContaminationWarning

from ..case import Case
from ..data import load
from ..protocol import Split, prepare


class Watched(NamedTuple):
    """A fitted model, whether it warned of two explanations, and its time."""

    model: Any
    warned: bool
    seconds: float


def rows_of(case: Case) -> Split:
    """Load, split and corrupt the case's data."""
    return prepare(
        *load(case.dataset, case.seed), kind=case.kind, epsilon=case.epsilon, seed=case.seed
    )


def estimator(kind: str, seed: int, **options: Any) -> Any:
    """Return the estimator that needs no setting, for the task of this kind of corruption."""
    classes = task_of(kind) == "classification"
    make = SubquantileClassifierCV if classes else SubquantileRegressorCV
    return make(random_state=seed, **options)


def watch(model: Any, X: Any, y: Any) -> Watched:
    """Fit, and take note of the warning instead of showing it."""
    started = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y)
    seconds = perf_counter() - started
    warned = any(issubclass(one.category, AmbiguousContaminationWarning) for one in caught)
    return Watched(model, warned, seconds)
