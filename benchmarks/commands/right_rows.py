"""Right rows that are flagged in real tables, and the error under planted corruption.

Usage::

    make bench ARGS="right-rows clean --tables confirm --rows 400 2000 --seeds 0 1"
    make bench ARGS="right-rows planted --tables choose --rows 400 --seeds 0 --out cells.csv"

``clean`` fits every table as it is: share of rows flagged, and test error over that of
``contamination=0``. ``planted`` corrupts 10, 20 and 40 % of the training rows: test error over that
of the same learner on the good rows alone, error of the estimated share, coverage of its interval.
The tables come from packages that are not installed with the library
(:mod:`real_tables.catalogue`).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.commands.real_tables.catalogue import CHOOSE, CONFIRM, TABLES
from benchmarks.commands.real_tables.evaluate import KINDS, Cell, evaluate

EPSILONS = (0.1, 0.2, 0.4)
COLUMNS = ("table", "rows", "kind", "wrong", "seed", "estimated", "interval", "right rows flagged")
COLUMNS += ("wrong rows found", "error", "plain fit", "transformation", "seconds")


def main() -> None:
    """Run the cells asked for, print each, and a summary at the end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("study", choices=("clean", "planted"))
    parser.add_argument(
        "--tables", nargs="+", default=["all"], help="choose, confirm, all, or names"
    )
    parser.add_argument("--rows", nargs="+", type=int, default=[400])
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument("--kinds", nargs="+", default=KINDS)
    parser.add_argument("--epsilons", nargs="+", type=float, default=EPSILONS)
    parser.add_argument("--told", action="store_true", help="give the fit the true share")
    parser.add_argument("--plain-targets", action="store_true", help="transform no targets")
    parser.add_argument("--out", type=Path, help="file of comma-separated values")
    asked = parser.parse_args()
    groups = {"all": TABLES, "choose": CHOOSE, "confirm": CONFIRM}
    names = [name for group in asked.tables for name in groups.get(group, [group])]
    kinds = [("clean", 0.0)] if asked.study == "clean" else product(asked.kinds, asked.epsilons)
    transform = None if asked.plain_targets else "auto"
    cells = []
    print(f"| {' | '.join(COLUMNS)} |\n{'|---' * len(COLUMNS)}|", flush=True)
    for (kind, epsilon), n_rows, name, seed in product(kinds, asked.rows, names, asked.seeds):
        told = epsilon if asked.told else "auto"
        cells.append(evaluate(name, n_rows, kind, epsilon, seed, told, target_transform=transform))
        print(_line(cells[-1]), flush=True)
    if asked.out is not None:
        _write(asked.out, cells)
    (_summarise_clean if asked.study == "clean" else _summarise_planted)(cells)


def _line(cell: Cell) -> str:
    """Return a row of a Markdown table."""
    parts = [cell.table, str(cell.n_rows), cell.kind, f"{cell.epsilon:.1f}", str(cell.seed)]
    parts += [f"{cell.share:.3f}", f"{cell.low:.2f} to {cell.high:.2f}", f"{cell.flagged:.3f}"]
    parts += [f"{cell.recall:.2f}", f"{cell.ratio:.3f}", f"{cell.plain / cell.truth:.3f}"]
    return "| " + " | ".join([*parts, cell.transform, f"{cell.seconds:.2f}"]) + " |"


def _write(path: Path, cells: Iterable[Cell]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Cell._fields)
        writer.writerows(cells)


def _summarise_clean(cells: list[Cell]) -> None:
    flagged = np.array([cell.flagged for cell in cells])
    ratios = np.array([cell.ratio for cell in cells])
    print(
        f"\n{len(cells)} fits: flagged in the mean {flagged.mean():.4f}, "
        f"above 5 % in {np.sum(flagged > 0.05)}, largest {flagged.max():.3f}; error ratio median "
        f"{np.median(ratios):.3f}, mean {ratios.mean():.3f}, above 1.02 in "
        f"{np.sum(ratios > 1.02)}, above 1.10 in {np.sum(ratios > 1.10)}, "
        f"largest {ratios.max():.3f}; "
        f"{sum(cell.seconds for cell in cells):.1f} s"
    )


def _summarise_planted(cells: list[Cell]) -> None:
    print()
    for kind, epsilon in sorted({(cell.kind, cell.epsilon) for cell in cells}):
        some = [cell for cell in cells if (cell.kind, cell.epsilon) == (kind, epsilon)]
        ratios = np.array([cell.ratio for cell in some])
        errors = np.array([abs(cell.share - epsilon) for cell in some])
        covered = np.mean([cell.low <= epsilon <= cell.high for cell in some])
        worst = some[int(ratios.argmax())]
        print(
            f"{kind:9} {epsilon:.1f}  {len(some)} fits: "
            f"error ratio median {np.median(ratios):.3f}, mean {ratios.mean():.3f}, "
            f"90 % {np.quantile(ratios, 0.9):.2f}, "
            f"worst {ratios.max():.2f} ({worst.table}); share off by {errors.mean():.3f}, at most "
            f"{errors.max():.2f}; interval covers {covered:.0%}"
        )


if __name__ == "__main__":
    sys.exit(main())
