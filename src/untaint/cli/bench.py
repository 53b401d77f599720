"""``untaint bench``: the papers' tables and figures, and the speed comparisons."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Annotated

import typer

from .errors import UsageError


def bench(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The study; without a name, all are listed."),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", min=1, help="Number of seeds; the study's own by default."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Number of processes.")] = 1,
    out: Annotated[
        Path | None, typer.Option("--out", help="CSV file; results/NAME.csv by default.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes, bundled data, two seeds.")
    ] = False,
) -> int:
    """Run a study again: the papers' tables and figures, and the speed comparisons.

    Rows are written as they come, and a run that was stopped goes on where it was.

    For example:

      untaint bench

      untaint bench table1 --seeds 3 --jobs 2
    """
    from ..bench.running import run_study
    from ..bench.studies import FORMER_NAMES, STUDIES

    if name is None:
        width = max(map(len, STUDIES))
        for study, about in STUDIES.items():
            print(f"{study:<{width}}  {about.question}")
        return 0
    name = FORMER_NAMES.get(name, name)
    if name not in STUDIES:
        close = get_close_matches(name, STUDIES, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(STUDIES)}"
        raise UsageError(f"no study {name!r}: {hint}")
    try:
        return run_study(name, seeds=seeds, jobs=jobs, out=out, quick=quick)
    except (RuntimeError, ValueError) as error:
        raise UsageError(str(error)) from None
