"""A case: one cell of a study, named by plain values that survive a trip through a CSV file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any


@dataclass(frozen=True, order=True)
class Case:
    """Dataset x corruption x share x method x seed.

    Examples
    --------
    >>> from benchmarks import Case
    >>> case = Case("kiln", "label", 0.2, "genie", 0)
    >>> Case.from_row(
    ...     {
    ...         "dataset": "kiln",
    ...         "kind": "label",
    ...         "epsilon": "0.2",
    ...         "method": "genie",
    ...         "seed": "0",
    ...         "rmse": "0.1",
    ...     }
    ... ) == case
    True
    >>> str(case)
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

    def __str__(self) -> str:
        return f"{self.dataset} {self.kind} {self.epsilon:g} {self.method} #{self.seed}"


CASE_FIELDS = tuple(field.name for field in fields(Case))


def all_cases(
    *,
    datasets: Iterable[str],
    kinds: Iterable[str],
    epsilons: Iterable[float],
    methods: Iterable[str],
    seeds: Iterable[int],
) -> list[Case]:
    """Return every combination, seeds outermost, so that an interrupted study has whole seeds.

    Examples
    --------
    >>> from benchmarks.case import all_cases
    >>> len(
    ...     all_cases(
    ...         datasets=["a", "b"],
    ...         kinds=["label"],
    ...         epsilons=[0.2, 0.4],
    ...         methods=["genie"],
    ...         seeds=range(3),
    ...     )
    ... )
    12
    """
    return [
        Case(dataset, kind, epsilon, method, seed)
        for seed, dataset, kind, epsilon, method in product(
            seeds, datasets, kinds, epsilons, methods
        )
    ]
