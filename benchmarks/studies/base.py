"""A study: a question, the cases that answer it, how one is run and how the rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..case import Case, all_cases
from ..evaluate import MEASURES, evaluate
from ..results import Row
from ..runner import Run
from ..table import ratio_table

DATASETS = ("boston", "concrete", "wine")
METHODS = ("genie", "untaint", "untaint-gradient", "kernel-ridge")

Declare: TypeAlias = Callable[[Iterable[int], bool], list[Case]]


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
    draw : callable, optional
        Maps rows and the results' path to the pictures that it has written beside them.
    """

    question: str
    cases: Declare
    run: Run
    measures: tuple[str, ...]
    table: Callable[[list[Row]], str]
    seeds: int
    quick_run: Run | None = None
    draw: Callable[[list[Row], Path], list[Path]] | None = None

    def runner(self, quick: bool) -> Run:
        """Return the function that runs a case, in a trial run or in the study itself."""
        return self.quick_run if quick and self.quick_run is not None else self.run


def accuracy_study(question: str, *, kinds: Iterable[str], epsilons: Iterable[float]) -> Study:
    """Build a study of clean-test error under corruption; quick uses the bundled data only."""
    kinds, epsilons = tuple(kinds), tuple(epsilons)

    def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
        return all_cases(
            datasets=("kiln",) if quick else DATASETS,
            kinds=kinds,
            epsilons=epsilons,
            methods=METHODS,
            seeds=seeds,
        )

    return Study(question, cases, evaluate, MEASURES, ratio_table, seeds=10)
