"""Both readings of the papers' N(5, 5), N(0, 5) and N(., 0.01), and how many rows of drug."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from ..case import Case
from ..papers.printed import PRINTED, Cell
from ..papers.readings import INFLATED, MEASURES, METHODS, POLYNOMIALS, READINGS, evaluate
from ..results import Row
from ..summary import groups, show, values
from ..table import markdown
from ._cells import Cells, cases_of
from .base import Study

EPSILONS = (0.2, 0.4)
DRUG = ("drug-700", "drug-1000", "drug-1500", "drug-4085")


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return kernel fits on every reading, and least squares on parts of drug."""
    seeds = list(seeds)
    if quick:
        return cases_of([Cells(("kiln",), tuple(READINGS), (0.2,))], ("genie", "krr"), seeds)
    kernels = Cells(("boston", "concrete", *POLYNOMIALS), tuple(READINGS), EPSILONS)
    kinds = ("N(5, sd 5)", "N(5, var 5)", INFLATED)
    linear = [Cells(DRUG, kinds, (0.2,)), Cells(DRUG, ("clean",), (0.0,))]
    return [
        *cases_of(linear, ("least-squares",), seeds),
        *cases_of([kernels], ("genie", "krr", "untaint"), seeds),
    ]


def table(rows: list[Row]) -> str:
    """Return mean errors of every method, next to the printed ones of the plain fit."""
    methods = [name for name in METHODS if any(row["method"] == name for row in rows)]
    body = []
    for (dataset, kind, epsilon), part in groups(rows, ("dataset", "kind", "epsilon")).items():
        by_method = groups(part, ("method",))
        found = [values(by_method.get((name,), []), "rmse") for name in methods]
        body.append(
            [
                dataset,
                kind,
                epsilon,
                *(show(fmean(errors)) if errors else "-" for errors in found),
                _printed(str(dataset), float(str(epsilon))),
            ]
        )
    header = ["dataset", "bad targets", "epsilon", *methods, "print: krr, subquantile"]
    return f"Clean-test RMSE in standard units, mean over the seeds.\n\n{markdown(header, body)}"


def _printed(dataset: str, epsilon: float) -> str:
    figures = [
        PRINTED.get(Cell("table1", dataset, "label", epsilon, method))
        for method in ("krr", "subquantile")
    ]
    return ", ".join("-" if figure is None else show(figure.mean) for figure in figures)


STUDY = Study(
    "Clean-test RMSE under both readings of the papers' label noise, and on parts of drug.",
    cases,
    evaluate,
    MEASURES,
    table,
    seeds=3,
)
