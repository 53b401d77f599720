"""Studies of how time and peak memory of a robust fit grow with the number of rows.

Each fit runs in a process of its own. The exponents p in time ~ n^p and memory ~ n^q are the slopes
of the least-squares lines through the logarithms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from statistics import fmean

import numpy as np

from ..data.timed import EPSILON, robust, timed_rows
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import markdown, number
from ..frame.timing import peak_memory

MEASURES = ("seconds", "peak_megabytes", "matrix_megabytes")
QUICK_SIZES = (300, 600)


def run(case: Case) -> dict[str, float]:
    """Fit in a fresh process; the single-precision kernel matrix is given for comparison."""
    usage = peak_memory(f"{__name__}:fit_job", **asdict(case))
    return {
        "seconds": usage.seconds,
        "peak_megabytes": usage.megabytes,
        "matrix_megabytes": 4 * case.size**2 / 2**20,
    }


def fit_job(**fields: object) -> Callable[[], object]:
    """Draw the data of a case and return the fit to be measured."""
    case = Case.from_row(fields)
    split, model = timed_rows(case), robust(case)
    # A small fit first: what is imported or compiled on first use is not the large fit's cost.
    robust(case).fit(split.X_train[:100], split.y_train[:100])
    return lambda: model.fit(split.X_train, split.y_train)


def table(rows: list[Row]) -> str:
    """Return one line for each size, measures averaged over the seeds, and the exponents below."""
    by_size: dict[int, list[Row]] = {}
    for row in rows:
        if not row["error"]:
            by_size.setdefault(Case.from_row(row).size, []).append(row)
    sizes = sorted(by_size)
    means = {name: [fmean(row[name] for row in by_size[n]) for n in sizes] for name in MEASURES}
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


def growth_study(question: str, family: str, kind: str, sizes: Sequence[int]) -> Study:
    """Declare one case for each size and seed."""
    full, quick = (
        [Cells([f"{family}-{n}" for n in some], [kind], [EPSILON], ["untaint"])]
        for some in (sizes, QUICK_SIZES)
    )
    return Study(question, crossed(full, quick=quick), run, MEASURES, table, seeds=1)


STUDIES = {
    "growth": growth_study(
        "Seconds and peak memory beyond the data, to fit n rows of 8 features "
        "with 20 % bad labels.",
        "smooth",
        "label",
        (5_000, 10_000, 20_000),
    ),
    "class-growth": growth_study(
        "Seconds and peak memory beyond the data, to fit n rows in two classes with 20 % flipped.",
        "classes2",
        "flip",
        (2_000, 5_000, 10_000),
    ),
}
