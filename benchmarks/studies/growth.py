"""A study of how time and peak memory of a robust fit grow with the number of rows.

Each fit runs in a process of its own. The exponents p in time ~ n^p and memory ~ n^q are the slopes
of the least-squares lines through the logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

import numpy as np

from ..case import Case, all_cases
from ..memory import peak_memory
from ..results import Row
from ..table import markdown, number
from ._smooth import EPSILON, dataset_name, draw, n_rows, robust
from .base import Study

SIZES = (5_000, 10_000, 20_000)
QUICK_SIZES = (300, 600)
MEASURES = ("seconds", "peak_megabytes", "matrix_megabytes")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each size and seed."""
    sizes = QUICK_SIZES if quick else SIZES
    return all_cases(
        datasets=[dataset_name(n) for n in sizes],
        kinds=["label"],
        epsilons=[EPSILON],
        methods=["untaint"],
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Fit in a fresh process."""
    return run_job("benchmarks.studies.growth:fit_job", case)


def run_job(job: str, case: Case) -> dict[str, float]:
    """Measure a job of n rows; the single-precision kernel matrix is given for comparison."""
    n = n_rows(case.dataset)
    usage = peak_memory(job, n=n, seed=case.seed)
    return {
        "seconds": usage.seconds,
        "peak_megabytes": usage.megabytes,
        "matrix_megabytes": 4 * n**2 / 2**20,
    }


def fit_job(n: int, seed: int) -> Callable[[], object]:
    """Draw the data and return the fit to be measured."""
    split, model = draw(n, seed), robust(seed)
    # A small fit first: what is imported or compiled on first use is not the large fit's cost.
    robust(seed).fit(split.X_train[:100], split.y_train[:100])
    return lambda: model.fit(split.X_train, split.y_train)


def table(rows: list[Row]) -> str:
    """Return one line for each size, measures averaged over the seeds, and the exponents below."""
    good = [row for row in rows if not row["error"]]
    sizes = sorted({n_rows(row["dataset"]) for row in good})
    means = {
        name: [fmean(r[name] for r in good if n_rows(r["dataset"]) == n) for n in sizes]
        for name in MEASURES
    }
    body = [[n, *(number(means[name][i]) for name in MEASURES)] for i, n in enumerate(sizes)]
    lines = markdown(["n", *(name.replace("_", " ") for name in MEASURES)], body)
    if len(sizes) < 2:
        return lines
    time, memory = (exponent(sizes, means[name]) for name in ("seconds", "peak_megabytes"))
    return f"{lines}\n\nTime grows as n^{time:.2f}, peak memory as n^{memory:.2f}."


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return slope of log(value) against log(n).

    Examples
    --------
    >>> from benchmarks.studies.growth import exponent
    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    if min(values) <= 0:
        return float("nan")
    return float(np.polyfit(np.log(sizes), np.log(values), deg=1)[0])


STUDY = Study(
    "Seconds and peak memory beyond the data, to fit n rows of 8 features with 20 % bad labels.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
