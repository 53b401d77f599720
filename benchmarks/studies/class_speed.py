"""A study of the cost of a robust classifier, next to an SVM and to the kernel matrix alone.

One row for each number of classes: the shortest wall times of competitors that take turns, and the
clean-test accuracies. Our classifier is given the share of wrong labels, or estimates it ("auto").
Genie is our classifier on the uncorrupted rows only, trimming nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sklearn.svm import SVC

from ..case import Case, all_cases
from ..measure import fastest
from ..results import Row
from ..table import mean_table
from ._classes import EPSILON, draw, robust
from .base import Study
from .speed import matrix_builders

DATASETS = ("classes2-5000", "classes5-5000")
QUICK_DATASETS = ("classes2-300", "classes5-300")
MEASURES = (
    "seconds_untaint",
    "seconds_auto",
    "seconds_svc",
    "seconds_matrix_untaint",
    "seconds_matrix_sklearn",
    "time_over_svc",
    "auto_over_svc",
    "time_over_matrix",
    "accuracy_untaint",
    "accuracy_auto",
    "accuracy_svc",
    "accuracy_genie",
)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each data set and seed, in which all competitors take turns."""
    return all_cases(
        datasets=QUICK_DATASETS if quick else DATASETS,
        kinds=["flip"],
        epsilons=[EPSILON],
        methods=["in-turn"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the competitors on one problem, then score them on clean rows."""
    family, _, n = case.dataset.rpartition("-")
    split = draw(family, int(n), case.seed)
    ours, svc, genie = robust(case.seed), SVC(), robust(case.seed, contamination=0.0)
    auto = robust(case.seed, contamination="auto")
    matrices = matrix_builders(split.X_train.astype(np.float32))
    times = fastest(
        {
            "untaint": lambda: ours.fit(split.X_train, split.y_train),
            "auto": lambda: auto.fit(split.X_train, split.y_train),
            "svc": lambda: svc.fit(split.X_train, split.y_train),
            **matrices,
        }
    )
    genie.fit(split.X_train[split.clean_mask], split.y_train[split.clean_mask])
    accuracies = {
        name: float(np.mean(model.predict(split.X_test) == split.y_test))
        for name, model in (("untaint", ours), ("auto", auto), ("svc", svc), ("genie", genie))
    }
    return {
        **{f"seconds_{name}": seconds for name, seconds in times.items()},
        **{f"accuracy_{name}": accuracy for name, accuracy in accuracies.items()},
        "time_over_svc": times["untaint"] / times["svc"],
        "auto_over_svc": times["auto"] / times["svc"],
        # The quicker of the two builders: the bar that is harder to meet.
        "time_over_matrix": times["untaint"] / min(times[name] for name in matrices),
    }


def table(rows: list[Row]) -> str:
    """Return one line for each data set, measures averaged over the seeds."""
    return mean_table(rows, MEASURES)


STUDY = Study(
    "Seconds to fit 8 features in 2 or 5 classes with 20 % flips, and clean-test accuracy.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
