"""A study: a question, the cases that answer it, how one is run and how the rows are drawn."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from untaint._atomic_write import lock, open_atomically

from .case import Case, Declare
from .record import counts, recorded
from .results import ResultsFile, Row
from .runner import Run, run_cases


@dataclass(frozen=True)
class Study:
    """A study as the command runs it.

    Attributes
    ----------
    question : str
        One sentence, printed above the table.
    cases : callable
        Maps the seeds and ``quick`` to the cases.
    run : callable
        Maps a case to its measures.
    measures : tuple of str
        The columns that ``run`` fills.
    table : callable
        Maps rows to Markdown.
    seeds : int
        How many, unless the user says otherwise.
    quick_run : callable, optional
        Stands in for ``run`` in a trial run.
    draw : str, optional
        ``"module:function"`` of :mod:`benchmarks.figures`, which maps rows and the results' path to
        the pictures that it has written beside them.
    """

    question: str
    cases: Declare
    run: Run
    measures: tuple[str, ...]
    table: Callable[[list[Row]], str]
    seeds: int
    quick_run: Run | None = None
    draw: str = ""


def run_study(
    study: Study,
    path: Path,
    *,
    seeds: int | None = None,
    jobs: int = 1,
    quick: bool = False,
    methods: Sequence[str] = (),
    datasets: Sequence[str] = (),
    again: Sequence[str] = (),
) -> int:
    """Run a study, or what is left of it, write its rows, table and pictures, and print the table.

    All ``methods`` and ``datasets`` are run unless some are named. Rows of the methods ``again``
    are measured again: the library has changed, and others have not.

    Returns
    -------
    int
        0 when every case succeeded, 1 when some failed.

    Raises
    ------
    RuntimeError, ValueError, OSError
        If another run writes the same file, or the file belongs to another study.
    """
    count = seeds or (min(2, study.seeds) if quick else study.seeds)
    cases = study.cases(range(count), quick)
    _check("method", {*methods, *again}, {case.method for case in cases})
    _check("data set", datasets, {case.dataset for case in cases})
    cases = [
        case
        for case in cases
        if (not methods or case.method in methods) and (not datasets or case.dataset in datasets)
    ]
    run = study.quick_run if quick and study.quick_run is not None else study.run
    with alone_on(path):
        results = ResultsFile(path, study.measures)
        results.forget(again)
        named = {"methods": methods, "datasets": datasets}
        with recorded(path, seeds=seeds, quick=quick, again=again, **named) as record:
            try:
                run_cases(cases, run, results, jobs=jobs)
            finally:
                rows = _found(results, cases)
                record.update(counts(rows, cases))
        text = f"{study.question}\n\n{study.table(rows)}\n"
        with open_atomically(path.with_suffix(".md")) as stream:
            stream.write(text.encode())
        print(text, end="")
        _draw(study, [row for row in rows if not row["error"]], path)
    return _report_failures(rows)


def _check(what: str, names: Iterable[str], known: set[str]) -> None:
    unknown = sorted(set(names) - known)
    if unknown:
        raise ValueError(f"there is no {what} {unknown[0]!r}, but {', '.join(sorted(known))}.")


def _found(results: ResultsFile, cases: Sequence[Case]) -> list[Row]:
    """Return the rows in the study's order, without others that the file may hold."""
    found = {Case.from_row(row): row for row in results.read()}
    return [found[case] for case in cases if case in found]


def _draw(study: Study, rows: list[Row], path: Path) -> None:
    if not study.draw or not rows:
        return
    module, _, function = study.draw.partition(":")
    try:
        figures = import_module(f"benchmarks.figures.{module}")
        for written in getattr(figures, function)(rows, path):
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


@contextmanager
def alone_on(path: Path) -> Iterator[None]:
    """Hold a lock beside ``path``, which the system releases however this process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # Never removed: who opened it before a removal would hold a lock that nobody else sees.
    with path.with_name(f".{path.name}.lock").open("a") as file:
        if os.name == "posix" and not lock(file.fileno(), wait=False):
            raise RuntimeError(f"Another run is writing {path}: wait for it or use --out.")
        yield
