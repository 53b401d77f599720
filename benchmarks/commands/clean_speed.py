"""untaint clean on 200,000 rows of 20 columns, next to pandas and one fit of gradient boosting.

Both are run as commands, start of Python and imports included, in turn, three times; the
reference script also reports how long reading and fitting took without its imports.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

YARDSTICK = """
import sys, time
import pandas as pd
from sklearn.ensemble import HistGradientBoosting{task}
start = time.perf_counter()
frame = pd.read_csv(sys.argv[1])
HistGradientBoosting{task}().fit(frame.drop(columns="target"), frame["target"])
print(time.perf_counter() - start)
"""


def write_tables(folder: Path, n: int = 200_000) -> dict[str, Path]:
    """Return a curved surface with 8 % gross errors, and the same as three labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 19)).round(4)
    y = 2 * X[:, 0] + 3 * np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + 0.5 * rng.standard_normal(n)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-1.5, 1.5])]
    wrong = rng.random(n) < 0.08
    y[wrong] += rng.choice([-1, 1], wrong.sum()) * rng.uniform(10, 40, wrong.sum())
    labels[wrong] = rng.permutation(labels[wrong])
    paths = {}
    for task, target in (("Regressor", y.round(4)), ("Classifier", labels)):
        paths[task] = folder / f"{task}.csv"
        rows = np.column_stack([X.astype(str), target.astype(str)])
        names = ",".join([*(f"x{j}" for j in range(19)), "target"])
        lines = "\n".join(",".join(row) for row in rows.tolist())
        paths[task].write_text(f"{names}\n{lines}\n")
    return paths


def seconds_of(command: list[str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        untaint = Path(sys.executable).with_name("untaint")
        for task, path in write_tables(folder).items():
            for run in range(3):
                out = folder / f"{task}-{run}"
                code = YARDSTICK.format(task=task)
                whole, inner = seconds_of([sys.executable, "-c", code, str(path)])
                clean = [str(untaint), "clean", str(path), "-t", "target", "-o", str(out), "-q"]
                ours, _ = seconds_of(clean)
                page = (out / "report.html").stat().st_size / 1e6
                print(
                    f"{task}: clean {ours:.1f} s; pandas and boosting {whole:.1f} s, "
                    f"{float(inner):.1f} s without imports; ratio {ours / whole:.1f}, "
                    f"{ours / float(inner):.1f}; report {page:.1f} MB",
                    flush=True,
                )


if __name__ == "__main__":
    main()
