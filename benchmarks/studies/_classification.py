"""Data sets, methods and tables of the accuracy studies of classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..case import Case, all_cases
from ..classification import MEASURES, evaluate
from ..results import Row
from ..table import difference_table
from .base import Study

TWO_CLASSES = ("heart", "breast")
METHODS = ("genie", "untaint", "untaint-auto", "kernel-logistic", "svc")


def classification_study(
    question: str,
    *,
    kinds: Sequence[str],
    epsilons: Sequence[float],
    datasets: Sequence[str] = TWO_CLASSES,
    quick: Sequence[str] = ("classes2-150",),
    methods: Sequence[str] = METHODS,
    values: Sequence[str] = ("accuracy",),
    seeds: int = 20,
) -> Study:
    """Build a study of clean-test scores under corruption, with a table for each of ``values``.

    ``quick`` names the data sets of a trial run, drawn and not read.
    """

    def cases(seeds: Iterable[int], trial: bool) -> list[Case]:
        return all_cases(
            datasets=quick if trial else datasets,
            kinds=kinds,
            epsilons=epsilons,
            methods=methods,
            seeds=seeds,
        )

    def table(rows: list[Row]) -> str:
        return "\n\n".join(difference_table(rows, value=value) for value in values)

    return Study(question, cases, evaluate, MEASURES, table, seeds)
