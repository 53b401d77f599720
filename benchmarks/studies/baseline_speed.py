"""A study of what the competitors cost, next to as many plain fits as they make.

time_per_refit = seconds of the competitor / (seconds of KernelRidge x refits of the competitor),
competitors and plain fit taking turns. KernelRidge has the kernel of the competitor, the linear one
if that is linear. Refits are those that led to the result; TERM also follows a second start, which
is not counted.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sklearn.kernel_ridge import KernelRidge

from ..case import Case, all_cases
from ..measure import fastest
from ..results import Row
from ..summary import mean, summary_table
from ._smooth import EPSILON, SHARED, dataset_name, draw, n_rows
from .base import Study

SIZES = (1_000, 3_000)
QUICK_SIZES = (300,)
METHODS = ("sever", "term", "torrent", "crr", "stir")
MEASURES = ("seconds", "seconds_kernel_ridge", "refits", "time_per_refit")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return one case for each size, competitor and seed."""
    return all_cases(
        datasets=[dataset_name(n) for n in (QUICK_SIZES if quick else SIZES)],
        kinds=["label"],
        epsilons=[EPSILON],
        methods=METHODS,
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the competitor and the plain fit on one problem."""
    split = draw(n_rows(case.dataset), case.seed)
    competitor, plain = _pair(case.method)
    times = fastest(
        {
            "competitor": lambda: competitor.fit(split.X_train, split.y_train),
            "plain": lambda: plain.fit(split.X_train, split.y_train),
        }
    )
    return {
        "seconds": times["competitor"],
        "seconds_kernel_ridge": times["plain"],
        "refits": float(competitor.n_iter_),
        "time_per_refit": times["competitor"] / (times["plain"] * competitor.n_iter_),
    }


def _pair(method: str) -> tuple[Any, Any]:
    """Return the competitor, and the plain learner with the same kernel."""
    from untaint import baselines

    plain, straight = KernelRidge(**SHARED), KernelRidge(kernel="linear", alpha=SHARED["alpha"])
    given = {"contamination": EPSILON, "alpha": SHARED["alpha"]}
    return {
        "sever": (baselines.SeverRegressor(contamination=EPSILON, **SHARED), plain),
        "term": (baselines.TiltedRegressor(**SHARED), plain),
        "torrent": (baselines.HardThresholdRegressor(**given), straight),
        "crr": (baselines.ConsistentRegressor(**given), straight),
        "stir": (baselines.ReweightedRegressor(alpha=SHARED["alpha"]), straight),
    }[method]


def table(rows: list[Row]) -> str:
    """Return one line for each size and competitor."""
    columns = {name.replace("_", " "): mean(name) for name in MEASURES}
    return summary_table(rows, columns, by=("dataset", "method"))


STUDY = Study(
    "Seconds of the competitors, next to as many plain kernel ridge fits as they make.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
