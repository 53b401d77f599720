"""Data sets and cells of the studies of automatic methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..case import Case, all_cases

FIVE = ("boston", "concrete", "wine", "drug-1000", "diabetes")


class Cells(NamedTuple):
    """Every combination of these."""

    datasets: Sequence[str]
    kinds: Sequence[str]
    epsilons: Sequence[float]


def cases_of(cells: Sequence[Cells], methods: Sequence[str], seeds: Iterable[int]) -> list[Case]:
    """Return all cells seed by seed, so that an interrupted study has whole seeds."""
    return [
        case
        for seed in seeds
        for part in cells
        for case in all_cases(
            datasets=part.datasets,
            kinds=part.kinds,
            epsilons=part.epsilons,
            methods=methods,
            seeds=[seed],
        )
    ]
