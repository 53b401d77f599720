"""Run a study: write its rows, its table and its pictures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .case import Case
from .files import alone_on, write_whole
from .results import ResultsFile, Row
from .runner import run_cases
from .studies import STUDIES, Study


def run_study(
    name: str,
    *,
    seeds: int | None = None,
    jobs: int = 1,
    out: Path | None = None,
    quick: bool = False,
) -> int:
    """Run a study, or what is left of it, and print its table.

    Parameters
    ----------
    name : str
        One of the studies.
    seeds : int, optional
        How many; by default as many as the study wants.
    jobs : int
        Processes.
    out : path, optional
        CSV file of the rows, results/NAME.csv by default.
    quick : bool
        Small sizes, bundled data, two seeds.

    Returns
    -------
    int
        0 when every case succeeded, 1 when some failed.

    Raises
    ------
    RuntimeError, ValueError, OSError
        If another run writes the same file, or the file belongs to another study.
    """
    study = STUDIES[name]
    # Kept apart by default, so that a trial run leaves no rows among the published ones.
    path = out or Path("results") / f"{name}{'-quick' if quick else ''}.csv"
    count = seeds or (min(2, study.seeds) if quick else study.seeds)
    with alone_on(path):
        return _run(study, path, count, jobs, quick)


def _run(study: Study, path: Path, seeds: int, jobs: int, quick: bool) -> int:
    cases = study.cases(range(seeds), quick)
    results = ResultsFile(path, study.measures)
    run_cases(cases, study.runner(quick), results, jobs=jobs)

    # In the study's order, and without other rows that the file may hold.
    found = {Case.from_row(row): row for row in results.read()}
    rows = [found[case] for case in cases if case in found]
    text = f"{study.question}\n\n{study.table(rows)}\n"
    write_whole(path.with_suffix(".md"), lambda beside: beside.write_text(text, encoding="utf-8"))
    print(text, end="")
    _draw(study, [row for row in rows if not row["error"]], path)
    return _report_failures(rows)


def _draw(study: Study, rows: list[Row], path: Path) -> None:
    if study.draw is None or not rows:
        return
    try:
        for written in study.draw(rows, path):
            print(f"Drawn: {written}")
    except ImportError as error:  # rows and table are there without pictures
        print(error, file=sys.stderr)


def _report_failures(rows: Sequence[Row]) -> int:
    failed = [row for row in rows if row["error"]]
    if not failed:
        return 0
    first = failed[0]
    print(
        f"{len(failed)} of {len(rows)} cases failed and will be tried again by the next run; "
        f"the first, {Case.from_row(first)}: {first['error']}",
        file=sys.stderr,
    )
    return 1
