"""A study of how good robust fits are where nothing is wrong, and how bad where much is.

*Efficiency*: mse of the plain learner over that of a method, all rows good, errors of four kinds.
*Maximum bias*: the largest mse over the sizes K of what is wrong, at each share of bad rows; its
root is drawn. *Breakdown*: how many fits are worse than a constant.

A case is a block of fifty replicates of one method in one setting.

    mse = mean over x of (f_hat(x) - f(x))^2

over test rows x of the design, averaged over the replicates. A fit is *broken* where its error is
beyond the variance of the good targets: a constant would have served better. ``shape`` is the same
error without its mean, for skewed errors, whose mean no robust method is after.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from statistics import fmean
from time import perf_counter
from typing import TypeAlias

import numpy as np

from ..data.designs import ERRORS, draw_sample, target_deviation
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import groups, markdown, number, show, values
from ..methods.defaults import METHODS, predictions
from ..r.robustbase import present

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
    """Return all blocks of the clean settings, then those of the curves; R's methods where R is."""
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
        for case in crossed([Cells([f"{design}-{n}"], kinds, shares, present(methods[design]))])(
            [block], quick
        )
    ]


def run(case: Case, count: int = 50) -> dict[str, float]:
    """Fit a block of replicates, and say how far the fits are from the truth."""
    design, first = case.family, case.seed * count
    samples = [
        draw_sample(design, case.size, case.kind, case.epsilon, replicate)
        for replicate in range(first, first + count)
    ]
    started = perf_counter()
    found = predictions(design, case.method, samples, case.epsilon, case.seed)
    seconds = perf_counter() - started
    error = np.array([f - sample.f_test for f, sample in zip(found, samples, strict=True)])
    # A fit that failed, or whose numbers did, knows no more than a constant.
    error[~np.isfinite(error)] = np.inf
    with np.errstate(invalid="ignore", over="ignore"):
        mse = np.mean(error**2, axis=1)
        shape = np.mean((error - error.mean(axis=1, keepdims=True)) ** 2, axis=1)
    return {
        "replicates": float(count),
        "mse": float(mse.mean()),
        "mse_sd": float(mse.std(ddof=1)) if np.isfinite(mse).all() else np.inf,
        "shape": float(shape.mean()),
        "worst": float(mse.max()),
        "broken": float(np.mean(mse > target_deviation(design) ** 2)),
        "seconds": seconds / count,
    }


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
    return "\n\n".join(text) or "No case has succeeded."


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
    """Return mean of a measure for the plain learner over that for a method, in one design."""
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


STUDIES = {
    "simulation": Study(
        "Efficiency without bad rows, maximum bias and breakdown with them; methods as they come.",
        cases,
        run,
        ("replicates", "mse", "mse_sd", "shape", "worst", "broken", "seconds"),
        table,
        seeds=BLOCKS,
        quick_run=partial(run, count=4),
        draw="simulation:draw_simulation",
    )
}
