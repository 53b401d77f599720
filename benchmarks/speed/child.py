"""One case, in the process that was started for it: draw, warm up, fit, score.

A small fit goes first, so that what is imported or set up on first use is not timed. Then the high
water mark of memory is set to what is in use, and the fit runs: once if that takes two seconds or
more, else at least three times, of which the shortest counts. Memory is that of the first run, data
and imports not counted; of a memory map, what the fit has read counts.
"""

from __future__ import annotations

import ctypes
import json
import math
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from untaint.exceptions import MemoryLimitError

from ..data.large import Array, GeneratedRows, draw_rows
from ..frame.children import end_with_parent
from ..frame.timing import high_water_mark, reset_high_water_mark
from ..r import robustbase
from .families import FAMILIES
from .machine import hardware, limit_memory, moment, others, software
from .models import build, given

# Fits below so many seconds are repeated, until a second has gone: at least 3 times, at most 20.
SHORT, FEWEST, MOST = 2.0, 3, 20
WARM_UP_ROWS, WARM_UP_COMPONENTS = 400, 50
# Rows that are predicted at a time: a kernel matrix of all would take more than some fits.
BLOCK = 2_000

OUT_OF_MEMORY = "out of memory"
BEYOND_LIMIT = "would exceed its memory_limit"
OUT_OF_TIME = "out of time"
NOT_CONVERGED = "not converged"


class Cost(NamedTuple):
    """The cost of a fit, and whether it reported convergence."""

    seconds: float
    runs: float
    megabytes: float
    outcome: str = ""


def measure(
    dataset: str,
    method: str,
    seed: int,
    *,
    n_test: int,
    components: int | None,
    folder: str,
    short: float = SHORT,
    seconds: float | None = None,
) -> dict[str, Any]:
    """Return the row's measures; what a method does not have stays nan.

    Fits that take less than ``short`` seconds are repeated. R has so many ``seconds``; what runs
    here is ended from outside. Whoever started the process removes the ``folder``.
    """
    started = moment()
    name, _, size = dataset.rpartition("-")
    family, n = FAMILIES[name], int(size)
    limit_memory()
    file = Path(folder) / "X.f32" if family.mapped else None
    rows = draw_rows(family.truth, n, seed, kind=family.kind, n_test=n_test, file=file)
    in_r = method in robustbase.METHODS
    model: Any
    if in_r:
        repeat: Any = {"runs": (short, FEWEST, MOST), "warm_up": min(WARM_UP_ROWS, n)}
        (model,) = robustbase.fit_all(method, [(rows.X, rows.y)], seconds=seconds, **repeat)
        cost = Cost(model.seconds, model.runs, model.megabytes)
    else:
        X, y = given(method, rows)
        few = None if components is None else min(WARM_UP_COMPONENTS, components)
        build(method, family, seed, few).fit(X[:WARM_UP_ROWS], y[:WARM_UP_ROWS])
        model = build(method, family, seed, components)
        cost = timed(lambda: model.fit(X, y), short)
    return {
        "n": n,
        "seconds": cost.seconds,
        "runs": cost.runs,
        "peak_megabytes": cost.megabytes,
        **scores(model, rows, family.classes),
        "others": others(started, moment()),
        "outcome": cost.outcome,
        "hardware": hardware(),
        "software": robustbase.about() if in_r else software(),
    }


def timed(fit: Callable[[], object], short: float = SHORT) -> Cost:
    """Run a fit once for time and memory, and again for time if it is short."""

    def once() -> float:
        started = perf_counter()
        fit()
        return perf_counter() - started

    _give_back()
    reset_high_water_mark()
    before = high_water_mark()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        seconds = once()
    megabytes = high_water_mark() - before
    runs = repeats(seconds, short)
    seconds = min([seconds, *(once() for _ in range(runs - 1))])
    stopped = any(issubclass(warning.category, ConvergenceWarning) for warning in said)
    return Cost(seconds, runs, megabytes, NOT_CONVERGED if stopped else "")


def repeats(seconds: float, short: float = SHORT) -> int:
    """Return how often to run what took so long at first."""
    if seconds >= short:
        return 1
    return int(min(max(1.0 / max(seconds, 1e-9), FEWEST), MOST))


def scores(model: Any, rows: GeneratedRows, classes: bool) -> dict[str, float]:
    """Return errors on the clean test rows and of the slope, and the share of rows trimmed."""
    found = dict.fromkeys(("rmse", "accuracy", "coef_error", "share"), math.nan)
    if hasattr(model, "predict"):
        predictions = _predict(model, rows.X_test)
        if classes:
            found["accuracy"] = float(np.mean(predictions == rows.y_test))
        else:
            found["rmse"] = float(np.sqrt(np.mean(np.square(predictions - rows.y_test))))
    if rows.coef is not None:
        line = getattr(model, "estimator_", model)  # RANSAC's is inside
        found["coef_error"] = float(np.linalg.norm(np.ravel(line.coef_) - rows.coef))
    found["share"] = float(getattr(model, "contamination_", math.nan))
    return found


def _predict(model: Any, X: Array) -> Array:
    starts = range(0, len(X), BLOCK)
    return np.concatenate([np.ravel(model.predict(X[at : at + BLOCK])) for at in starts])


def _give_back() -> None:
    """Return freed memory to the system (glibc), lest the fit reuse it without being charged."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def main(text: str) -> None:
    """Measure what the arguments, a JSON object, say, and print the measures as another."""
    end_with_parent()
    try:
        found = measure(**json.loads(text))
    except MemoryLimitError:  # ours, which is a MemoryError as well
        found = {"outcome": BEYOND_LIMIT}
    except MemoryError:
        found = {"outcome": OUT_OF_MEMORY}
    except TimeoutExpired:
        found = {"outcome": OUT_OF_TIME}
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
