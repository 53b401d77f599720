"""Time of regression on many rows, as ratios to fits that do less.

    python benchmarks/many_rows.py [matrix nystroem million linear] [--seeds 0] [--repeat 3]

matrix    10,000 rows of ten features, the kernel matrix: over our kernel matrix alone, in float32
nystroem  300,000 rows, 500 landmarks: scikit-learn's Nystroem + Ridge, in double and in single
          precision, over ours
million   a million rows, 1,000 landmarks: over our fit without trimming (contamination=0)
linear    a million rows of twenty features: over scikit-learn's LinearRegression

All fits of a line run in one process, in turns, on the same rows, of which a fifth of the targets
is wrong (:mod:`untaint.bench.speed.rows`); the shortest time of each counts. The error is that on
clean test rows, over the error of our fit to the right rows.
"""

import argparse
import gc
from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from untaint.bench.speed.families import FAMILIES
from untaint.bench.speed.models import build, given
from untaint.bench.speed.rows import draw_rows

N_TEST = 10_000
WARM_ROWS = 3_000


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
}


def compare(name: str, seed: int, repeat: int, leave_out: list[str]) -> None:
    """Fit in turns, and print seconds, ratios and errors."""
    line = LINES[name]
    family = FAMILIES[line.family]
    rows = draw_rows(family.truth, line.n, seed, kind=family.kind, n_test=N_TEST)
    methods = [method for method in line.methods if method not in leave_out]
    data = {method: given(method, rows) for method in methods}
    seconds: dict[str, list[float]] = {method: [] for method in methods}
    fitted: dict[str, Any] = {}
    for method, (X, y) in data.items():
        _model(line, method, seed).fit(X[:WARM_ROWS], y[:WARM_ROWS])
    for _ in range(repeat):
        for method, (X, y) in data.items():
            fitted.pop(method, None)
            gc.collect()
            model = _model(line, method, seed)
            seconds[method].append(_seconds(lambda model=model, X=X, y=y: model.fit(X, y)))
            fitted[method] = model
    best = {method: min(each) for method, each in seconds.items()}
    for method in methods:
        ratio = best[method] / best[line.divisor]
        print(
            f"| {name} | {seed} | {method} | {best[method]:.3f} | {max(seconds[method]):.3f} "
            f"| {ratio:.2f} | {_error(fitted[method], rows):.4f} "
            f"| {getattr(fitted[method], 'n_iter_', '')} |",
            flush=True,
        )


def _model(line: Line, method: str, seed: int) -> Any:
    return build(method, FAMILIES[line.family], seed, line.components)


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _error(model: Any, rows: Any) -> float:
    if not hasattr(model, "predict"):
        return float("nan")
    return float(np.sqrt(np.mean((model.predict(rows.X_test) - rows.y_test) ** 2)))


def main() -> None:
    """Read the arguments and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("lines", nargs="*", choices=[[], *LINES], default=list(LINES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="METHOD")
    asked = parser.parse_args()
    print("| line | seed | fit | shortest s | longest s | ratio | clean-test RMSE | passes |")
    print("|---|--:|---|--:|--:|--:|--:|--:|")
    for name in asked.lines:
        for seed in asked.seeds:
            compare(name, seed, asked.repeat, asked.leave_out)


if __name__ == "__main__":
    main()
