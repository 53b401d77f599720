"""Time of regression on many rows, as ratios to fits that do less.

    make bench ARGS="many-rows [matrix nystroem million linear classes] [--seeds 0] [--repeat 3]"

matrix    10,000 rows of ten features, the kernel matrix: over our kernel matrix alone, in float32
nystroem  300,000 rows, 500 landmarks: scikit-learn's Nystroem + Ridge, in double and in single
          precision, over ours
million   a million rows, 1,000 landmarks: over our fit without trimming (contamination=0)
linear    a million rows of twenty features: over scikit-learn's LinearRegression
classes   500,000 rows of fifty features, two classes: over scikit-learn's LogisticRegression

All fits of a line run in one process, in turns, on the same rows, of which a fifth of the targets
is wrong (:mod:`benchmarks.data.large`); the shortest time of each counts. CPU time is that of
all threads, and tells less of what else the machine does; "others" are the cores that other
processes kept busy meanwhile. The error is that on clean test rows: RMSE, or the share of wrong
classes.
"""

import argparse
import gc
from collections.abc import Callable
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data.large import draw_rows
from benchmarks.speed.families import FAMILIES
from benchmarks.speed.machine import moment, others
from benchmarks.speed.models import build, given

N_TEST = 10_000
WARM_ROWS = 3_000


class Taken(NamedTuple):
    """Seconds on the clock and of all threads, and the cores that other processes kept busy."""

    wall: float
    cpu: float
    others: float


class Line(NamedTuple):
    """Fits to compare: a family of the speed studies, its size, the methods and their divisor."""

    family: str
    n: int
    components: int | None
    methods: tuple[str, ...]
    divisor: str


LINES = {
    "matrix": Line("exact", 10_000, None, ("matrix", "untaint", "untaint-auto"), "matrix"),
    "nystroem": Line(
        "approximate",
        300_000,
        500,
        ("untaint", "untaint-auto", "nystroem-ridge", "nystroem-ridge-32"),
        "untaint",
    ),
    "million": Line(
        "approximate",
        1_000_000,
        1_000,
        ("untaint-plain", "untaint", "untaint-auto"),
        "untaint-plain",
    ),
    "linear": Line(
        "linear",
        1_000_000,
        None,
        ("linear-regression", "untaint-plain", "untaint", "untaint-auto", "huber"),
        "linear-regression",
    ),
    "classes": Line(
        "linear-classes",
        500_000,
        None,
        ("logistic-regression", "untaint-plain", "untaint", "untaint-auto"),
        "logistic-regression",
    ),
}


def compare(name: str, seed: int, repeat: int, leave_out: list[str]) -> None:
    """Fit in turns, and print seconds, ratios and errors."""
    line = LINES[name]
    family = FAMILIES[line.family]
    rows = draw_rows(family.truth, line.n, seed, kind=family.kind, n_test=N_TEST)
    methods = [method for method in line.methods if method not in leave_out]
    data = {method: given(method, rows) for method in methods}
    seconds: dict[str, list[Taken]] = {method: [] for method in methods}
    fitted: dict[str, Any] = {}
    for method, (X, y) in data.items():
        _model(line, method, seed).fit(X[:WARM_ROWS], y[:WARM_ROWS])
    for _ in range(repeat):
        for method, (X, y) in data.items():
            fitted.pop(method, None)
            gc.collect()
            model = _model(line, method, seed)
            seconds[method].append(_taken(lambda model=model, X=X, y=y: model.fit(X, y)))
            fitted[method] = model
    wall, cpu = (
        {method: min(each[place] for each in seconds[method]) for method in methods}
        for place in (0, 1)
    )
    for method in methods:
        longest = max(each.wall for each in seconds[method])
        busy = max(each.others for each in seconds[method])
        print(
            f"| {name} | {seed} | {method} | {wall[method]:.3f} | {longest:.3f} "
            f"| {wall[method] / wall[line.divisor]:.2f} | {cpu[method] / cpu[line.divisor]:.2f} "
            f"| {busy:.1f} | {_error(fitted[method], rows):.4f} "
            f"| {getattr(fitted[method], 'n_iter_', '')} |",
            flush=True,
        )


def _model(line: Line, method: str, seed: int) -> Any:
    return build(method, FAMILIES[line.family], seed, line.components)


def _taken(work: Callable[[], object]) -> Taken:
    before, start, cpu = moment(), perf_counter(), process_time()
    work()
    wall, cpu = perf_counter() - start, process_time() - cpu
    return Taken(wall, cpu, others(before, moment()))


def _error(model: Any, rows: Any) -> float:
    if not hasattr(model, "predict"):
        return float("nan")
    predictions = model.predict(rows.X_test)
    if hasattr(model, "classes_"):
        return float(np.mean(predictions != rows.y_test))
    return float(np.sqrt(np.mean((predictions - rows.y_test) ** 2)))


def main() -> None:
    """Read the arguments and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", nargs="*", choices=[[], *LINES], default=[])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="METHOD")
    asked = parser.parse_args()
    heads = (
        "shortest s",
        "longest s",
        "ratio",
        "CPU ratio",
        "others",
        "clean-test error",
        "passes",
    )
    print("| line | seed | fit | " + " | ".join(heads) + " |")
    print("|---|--:|---" + "|--:" * len(heads) + "|")
    for name in asked.lines or LINES:
        for seed in asked.seeds:
            compare(name, seed, asked.repeat, asked.leave_out)


if __name__ == "__main__":
    main()
