"""What a robust fit costs, next to a plain one and to the kernel matrix alone.

One row a size: the shortest wall times of rivals that take turns, and the clean-test errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from ..case import Case, all_cases
from ..measure import fastest
from ..results import Row
from ..table import mean_table
from ._smooth import EPSILON, SHARED, dataset_name, draw, n_rows, rmse, robust
from .base import Study

SIZES = (1_000, 2_000, 5_000, 10_000)
QUICK_SIZES = (300, 600)
MEASURES = (
    "seconds_untaint",
    "seconds_kernel_ridge",
    "seconds_matrix_untaint",
    "seconds_matrix_sklearn",
    "time_over_kernel_ridge",
    "time_over_matrix",
    "rmse_untaint",
    "rmse_kernel_ridge",
    "rmse_genie",
    "rmse_over_genie",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """One case a size and seed; the rivals are all in it, because they take turns."""
    sizes = QUICK_SIZES if quick else SIZES
    return all_cases(
        datasets=[dataset_name(n) for n in sizes],
        kinds=["label"],
        epsilons=[EPSILON],
        methods=["in-turn"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the rivals on one problem, then score them on clean rows."""
    split = draw(n_rows(case.dataset), case.seed)
    ours, plain, genie = robust(case.seed), KernelRidge(**SHARED), KernelRidge(**SHARED)
    matrices = matrix_builders(split.X_train.astype(np.float32))
    times = fastest(
        {
            "untaint": lambda: ours.fit(split.X_train, split.y_train),
            "kernel_ridge": lambda: plain.fit(split.X_train, split.y_train),
            **matrices,
        }
    )
    genie.fit(split.X_train[split.clean_mask], split.y_train[split.clean_mask])
    errors = {
        name: rmse(model, split.X_test, split.y_test)
        for name, model in (("untaint", ours), ("kernel_ridge", plain), ("genie", genie))
    }
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        **{f"rmse_{name}": error for name, error in errors.items()},
        "time_over_kernel_ridge": times["untaint"] / times["kernel_ridge"],
        # The quicker of the two builders: the bar that is harder to meet.
        "time_over_matrix": times["untaint"] / min(times[name] for name in matrices),
        "rmse_over_genie": errors["untaint"] / errors["genie"],
    }


def matrix_builders(X: NDArray[np.float32]) -> dict[str, Callable[[], object]]:
    """Return the two ways of building the single-precision kernel matrix once."""
    from untaint.kernels import RBF

    ours = RBF(gamma=SHARED["gamma"])
    return {
        "matrix_untaint": lambda: ours.matrix(X),
        "matrix_sklearn": lambda: rbf_kernel(X, gamma=SHARED["gamma"]),
    }


def table(rows: list[Row]) -> str:
    """One line a size, measures averaged over the seeds."""
    rows = sorted(rows, key=lambda row: n_rows(row["dataset"]))
    return mean_table(rows, MEASURES, header="n", name=n_rows)


STUDY = Study(
    "Seconds to fit n rows of 8 features, and clean-test RMSE, with 20 % bad labels.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
