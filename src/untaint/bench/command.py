"""The command: run a study, write its rows, its table and its pictures.

Without a name, the studies and their questions are listed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from .arguments import Parser, positive
from .case import Case
from .files import alone_on, write_whole
from .results import ResultsFile, Row
from .runner import run_cases
from .studies import STUDIES, Study


def main(arguments: Sequence[str] | None = None, prog: str = "python -m untaint.bench") -> int:
    """Return 0 when every case succeeded, 1 when some failed."""
    parser = _parser(prog)
    options = parser.parse_args(arguments)
    if options.name is None:
        _print_studies()
        return 0
    # Kept apart by default, so that a trial run leaves no rows among the published ones.
    name = f"{options.name}-quick" if options.quick else options.name
    path = options.out or Path("results") / f"{name}.csv"
    study = STUDIES[options.name]
    try:
        with alone_on(path):
            return _run(study, path, options)
    except (RuntimeError, ValueError, OSError) as error:
        parser.error(str(error))


def _run(study: Study, path: Path, options: argparse.Namespace) -> int:
    seeds = options.seeds or (min(2, study.seeds) if options.quick else study.seeds)
    cases = study.cases(range(seeds), options.quick)
    results = ResultsFile(path, study.measures)
    run_cases(cases, study.runner(options.quick), results, jobs=options.jobs)

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


def _print_studies() -> None:
    width = max(map(len, STUDIES))
    for name, study in STUDIES.items():
        print(f"{name:<{width}}  {study.question}")


def _parser(prog: str) -> Parser:
    parser = Parser(prog=prog, description=__doc__)
    parser.add_argument("name", nargs="?", type=_study, metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--seeds", type=positive, help="how many (default: the study's own)")
    parser.add_argument("--jobs", type=positive, default=1, help="processes (default: 1)")
    parser.add_argument("--out", type=Path, help="CSV file (default: results/NAME.csv)")
    parser.add_argument("--quick", action="store_true", help="small sizes, bundled data, 2 seeds")
    return parser


def _study(text: str) -> str:
    if text not in STUDIES:
        close = get_close_matches(text, STUDIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(STUDIES)}"
        raise argparse.ArgumentTypeError(f"no study {text!r}: {hint}")
    return text
