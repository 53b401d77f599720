"""What the rivals cost, next to as many plain fits as they make.

time_per_refit = seconds of the rival / (seconds of KernelRidge x refits of the rival), rivals and
plain fit taking turns. KernelRidge has the kernel of the rival, the linear one if that is linear.
Refits are those that led to the result; TERM also follows a second start, which is not counted.
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
    """One case a size, rival and seed."""
    return all_cases(
        datasets=[dataset_name(n) for n in (QUICK_SIZES if quick else SIZES)],
        kinds=["label"],
        epsilons=[EPSILON],
        methods=METHODS,
        seeds=seeds,
    )


def run(case: Case) -> dict[str, float]:
    """Time the rival and the plain fit on one problem."""
    split = draw(n_rows(case.dataset), case.seed)
    rival, plain = _pair(case.method)
    times = fastest(
        {
            "rival": lambda: rival.fit(split.X_train, split.y_train),
            "plain": lambda: plain.fit(split.X_train, split.y_train),
        }
    )
    return {
        "seconds": times["rival"],
        "seconds_kernel_ridge": times["plain"],
        "refits": float(rival.n_iter_),
        "time_per_refit": times["rival"] / (times["plain"] * rival.n_iter_),
    }


def _pair(method: str) -> tuple[Any, Any]:
    """The rival, and the plain learner with the same kernel."""
    from ... import baselines

    plain, straight = KernelRidge(**SHARED), KernelRidge(kernel="linear", alpha=SHARED["alpha"])
    told = {"contamination": EPSILON, "alpha": SHARED["alpha"]}
    return {
        "sever": (baselines.SeverRegressor(contamination=EPSILON, **SHARED), plain),
        "term": (baselines.TiltedRegressor(**SHARED), plain),
        "torrent": (baselines.HardThresholdRegressor(**told), straight),
        "crr": (baselines.ConsistentRegressor(**told), straight),
        "stir": (baselines.ReweightedRegressor(alpha=SHARED["alpha"]), straight),
    }[method]


def table(rows: list[Row]) -> str:
    """One line a size and rival."""
    columns = {name.replace("_", " "): mean(name) for name in MEASURES}
    return summary_table(rows, columns, by=("dataset", "method"))


STUDY = Study(
    "Seconds of the rivals, next to as many plain kernel ridge fits as they make.",
    cases,
    run,
    MEASURES,
    table,
    seeds=1,
)
