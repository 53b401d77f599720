"""``python -m untaint.bench NAME``: run a study, write its rows, print its table."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .case import Case
from .results import ResultsFile
from .runner import run_cases
from .studies import STUDIES


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when every case succeeded, 1 when some failed."""
    options = _parse(arguments)
    study = STUDIES[options.name]
    seeds = options.seeds or (min(2, study.seeds) if options.quick else study.seeds)
    cases = study.cases(range(seeds), options.quick)
    # Kept apart by default, so that a trial run leaves no rows among the published ones.
    name = f"{options.name}-quick" if options.quick else options.name
    results = ResultsFile(options.out or Path("results") / f"{name}.csv", study.measures)
    run_cases(cases, study.run, results, jobs=options.jobs)

    # In the study's order, whichever case ended first.
    found = {Case.from_row(row): row for row in results.read()}
    rows = [found[case] for case in cases if case in found]
    print(f"{study.question}\n\n{study.table(rows)}")
    return _report_failures(rows)


def _report_failures(rows: Sequence[dict[str, object]]) -> int:
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


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m untaint.bench", description=__doc__)
    parser.add_argument("name", choices=STUDIES, metavar="NAME", help=", ".join(STUDIES))
    parser.add_argument("--seeds", type=_positive, help="how many (default: the study's own)")
    parser.add_argument("--jobs", type=_positive, default=1, help="processes (default: 1)")
    parser.add_argument("--out", type=Path, help="CSV file (default: results/NAME.csv)")
    parser.add_argument("--quick", action="store_true", help="small sizes, bundled data, 2 seeds")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, got {text}")
    return value


if __name__ == "__main__":
    sys.exit(main())
