"""A study of how good robust fits are where nothing is wrong, and how bad where much is.

*Efficiency*: mse of the plain learner over that of a method, all rows good, errors of four kinds.
*Maximum bias*: the largest mse over the sizes K of what is wrong, at each share of bad rows; its
root is drawn. *Breakdown*: how many fits are worse than a constant.

A case is a block of fifty replicates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from ..case import Case
from ..results import Row
from ..simulation.designs import ERRORS, target_deviation
from ..simulation.evaluate import MEASURES, evaluate, evaluate_quickly
from ..simulation.methods import IN_R, METHODS
from ..summary import groups, show, values
from ..table import markdown, number
from ._cells import Cells, cases_of
from .base import Study

#: From the rows of a method and of Genie, a place and a share to what the table says.
Cell: TypeAlias = Callable[[Sequence[Row], Sequence[Row], str, float], str]

SHARES = (0.1, 0.2, 0.3, 0.4, 0.45)
SIZES = (3.0, 10.0, 1e6)
PLACES = {"y": "y", "xy": "X and y"}
BLOCKS = 20
# Without bad rows these are the plain learner; choosing settings takes the time of all the rest.
CLEAN = {
    design: [method for method in methods if method not in ("genie", "untaint-told")]
    for design, methods in METHODS.items()
}
SPOILED = {
    design: [method for method in methods if method != "cv"] for design, methods in METHODS.items()
}


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return all blocks of the clean settings, then those of the curves; R's methods if R is there.

    Examples
    --------
    >>> from benchmarks.studies.simulation import cases
    >>> found = cases(range(2), quick=True)
    >>> found[0].epsilon, found[-1].epsilon, sorted({case.dataset for case in found})
    (0.0, 0.4, ['curve-60', 'linear-60'])
    """
    blocks, n = list(seeds), 60 if quick else 100
    kinds = [f"{place}-{size:g}" for place in PLACES for size in SIZES]
    parts = [
        (CLEAN, list(ERRORS), (0.0,)),
        (SPOILED, kinds, SHARES[1::2] if quick else SHARES),
    ]
    return [
        case
        for methods, kinds, shares in parts
        for block in blocks
        for design in METHODS
        for case in cases_of(
            [Cells([f"{design}-{n}"], kinds, shares)], _present(methods[design]), [block]
        )
    ]


def _present(methods: Iterable[str]) -> list[str]:
    """Return methods that can be run here."""
    from ..speed.robustbase import missing

    return [method for method in methods if method not in IN_R or missing() is None]


def table(rows: list[Row]) -> str:
    """Return efficiency, largest mean error, fits worse than a constant, and the worst fit."""
    good = [row for row in rows if not row["error"]]
    clean = [row for row in good if row["kind"] in ERRORS]
    spoiled = [row for row in good if row["kind"] not in ERRORS]
    text = []
    if clean:
        text += [
            f"Efficiency: mse of the plain learner over the method's, nothing wrong "
            f"({_counted(clean)}).\n\n{_efficiencies(clean, 'mse')}",
            "The same without the mean of the error, which skewed errors move.\n\n"
            f"{_efficiencies(clean, 'shape')}",
        ]
    if spoiled:
        text += [
            f"Largest mean error (root of mse) over the sizes of what is wrong, over Genie's; by "
            f"share of bad rows ({_counted(spoiled)} a size).\n\n{_curves(spoiled, _bias)}",
            f"Fits worse than a constant, at the worst size.\n\n{_curves(spoiled, _broken)}",
            "Largest error of a single fit, in deviations of the good targets.\n\n"
            f"{_curves(spoiled, _worst)}",
        ]
    return "\n\n".join(text)


def _counted(rows: Sequence[Row]) -> str:
    """Return how many replicates a setting has."""
    parts = groups(rows, ("dataset", "kind", "epsilon", "method")).values()
    each = [sum(values(part, "replicates")) for part in parts]
    fewest, most = min(each), max(each)
    return f"{fewest:,.0f}{'' if fewest == most else f' to {most:,.0f}'} replicates"


def _efficiencies(rows: Sequence[Row], measure: str) -> str:
    body = []
    for (dataset,), part in groups(rows, ("dataset",)).items():
        methods = [str(method) for (method,) in groups(part, ("method",)) if method != "plain"]
        body += [
            [dataset, method, *(show(efficiency(part, method, kind, measure)) for kind in ERRORS)]
            for method in methods
        ]
    return markdown(["dataset", "method", *ERRORS], body)


def efficiency(rows: Sequence[Row], method: str, kind: str, measure: str) -> float:
    """Return mean of a measure for the plain learner over that for a method, in one design.

    Examples
    --------
    >>> from benchmarks.studies.simulation import efficiency
    >>> plain = {"kind": "t3", "method": "plain", "seed": 0, "mse": 1.0}
    >>> efficiency([plain, plain | {"method": "huber", "mse": 0.5}], "huber", "t3", "mse")
    2.0
    """
    plain, own = (
        {row["seed"]: row[measure] for row in rows if (row["kind"], row["method"]) == (kind, name)}
        for name in ("plain", method)
    )
    both = plain.keys() & own.keys()  # of an unfinished study, the blocks that both have seen
    theirs, ours = sum(plain[seed] for seed in both), sum(own[seed] for seed in both)
    return theirs / ours if ours else math.nan


def curve(rows: Sequence[Row], place: str, share: float, measure: str) -> float:
    """Return the largest mean of a measure over outlier sizes, of one design and method."""
    here = [row for row in rows if row["epsilon"] == share and _place(row) == place]
    found = [fmean(values(part, measure)) for part in groups(here, ("kind",)).values()]
    return max(found, default=math.nan)


def _place(row: Row) -> str:
    return str(row["kind"]).partition("-")[0]


def _bias(own: Sequence[Row], genie: Sequence[Row], place: str, share: float) -> str:
    ratio = curve(own, place, share, "mse") / curve(genie, place, share, "mse")
    return number(math.sqrt(ratio))


def _broken(own: Sequence[Row], genie: Sequence[Row], place: str, share: float) -> str:
    return show(curve(own, place, share, "broken"))


def _worst(own: Sequence[Row], genie: Sequence[Row], place: str, share: float) -> str:
    found = [row for row in own if row["epsilon"] == share and _place(row) == place]
    deviation = target_deviation(str(own[0]["dataset"]).partition("-")[0])
    return number(math.sqrt(max(values(found, "worst"), default=math.nan)) / deviation)


def _curves(rows: Sequence[Row], cell: Cell) -> str:
    shares = sorted({row["epsilon"] for row in rows})
    body = []
    for (dataset, method), own in groups(rows, ("dataset", "method")).items():
        genie = [row for row in rows if row["dataset"] == dataset and row["method"] == "genie"]
        for place in PLACES:
            cells = [cell(own, genie, place, share) for share in shares]
            body.append([dataset, PLACES[place], method, *cells])
    body.sort(key=lambda line: line[:2])
    return markdown(["dataset", "kind", "method", *(f"{share:g}" for share in shares)], body)


def draw(rows: Sequence[Row], path: Path) -> list[Path]:
    """Draw efficiencies, and the curves, beside the results."""
    from ..figures.simulation import draw_simulation

    return draw_simulation(rows, path)


STUDY = Study(
    "Efficiency without bad rows, maximum bias and breakdown with them; methods as they come.",
    cases,
    evaluate,
    MEASURES,
    table,
    seeds=BLOCKS,
    quick_run=evaluate_quickly,
    draw=draw,
)
