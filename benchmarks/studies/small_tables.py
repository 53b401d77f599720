"""A study of the time of robust fits to small tables, next to a kernel ridge regression.

One row for each table: the shortest wall times of competitors that take turns, with the share of
bad rows given, estimated, and with kernel and alpha selected too. Our fits have their defaults,
which include the choice of the bandwidth; kernel ridge regression is given one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from sklearn.kernel_ridge import KernelRidge

from untaint.datasets import contaminate

from ..case import Case, all_cases
from ..data import load
from ..measure import fastest
from ..results import Row
from ..table import mean_table
from .base import Study

EPSILON = 0.2
TABLES = ("smooth-300", "smooth-1000", "smooth-2000", "smooth10000-60")
QUICK_TABLES = ("smooth-100", "smooth10000-30")
REPEATS = 7
MEASURES = (
    "seconds_kernel_ridge",
    "seconds_given",
    "seconds_auto",
    "seconds_cv",
    "given_over_kernel_ridge",
    "auto_over_kernel_ridge",
    "auto_over_given",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each table and seed, in which all competitors take turns."""
    return all_cases(
        datasets=QUICK_TABLES if quick else TABLES,
        kinds=["label"],
        epsilons=[EPSILON],
        methods=["in-turn"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the competitors on one table."""
    from untaint import SubquantileRegressor, SubquantileRegressorCV

    X, y = load(case.dataset, case.seed)
    X, y, _ = contaminate(X, y, epsilon=EPSILON, random_state=case.seed)
    models: dict[str, Any] = {
        "kernel_ridge": KernelRidge(kernel="rbf", gamma=1.0 / (2 * X.shape[1])),
        "given": SubquantileRegressor(contamination=EPSILON, random_state=case.seed),
        "auto": SubquantileRegressor(random_state=case.seed),
        "cv": SubquantileRegressorCV(random_state=case.seed),
    }
    fits = {name: partial(model.fit, X, y) for name, model in models.items()}
    for fit in fits.values():  # what is imported on first use is not a fit's cost
        fit()
    times = fastest(fits, repeats=REPEATS)
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        "given_over_kernel_ridge": times["given"] / times["kernel_ridge"],
        "auto_over_kernel_ridge": times["auto"] / times["kernel_ridge"],
        "auto_over_given": times["auto"] / times["given"],
    }


def table(rows: list[Row]) -> str:
    """Return one line for each table, measures averaged over the seeds."""
    return mean_table(rows, MEASURES)


STUDY = Study(
    "Seconds to fit small tables with 20 % bad labels, and their ratios to kernel ridge's.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
