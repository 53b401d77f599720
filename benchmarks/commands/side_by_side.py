"""Time and peak memory of fits by two checkouts, side by side.

    make bench ARGS="side-by-side ../before . [--repeat 5] [--only NAME]"

Every measurement is a process of its own, with the checkout's src first on its path, in turns A B A
B; it fits a few rows first to warm up. Wall time is that of the fit alone; of `untaint clean` that
of the command. Peak memory is the largest resident set of the process, what it took before the fit
included. CPU time tells less of what else the machine does. The ratios are B over A: below 1, B is
faster or smaller.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# Rows of the fit that warms up.
WARM_ROWS = 200
SEED = 0
# A number and not "auto", which depends on the memory that is free at the moment.
MEMORY = "4GB"


@dataclass(frozen=True)
class Task:
    """One fit: an estimator's name, rows, columns, classes (0: numbers) and parameters."""

    estimator: str
    n: int
    d: int = 8
    n_classes: int = 0
    params: tuple[tuple[str, Any], ...] = ()


class Measure(NamedTuple):
    """What a process took."""

    seconds: float
    cpu_seconds: float
    megabytes: float


def _task(estimator: str, n: int, d: int = 8, n_classes: int = 0, **params: Any) -> Task:
    return Task(estimator, n, d, n_classes, tuple(params.items()))


TASKS: dict[str, Task] = {
    "regressor 1,000 rows 0.2": _task("SubquantileRegressor", 1_000, contamination=0.2),
    "regressor 1,000 rows auto": _task("SubquantileRegressor", 1_000),
    "regressor 10,000 rows 0.2": _task("SubquantileRegressor", 10_000, contamination=0.2),
    "regressor 10,000 rows auto": _task("SubquantileRegressor", 10_000),
    "regressor 300,000 rows nystroem": _task(
        "SubquantileRegressor", 300_000, approximation="nystroem", n_components=500
    ),
    "regressor cv 2,000 rows": _task("SubquantileRegressorCV", 2_000),
    "regressor 60 x 10,000 0.2": _task("SubquantileRegressor", 60, d=10_000, contamination=0.2),
    "regressor 60 x 10,000 auto": _task("SubquantileRegressor", 60, d=10_000),
    "regressor cv 60 x 10,000": _task("SubquantileRegressorCV", 60, d=10_000),
    "classifier 5,000 rows 2 classes": _task("SubquantileClassifier", 5_000, n_classes=2),
    "classifier 5,000 rows 5 classes": _task("SubquantileClassifier", 5_000, n_classes=5),
    "classifier cv 1,000 rows": _task("SubquantileClassifierCV", 1_000, n_classes=2),
    "linear 1,000,000 x 20": _task("SubquantileRegressor", 1_000_000, d=20, kernel="linear"),
}
CLEAN = "clean 1,000 rows"


def draw(n: int, d: int, n_classes: int) -> tuple[Any, Any]:
    """Return rows of a curved surface, or labels by it, of which a fifth is wrong.

    They are drawn here and not by untaint, so that both checkouts have the same ones.
    """
    rng = np.random.default_rng(SEED)
    X = rng.normal(size=(n, d))
    surface = np.sin(X[:, 0]) + X[:, 1] - 0.5 * X[:, 2] * X[:, 3]
    wrong = rng.random(n) < 0.2
    if not n_classes:
        return X, np.where(wrong, rng.normal(5, 5, n), surface + 0.1 * rng.normal(size=n))
    edges = np.quantile(surface, np.arange(1, n_classes) / n_classes)
    labels = np.digitize(surface, edges)
    return X, np.where(wrong, rng.integers(0, n_classes, n), labels)


def fit_once(name: str) -> Measure:
    """In the process of a measurement: warm up, fit, and say what it took."""
    import untaint

    task = TASKS[name]
    params = dict(task.params) | {"random_state": SEED, "memory_limit": MEMORY}
    X, y = draw(task.n, task.d, task.n_classes)
    estimator = getattr(untaint, task.estimator)
    estimator(**params | _fewer(params)).fit(X[:WARM_ROWS], y[:WARM_ROWS])
    return taken_by(lambda: estimator(**params).fit(X, y), resource.RUSAGE_SELF)


def _fewer(params: dict[str, Any]) -> dict[str, Any]:
    return {"n_components": 50} if "n_components" in params else {}


def clean_once(checkout: Path) -> Measure:
    """In the process of a measurement: the command, which is a process again."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder) / "table.csv")
        words = ["clean", "table.csv", "-t", "target", "-o", "out", "-q"]
        environment = path_of(checkout)
        command = [sys.executable, "-m", "untaint"]
        subprocess.run([*command, "--help"], env=environment, check=True, capture_output=True)
        return taken_by(
            lambda: subprocess.run([*command, *words], cwd=folder, env=environment, check=True),
            resource.RUSAGE_CHILDREN,
        )


def taken_by(work: Callable[[], Any], who: int) -> Measure:
    """Return what some work takes of this process, or of its children."""
    before, start = resource.getrusage(who), time.perf_counter()
    work()
    seconds, after = time.perf_counter() - start, resource.getrusage(who)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    # Kilobytes on Linux, bytes on macOS.
    return Measure(seconds, cpu, after.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))


def write_table(path: Path, n: int = 1_000) -> None:
    """A table of six numbers and a category."""
    X, y = draw(n, 6, 0)
    colours = np.array(["red", "green", "blue"])[np.random.default_rng(1).integers(0, 3, n)]
    rows = np.column_stack([X.round(4).astype(str), colours, y.round(4).astype(str)])
    head = [*(f"x{j}" for j in range(6)), "colour", "target"]
    path.write_text("\n".join(",".join(row) for row in [head, *rows.tolist()]) + "\n")


def path_of(checkout: Path) -> dict[str, str]:
    """Return the environment of a process that imports untaint from a checkout."""
    return os.environ | {"PYTHONPATH": str((checkout / "src").resolve())}


def measure(checkout: Path, name: str) -> Measure:
    """Start a process that measures, with the code of a checkout."""
    command = [sys.executable, __file__, str(checkout), str(checkout), "--measure", name]
    done = subprocess.run(command, env=path_of(checkout), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} of {checkout}: {done.stderr.strip()}")
    return Measure(*json.loads(done.stdout.splitlines()[-1]))


def take_turns(paths: tuple[Path, Path], name: str, repeat: int) -> list[list[Measure]]:
    """Return measurements of A and of B, in turns."""
    found: list[list[Measure]] = [[], []]
    for _ in range(repeat):
        for side, path in zip(found, paths, strict=True):
            side.append(measure(path, name))
    return found


def rounded(value: float) -> str:
    """Return a number with three digits, or all digits of a larger one."""
    return f"{value:.3g}" if value < 1000 else f"{value:,.0f}"


def cells(found: list[list[Measure]], number: Callable[[list[Measure]], float]) -> str:
    """Return A, B and the ratio of B to A."""
    a, b = (number(side) for side in found)
    return f"{rounded(a)} | {rounded(b)} | {b / a:.2f}"


def table(paths: tuple[Path, Path], names: list[str], repeat: int) -> None:
    """Print a line a task, as soon as it is measured."""
    heads = ("min s", "median s", "min CPU s", "peak MB")
    print("| task | " + " | ".join(f"{head} A | B | B / A" for head in heads) + " |")
    print("|---" + "|--:" * (3 * len(heads)) + "|")
    numbers: list[Callable[[list[Measure]], float]] = [
        lambda side: min(taken.seconds for taken in side),
        lambda side: statistics.median(taken.seconds for taken in side),
        lambda side: min(taken.cpu_seconds for taken in side),
        lambda side: max(taken.megabytes for taken in side),
    ]
    for name in names:
        found = take_turns(paths, name, repeat)
        print(
            f"| {name} | " + " | ".join(cells(found, each) for each in numbers) + " |", flush=True
        )


def main() -> None:
    """Read the arguments; a process that measures is started with --measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("a", type=Path, metavar="PATH_A", help="a checkout")
    parser.add_argument("b", type=Path, metavar="PATH_B", help="another")
    parser.add_argument("--repeat", type=int, default=5, help="measurements of each")
    parser.add_argument("--only", default="", metavar="NAME", help="tasks whose name holds this")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        once = clean_once(asked.a) if asked.measure == CLEAN else fit_once(asked.measure)
        print(json.dumps(once))
        return
    names = [name for name in (*TASKS, CLEAN) if asked.only in name]
    if not names:
        parser.error(f"no task is named like {asked.only}")
    table((asked.a, asked.b), names, asked.repeat)


if __name__ == "__main__":
    main()
