"""Wrong cells of real tables: what is accused as they are, and what is found of planted mistakes.

Usage::

    make bench ARGS="wrong-cells clean --tables confirm --methods untaint script"
    make bench ARGS="wrong-cells planted --tables choose --kinds mixed typo --seeds 0 1"
    make bench ARGS="wrong-cells after --tables choose-targets --methods untaint script"

``clean`` prints the share of rows that are flagged in tables as they are. ``planted`` makes one
mistake in 5 % of the rows (:mod:`benchmarks.data.planted`) and prints precision and recall of rows,
and of the rows caught how many have the right cell named, its right kind and true value to 10 %.
``after`` prints the test error of gradient boosting after flagged rows are dropped, or flagged
cells replaced, over that of a fit to the rows without mistakes. The tables come from packages that
are not installed with the library (:mod:`real_tables.frames`); tables are names, ``choose``,
``confirm`` or ``all``, or those of them with a target, as in ``choose-targets``. Methods are in
:mod:`real_tables.cell_methods`.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import sys
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.commands.real_tables.cell_methods import METHODS
from benchmarks.commands.real_tables.cell_scores import (
    After,
    Clean,
    Planted,
    run_after,
    run_clean,
    run_planted,
)
from benchmarks.commands.real_tables.frames import select
from benchmarks.data.planted import NAMES as KINDS
from benchmarks.frame.tables import markdown

WORST = 10


def main() -> None:
    """Run what is asked for, print each result, and a summary at the end."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("study", choices=("clean", "planted", "after"))
    parser.add_argument("--tables", nargs="+", default=["choose"])
    parser.add_argument("--rows", type=int, default=1500, help="rows of a table at most")
    parser.add_argument("--seeds", nargs="+", type=int, default=[0])
    parser.add_argument(
        "--kinds", nargs="+", default=["mixed"], help=f"mixed, single (each of them), {[*KINDS]}"
    )
    parser.add_argument("--methods", nargs="+", default=["untaint"], choices=[*METHODS])
    parser.add_argument("--out", type=Path, help="file of comma-separated values")
    asked = parser.parse_args()
    names = select(asked.tables)
    methods = [method for method in asked.methods if _is_there(method)]
    kinds = [kind for group in asked.kinds for kind in (KINDS if group == "single" else [group])]
    seeds = asked.seeds
    if asked.study == "clean":
        kinds, seeds = ["clean"], [0]
    one, line, summarise = STUDIES[asked.study]
    results, failures = list[Any](), list[str]()
    for seed, kind, name, method in product(seeds, kinds, names, methods):
        try:
            found = one(name, kind, seed, method, asked.rows)
        except Exception as error:  # a table that stops a method is a result as well
            failures.append(f"{name} {kind} {seed} {method}: {error!r:.200}")
            print(f"failed: {failures[-1]}", flush=True)
            continue
        results += found
        for result in found[:1]:
            print(line(result), file=sys.stderr, flush=True)
    if asked.out is not None and results:
        _write(asked.out, results)
    for method in methods:
        summarise(method, [result for result in results if result.method == method])
    if failures:
        print(f"\n{len(failures)} failures:", *failures, sep="\n  ")


def summarise_clean(method: str, results: Sequence[Clean]) -> None:
    """Print the shares of rows flagged, and the tables with the largest."""
    if not results:
        return
    shares = np.array([result.share for result in results])
    print(
        f"\n{method}: {len(results)} tables as they are, rows flagged: median "
        f"{np.median(shares):.4f}, mean {shares.mean():.4f}, above 5 % in {np.sum(shares > 0.05)}, "
        f"none in {np.sum(shares == 0)}, largest {shares.max():.3f}; "
        f"{sum(result.seconds for result in results):.1f} s"
    )
    for result in sorted(results, key=lambda each: -each.share)[:WORST]:
        print(f"  {result.table:24} {result.share:.3f}  {result.rows} of {result.n_rows} rows")


def summarise_planted(method: str, results: Sequence[Planted]) -> None:
    """Print mean recall and pooled precision for each kind, and over all."""
    body = [
        _pooled(kind, [result for result in results if result.kind == kind])
        for kind in dict.fromkeys(result.kind for result in results)
    ]
    single = [result for result in results if not result.kind.startswith("mixed")]
    if single:
        body.append(_pooled("all single", single))
    print(f"\n{method}: mean recall of wrong rows, all else over all tables\n")
    print(markdown(PLANTED_COLUMNS, body))


PLANTED_COLUMNS = ("kind", "cases", "recall of rows", "precision of rows", "right cell")
PLANTED_COLUMNS += ("precision of cells", "right kind", "value within 10 %", "seconds")


def _pooled(kind: str, results: Sequence[Planted]) -> list[str]:
    total = {
        name: sum(getattr(result, name) for result in results)
        for name in ("flagged", "caught", "cells", "placed", "named", "right")
    }
    return [
        kind,
        str(len(results)),
        f"{np.mean([result.recall for result in results]):.3f}",
        _ratio(total["caught"], total["flagged"]),
        _ratio(total["placed"], total["caught"]),
        _ratio(total["placed"], total["cells"]),
        _ratio(total["named"], total["placed"]),
        _ratio(total["right"], total["placed"]),
        f"{np.mean([result.seconds for result in results]):.2f}",
    ]


def summarise_after(method: str, results: Sequence[After]) -> None:
    """Print the error ratios before and after cleaning."""
    print(f"\n{method}: error over that without mistakes, median (mean, worst)")
    for kind in dict.fromkeys(result.kind for result in results):
        own = [result for result in results if result.kind == kind]
        parts = []
        for name in ("dirty", "cleaned", "repaired"):
            ratios = np.array([getattr(result, name) for result in own])
            parts.append(
                f"{name} {np.median(ratios):.3f} ({ratios.mean():.3f}, {ratios.max():.2f})"
            )
        print(f"  {kind:18} {len(own):4} cases  {'  '.join(parts)}")


def _clean_line(result: Clean) -> str:
    return (
        f"{result.table:24.24} {result.method:9} rows {result.n_rows:5}  flagged "
        f"{result.share:.3f}  cells {result.cells:5}  {result.seconds:.2f} s"
    )


def _planted_line(result: Planted) -> str:
    return (
        f"{result.table:24.24} {result.kind:18} {result.seed} {result.method:9}"
        f" wrong {result.wrong:3}  flagged {result.flagged:4}"
        f"  precision {result.precision:.2f}  recall {result.recall:.2f}"
        f"  cell {_ratio(result.placed, result.caught)}"
        f"  kind {_ratio(result.named, result.placed)}"
        f"  value {_ratio(result.right, result.placed)}  {result.seconds:.2f} s"
    )


def _after_line(result: After) -> str:
    return (
        f"{result.table:24.24} {result.kind:18} {result.seed} {result.method:9}"
        f" dirty {result.dirty:.3f}  cleaned {result.cleaned:.3f}"
        f"  repaired {result.repaired:.3f}  {result.seconds:.2f} s"
    )


def _ratio(part: int, whole: int) -> str:
    return f"{part / whole:.2f}" if whole else "  - "


def _is_there(method: str) -> bool:
    """Return whether a method can be imported, and say so if not."""
    try:
        if method == "cleanlab":
            importlib.import_module("cleanlab.regression.learn")
        if method == "untaint" and not hasattr(importlib.import_module("untaint"), "clean"):
            raise ImportError("the library has no function clean")
    except ImportError as error:
        print(f"{method} is left out: {error}.")
        return False
    return True


def _write(path: Path, results: Iterable[Any]) -> None:
    rows = list(results)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows[0]._fields)
        writer.writerows(rows)


STUDIES: dict[str, tuple[Any, Any, Any]] = {
    "clean": (run_clean, _clean_line, summarise_clean),
    "planted": (run_planted, _planted_line, summarise_planted),
    "after": (run_after, _after_line, summarise_after),
}


if __name__ == "__main__":
    main()
