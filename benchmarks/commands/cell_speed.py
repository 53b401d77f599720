"""untaint clean without and with a target, next to a script, as whole commands: time and memory.

Usage::

    make bench ARGS="cell-speed [--rows 200000 1000] [--repeats 3]"

The script reads the file with pandas, predicts the target out of fold by gradient boosting in five
folds, cuts at five robust deviations, and fences every number by three quartile ranges. Tables of
more than 10,000 rows have 20 columns, others 12, mixed: correlated numbers, one of them curved, two
or four levels; in one row of a thousand a number has the wrong sign or is ten times too large. All
commands are run in turn, start of Python and imports included, and every ratio is one of two
neighbouring runs; its median is printed, with the peak memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

SCRIPT = """
import sys
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import KFold, cross_val_predict

frame = pd.read_csv(sys.argv[1])
y, X = frame["target"], frame.drop(columns="target")
for name in X.columns:
    if not pd.api.types.is_numeric_dtype(X[name]):
        X[name] = X[name].astype("category").cat.codes
folds = KFold(5, shuffle=True, random_state=0)
residuals = y - cross_val_predict(HistGradientBoostingRegressor(), X, y, cv=folds)
centred = (residuals - residuals.median()).abs()
flagged = centred > 5 * 1.4826 * centred.median()
for name in X.columns:
    low, high = X[name].quantile(0.25), X[name].quantile(0.75)
    flagged |= (X[name] < low - 3 * (high - low)) | (X[name] > high + 3 * (high - low))
frame[~flagged].to_csv(sys.argv[2], index=False)
"""
MANY_ROWS, FEW_COLUMNS, MANY_COLUMNS = 10_000, 12, 20
# Hidden dimensions of the numbers, and rows of which one has a mistake.
DIMENSIONS, ROWS_PER_MISTAKE = 5, 1000


class Run(NamedTuple):
    """Seconds of a command, and its peak memory in bytes."""

    seconds: float
    memory: float


def write_table(path: Path, n: int, seed: int = 0) -> None:
    """Write a table of correlated numbers, two columns of levels and a target."""
    rng = np.random.default_rng(seed)
    d = (MANY_COLUMNS if n > MANY_ROWS else FEW_COLUMNS) - 3
    hidden = rng.normal(size=(n, DIMENSIONS))
    X = hidden @ rng.normal(size=(DIMENSIONS, d)) + 0.5 * rng.normal(size=(n, d))
    X[:, 0] = X[:, 1] ** 2 + rng.normal(size=n)
    group, sign = rng.choice(list("xyzw"), n), np.where(X[:, 2] > 0, "yes", "no")
    y = 3 * np.sin(X[:, 3]) + X[:, 4] * (X[:, 5] > 0) + (group == "x") + rng.normal(size=n)
    table = np.round(np.column_stack([10 * X + 50, 10 * y + 100]), 2)
    rows = rng.choice(n, max(n // ROWS_PER_MISTAKE, 1), replace=False)
    columns = rng.integers(d + 1, size=len(rows))
    table[rows, columns] *= rng.choice([-1.0, 10.0], len(rows))
    names = [*(f"x{j}" for j in range(d)), "target", "group", "sign"]
    lines = [
        ",".join([*map(str, row), *levels])
        for row, *levels in zip(table.tolist(), group, sign, strict=True)
    ]
    path.write_text("\n".join([",".join(names), *lines, ""]))


def run(command: list[str]) -> Run:
    """Return how long a command takes, and how much memory."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    if status != 0:
        raise RuntimeError(f"{command} ended with status {status}")
    process.returncode = status
    return Run(seconds, usage.ru_maxrss * 1024.0)


def commands(table: Path, folder: Path) -> dict[str, list[str]]:
    """Return the script, and untaint clean without and with a target."""
    code = "from untaint.cli.main import main; raise SystemExit(main())"
    clean = [sys.executable, "-c", code, "clean", str(table), "-q", "-o"]
    return {
        "script": [sys.executable, "-c", SCRIPT, str(table), str(folder / "script.csv")],
        "clean": [*clean, str(folder / "clean")],
        "clean with a target": [*clean, str(folder / "target"), "-t", "target"],
    }


def study(n: int, repeats: int) -> None:
    """Print medians of time, of its ratio to that of the script, and of memory."""
    with tempfile.TemporaryDirectory() as name:
        folder, runs = Path(name), dict[str, list[Run]]()
        write_table(folder / "table.csv", n)
        for repeat in range(repeats):
            own = folder / str(repeat)
            own.mkdir()
            for method, command in commands(folder / "table.csv", own).items():
                runs.setdefault(method, []).append(run(command))
        for method, found in runs.items():
            pairs = zip(found, runs["script"], strict=True)
            ratio = np.median([ours.seconds / script.seconds for ours, script in pairs])
            print(
                f"{n:7,} rows  {method:20} {np.median([r.seconds for r in found]):6.1f} s  "
                f"ratio {ratio:5.2f}  {max(r.memory for r in found) / 1e9:.2f} GB",
                flush=True,
            )


def main() -> None:
    """Run the study for each number of rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", type=int, default=[200_000, 1000])
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    for n in asked.rows:
        study(n, asked.repeats)


if __name__ == "__main__":
    main()
