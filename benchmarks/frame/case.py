"""A case: one cell of a study, named by plain values that survive a trip through a CSV file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, NamedTuple, TypeAlias


@dataclass(frozen=True, order=True)
class Case:
    """Dataset x corruption x share x method x seed.

    Examples
    --------
    >>> from benchmarks.frame import Case
    >>> str(Case("kiln", "label", 0.2, "genie", 0))
    'kiln label 0.2 genie #0'
    """

    dataset: str
    kind: str
    epsilon: float
    method: str
    seed: int

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Case:
        """Read the case back from a row of text or values; other columns are ignored."""
        return cls(
            dataset=str(row["dataset"]),
            kind=str(row["kind"]),
            epsilon=float(row["epsilon"]),
            method=str(row["method"]),
            seed=int(row["seed"]),
        )

    @property
    def family(self) -> str:
        """The data set without its size: ``"smooth"`` of ``"smooth-1000"``."""
        return self.dataset.rpartition("-")[0]

    @property
    def size(self) -> int:
        """The number at the end of the data set's name."""
        return int(self.dataset.rpartition("-")[2])

    def __str__(self) -> str:
        return f"{self.dataset} {self.kind} {self.epsilon:g} {self.method} #{self.seed}"


CASE_FIELDS = tuple(field.name for field in fields(Case))

Declare: TypeAlias = Callable[[Iterable[int], bool], list[Case]]


class Cells(NamedTuple):
    """Every combination of these."""

    datasets: Sequence[str]
    kinds: Sequence[str]
    epsilons: Sequence[float]
    methods: Sequence[str] = ("in-turn",)


def crossed(cells: Sequence[Cells], *, quick: Sequence[Cells] | None = None) -> Declare:
    """Return what declares all cases of some cells, and those of ``quick`` in a trial run.

    Seeds are outermost, so that an interrupted study has whole seeds.

    Examples
    --------
    >>> from benchmarks.frame import Cells, crossed
    >>> len(crossed([Cells(["a", "b"], ["label"], [0.2, 0.4])])(range(3), False))
    12
    """

    def declare(seeds: Iterable[int], trial: bool) -> list[Case]:
        parts = quick if trial and quick is not None else cells
        return [Case(*cell, seed) for seed in seeds for part in parts for cell in product(*part)]

    return declare
