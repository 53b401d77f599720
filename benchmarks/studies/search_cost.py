"""A study of the cost of a robust search over 5 scales and 7 alphas, next to a plain one.

One row for each size: the shortest wall times of competitors that take turns. scikit-learn refits
for every setting and each of 5 folds, with one process or one a core; ours also finds the bad rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

from ..case import Case, all_cases
from ..measure import fastest
from ..results import Row
from ..table import mean_table
from ._smooth import EPSILON, N_FEATURES, dataset_name, draw, n_rows, rmse
from .base import Study

SIZES = (500, 2_000, 5_000)
QUICK_SIZES = (150, 300)
GAMMAS = tuple(2.0**power / (2 * N_FEATURES) for power in (-4, -2, -1, 0, 1))
ALPHAS = tuple(float(alpha) for alpha in np.logspace(-3.0, 3.0, 7))
N_FOLDS = 5
MEASURES = (
    "seconds_untaint",
    "seconds_grid_search",
    "seconds_grid_search_all_cores",
    "times_faster",
    "times_faster_than_all_cores",
    "rmse_untaint",
    "rmse_grid_search",
    "rmse_genie",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each size and seed, in which all competitors take turns."""
    return all_cases(
        datasets=[dataset_name(n) for n in (QUICK_SIZES if quick else SIZES)],
        kinds=["label"],
        epsilons=[EPSILON],
        methods=["in-turn"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the competitors on one problem, then score them on clean rows."""
    n = n_rows(case.dataset)
    split = draw(n, case.seed)
    ours, genie = robust(case.seed), robust(case.seed, contamination=0.0)
    one, all_cores = plain(None), plain(-1)
    # What is imported or compiled on first use, or started once, is not the search's cost.
    robust(case.seed).fit(split.X_train[:100], split.y_train[:100])
    plain(-1).fit(split.X_train[:50], split.y_train[:50])
    times = fastest(
        {
            "untaint": lambda: ours.fit(split.X_train, split.y_train),
            "grid_search": lambda: one.fit(split.X_train, split.y_train),
            "grid_search_all_cores": lambda: all_cores.fit(split.X_train, split.y_train),
        },
        repeats=repeats(n),
    )
    genie.fit(split.X_train[split.clean_mask], split.y_train[split.clean_mask])
    errors = {
        f"rmse_{name}": rmse(model, split.X_test, split.y_test)
        for name, model in (("untaint", ours), ("grid_search", one), ("genie", genie))
    }
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        **errors,
        "times_faster": times["grid_search"] / times["untaint"],
        "times_faster_than_all_cores": times["grid_search_all_cores"] / times["untaint"],
    }


def robust(seed: int, **options: Any) -> Any:
    """Return our search, which has to find the share too unless it is given."""
    from untaint import SubquantileRegressorCV

    return SubquantileRegressorCV(gammas=GAMMAS, alphas=ALPHAS, random_state=seed, **options)


def plain(n_jobs: int | None) -> GridSearchCV:
    """Return scikit-learn's search over the same grid."""
    grid = {"gamma": GAMMAS, "alpha": ALPHAS}
    return GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=N_FOLDS, n_jobs=n_jobs)


def repeats(n: int) -> int:
    """Return the number of runs, fewer where one takes minutes."""
    few, many = 1_000, 2_000
    return 3 if n <= few else 2 if n <= many else 1


def table(rows: list[Row]) -> str:
    """Return one line for each size, measures averaged over the seeds."""
    rows = sorted(rows, key=lambda row: n_rows(row["dataset"]))
    return mean_table(rows, MEASURES, header="n", name=n_rows)


STUDY = Study(
    "Seconds to choose of 5 gammas and 7 alphas and to fit n rows of 8 features, 20 % bad labels.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
