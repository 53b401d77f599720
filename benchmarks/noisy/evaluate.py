"""One case of noisy features: fit the method, score on clean test rows.

over_clean = rmse / rmse of a ridge fitted to the clean training rows
over_naive = rmse / rmse of a ridge fitted to the noisy rows that the method sees
"""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter

from ..case import Case
from .competitors import ridge
from .methods import METHODS, naive_of
from .rows import rows_of

MEASURES = ("rmse", "rmse_clean", "rmse_naive", "over_clean", "over_naive", "seconds")


def evaluate(case: Case) -> dict[str, float]:
    """Fit the case's method on noisy rows and return its measures."""
    rows = rows_of(case.dataset, case.epsilon, case.seed)
    started = perf_counter()
    error = rows.rmse(METHODS[case.method](rows, case.seed))
    seconds = perf_counter() - started
    clean = reference("clean", case.dataset, case.epsilon, case.seed)
    naive = reference(naive_of(case.method), case.dataset, case.epsilon, case.seed)
    return {
        "rmse": error,
        "rmse_clean": clean,
        "rmse_naive": naive,
        "over_clean": error / clean,
        "over_naive": error / naive,
        "seconds": seconds,
    }


@lru_cache(maxsize=3)
def reference(name: str, dataset: str, level: float, seed: int) -> float:
    """Return error of a fit that others are measured by."""
    rows = rows_of(dataset, level, seed)
    model = ridge(rows.X_clean, rows.y) if name == "clean" else METHODS[name](rows, seed)
    return rows.rmse(model)
