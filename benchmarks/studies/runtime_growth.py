"""Seconds of all methods as the number of rows grows: one fit each, with the settings given.

The rows have 8 features and 20 % random targets; kernel methods have the same gamma and alpha.
Seconds are of the process on one thread (``OMP_NUM_THREADS=1``), which other programs on the
machine hardly disturb, and the shorter of two fits.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from sklearn.ensemble import RandomForestRegressor
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import HuberRegressor, RANSACRegressor
from sklearn.svm import SVR

from untaint import RobustRegressor, SubquantileRegressor, SubquantileRegressorCV
from untaint.baselines import SeverRegressor, TiltedRegressor

from ..data.timed import EPSILON, timed_rows
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import markdown, number

SIZES = (250, 500, 1_000, 2_000, 4_000, 8_000)
# Beyond this a method is not run at larger sizes.
SECONDS = 25.0
LARGEST = {"sever": 4_000, "term": 4_000, "stack": 2_000}
REPEATS = 2


def _models(gamma: float, seed: int) -> dict[str, Callable[[], Any]]:
    kernel = {"gamma": gamma, "alpha": 0.1}
    return {
        "untaint-given": lambda: SubquantileRegressor(
            contamination=EPSILON, random_state=seed, **kernel
        ),
        "untaint-auto": lambda: SubquantileRegressor(random_state=seed, **kernel),
        "untaint-cv": lambda: SubquantileRegressorCV(random_state=seed),
        "stack": lambda: RobustRegressor(random_state=seed),
        "kernel-ridge": lambda: KernelRidge(kernel="rbf", **kernel),
        "svr": lambda: SVR(C=5.0, gamma=gamma, epsilon=0.1),
        "sever": lambda: SeverRegressor(contamination=EPSILON, n_rounds=8, **kernel),
        "term": lambda: TiltedRegressor(tilt=-0.5, **kernel),
        "huber": lambda: HuberRegressor(max_iter=300),
        "ransac": lambda: RANSACRegressor(random_state=seed),
        "random-forest": lambda: RandomForestRegressor(random_state=seed),
    }


METHODS = tuple(_models(1.0, 0))


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return all methods at all sizes that they are run at."""
    sizes = SIZES[:1] if quick else SIZES
    every = crossed([Cells([f"smooth-{n}" for n in sizes], ["label"], [EPSILON], METHODS)])
    return [c for c in every(seeds, quick) if c.size <= LARGEST.get(c.method, SIZES[-1])]


def run(case: Case) -> dict[str, float]:
    """Fit to rows that are drawn by the seed."""
    split = timed_rows(case)
    gamma = 1.0 / (2 * split.X_train.shape[1])
    make = _models(gamma, case.seed)[case.method]
    make().fit(split.X_train[:60], split.y_train[:60])  # imports on first use are no cost of a fit
    seconds, wall = float("inf"), float("inf")
    for _ in range(REPEATS):
        cpu, start = time.process_time(), time.perf_counter()
        model = make().fit(split.X_train, split.y_train)
        seconds = min(seconds, time.process_time() - cpu)
        wall = min(wall, time.perf_counter() - start)
        if wall > SECONDS / 2:
            break
    return {"n": case.size, "seconds": seconds, "wall_seconds": wall, "rmse": split.rmse(model)}


def table(rows: list[Row]) -> str:
    """Return seconds, a line for each method and a column for each size."""
    good = [row for row in rows if not row["error"]]
    sizes = sorted({int(row["n"]) for row in good})
    body = []
    for method in dict.fromkeys(row["method"] for row in good):
        found = {int(row["n"]): row["seconds"] for row in good if row["method"] == method}
        body.append([method, *(number(found[n], 3) if n in found else "" for n in sizes)])
    return markdown(["method", *map(str, sizes)], body)


STUDIES = {
    "runtime-growth": Study(
        "Processor seconds to fit n rows of 8 features with 20 % wrong targets, one thread.",
        cases,
        run,
        ("n", "seconds", "wall_seconds", "rmse"),
        table,
        seeds=1,
        draw="shares:draw_times",
    )
}
