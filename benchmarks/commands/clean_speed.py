"""untaint clean on 200,000 rows of 20 columns, next to pandas and one fit of gradient boosting.

    make bench ARGS="clean-speed [--kinds none Regressor Classifier] [--repeat 3]"

Both are run as commands, start of Python and imports included, in turn; the reference script also
reports how long reading and fitting took without its imports. Without a target ("none") only cells
are assessed, and the script fits the same table.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np

KINDS = ("none", "Regressor", "Classifier")
SCRIPT = """
import sys, time
import pandas as pd
from sklearn.ensemble import HistGradientBoosting{task}
start = time.perf_counter()
frame = pd.read_csv(sys.argv[1])
texts = frame.select_dtypes(exclude="number").columns.drop("target", errors="ignore")
frame[texts] = frame[texts].astype("category")
HistGradientBoosting{task}().fit(frame.drop(columns="target"), frame["target"])
print(time.perf_counter() - start)
"""


def write_tables(folder: Path, n: int = 200_000) -> dict[str, Path]:
    """Return a curved surface with 8 % gross errors, and the same as three labels.

    Fourteen columns are numbers, two are whole numbers, and three are categories.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 19)).round(4)
    y = 2 * X[:, 0] + 3 * np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * rng.standard_normal(n)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-1.5, 1.5])]
    wrong = rng.random(n) < 0.08
    y[wrong] += rng.choice([-1, 1], wrong.sum()) * rng.uniform(10, 40, wrong.sum())
    labels[wrong] = rng.permutation(labels[wrong])
    columns = [column.astype(str) for column in X.T]
    for j in (14, 15):
        columns[j] = np.round(20 * X[:, j]).astype(int).astype(str)
    for j, names in zip((16, 17, 18), ("ab", "pqrst", "klmnopquvwxy"), strict=True):
        columns[j] = np.array(list(names))[rng.integers(len(names), size=n)]
    paths = {}
    for task, target in (("Regressor", y.round(4)), ("Classifier", labels)):
        paths[task] = folder / f"{task}.csv"
        rows = np.column_stack([*columns, target.astype(str)])
        names = ",".join([*(f"x{j}" for j in range(19)), "target"])
        lines = "\n".join(",".join(row) for row in rows.tolist())
        paths[task].write_text(f"{names}\n{lines}\n")
    return paths


class Taken(NamedTuple):
    """What a command took: seconds, processor seconds, peak memory in MB, and what it printed."""

    wall: float
    cpu: float
    megabytes: float
    printed: str


def taken(command: list[str]) -> Taken:
    """Run a command and return what it took."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with code {process.returncode}")
    wall, cpu = time.perf_counter() - start, usage.ru_utime + usage.ru_stime
    return Taken(wall, cpu, usage.ru_maxrss / 1e3, printed)


def main() -> None:
    """Run the commands in turn and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    asked = parser.parse_args()
    heads = ("seconds", "processor s", "pandas and boosting", "processor s", "without imports")
    heads += ("ratio", "CPU ratio", "ratio without imports", "peak MB", "report MB")
    print("| target | " + " | ".join(heads) + " |\n|---" + "|--:" * len(heads) + "|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # In a process of its own: a child's peak memory is at least its parent's when it started.
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            paths = pool.submit(write_tables, folder, asked.rows).result()
        for kind in asked.kinds:
            for run in range(asked.repeat):
                print(line(kind, paths, folder / f"{kind}-{run}"), flush=True)


def line(kind: str, paths: dict[str, Path], out: Path) -> str:
    """Return a row: our command on a table, next to the script on the same table."""
    task = "Regressor" if kind == "none" else kind
    code = SCRIPT.format(task=task)
    script = taken([sys.executable, "-c", code, str(paths[task])])
    target = [] if kind == "none" else ["-t", "target"]
    program = "from untaint.cli.main import main; import sys; sys.exit(main())"
    clean = [sys.executable, "-c", program, "clean", str(paths[task]), *target]
    ours = taken([*clean, "-o", str(out), "-q"])
    inner, page = float(script.printed), (out / "report.html").stat().st_size / 1e6
    return (
        f"| {kind} | {ours.wall:.1f} | {ours.cpu:.1f} | {script.wall:.1f} | {script.cpu:.1f} "
        f"| {inner:.1f} | {ours.wall / script.wall:.1f} | {ours.cpu / script.cpu:.1f} "
        f"| {ours.wall / inner:.1f} | {ours.megabytes:,.0f} | {page:.1f} |"
    )


if __name__ == "__main__":
    main()
