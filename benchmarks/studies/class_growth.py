"""A study of how time and peak memory of a robust classifier grow with the number of rows.

As in the study of the regressor, whose table and exponents these are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..case import Case, all_cases
from ._classes import EPSILON, draw, robust
from .base import Study
from .growth import MEASURES, run_job, table

SIZES = (2_000, 5_000, 10_000)
QUICK_SIZES = (300, 600)


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each size and seed."""
    return all_cases(
        datasets=[f"classes2-{n}" for n in (QUICK_SIZES if quick else SIZES)],
        kinds=["flip"],
        epsilons=[EPSILON],
        methods=["untaint"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Fit in a fresh process."""
    return run_job("benchmarks.studies.class_growth:fit_job", case)


def fit_job(n: int, seed: int) -> Callable[[], object]:
    """Draw the data and return the fit to be measured."""
    split, model = draw("classes2", n, seed), robust(seed)
    # A small fit first: what is imported or compiled on first use is not the large fit's cost.
    robust(seed).fit(split.X_train[:100], split.y_train[:100])
    return lambda: model.fit(split.X_train, split.y_train)


STUDY = Study(
    "Seconds and peak memory beyond the data, to fit n rows in two classes with 20 % flipped.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
