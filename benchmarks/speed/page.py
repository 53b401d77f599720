"""Rows to Markdown: for each family times, memory and errors, with ratios, and how they grow.

    over untaint, over plain    seconds, divided by those of our robust and of our plain fit
    over Genie                  error, divided by Genie's; of classes, accuracy minus Genie's
    exponents p, q              slopes of log seconds and of log megabytes over log n

A cell is the mean over the seeds; ratios are taken seed by seed, on the same rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from ..results import Row
from ..summary import groups, largest, mean, values
from ..table import markdown, number
from . import robustbase
from .families import FAMILIES, FROM_R, Family, parse

LEGEND = (
    "Every case ran in a process of its own, one after the other, with all cores. Seconds are "
    "those of the fit, the shortest of several runs where one takes less than 2 s. Memory is the "
    "peak above what was in use before the fit, in units of 2^20 bytes. A fifth of the labels is "
    "wrong; errors are those on clean test rows. `untaint` is given the contamination, "
    "`untaint-auto` is not, `untaint-plain` trims nothing, and `genie` is `untaint-plain` on the "
    "good rows only."
)
DISTURBED = "**Others kept up to {:.1f} cores busy meanwhile: times are not reliable.**"
# Cores that a system's own chores may take.
IDLE = 0.2
SKIPPED = "`{methods}` left out: {reason}."


def page(rows: Sequence[Row]) -> str:
    """Return machine, legend, and a section for each family.

    Examples
    --------
    >>> from benchmarks.speed.page import page
    >>> row = {"dataset": "exact-300", "method": "svr", "seed": 0, "n": 300.0, "seconds": 0.5}
    >>> row |= dict.fromkeys(("peak_megabytes", "rmse", "accuracy", "coef_error", "share"), 1.0)
    >>> row |= {
    ...     "others": 0.0,
    ...     "outcome": "",
    ...     "error": "",
    ...     "hardware": "2 cores",
    ...     "software": "Python",
    ... }
    >>> print(page([row]).splitlines()[0])
    Machine: 2 cores. Software: Python.
    """
    parts = [_where(rows), LEGEND]
    by_family: dict[str, list[Row]] = {}
    for row in rows:
        by_family.setdefault(parse(row["dataset"])[0], []).append(row)
    for name, some in by_family.items():
        family = FAMILIES[name]
        parts += [f"## {name}: {family.title}", _lines(family, some), _exponents(some)]
        absent = [m for m in family.methods if m in FROM_R and m not in {r["method"] for r in some}]
        if absent:
            reason = robustbase.missing() or "not measured"
            parts.append(SKIPPED.format(methods="`, `".join(absent), reason=reason))
    return "\n\n".join(part for part in parts if part)


def _where(rows: Sequence[Row]) -> str:
    found = [
        "; ".join(dict.fromkeys(str(row[name]) for row in rows if row[name])) or "unknown"
        for name in ("hardware", "software")
    ]
    text = "Machine: {}. Software: {}.".format(*found)
    busiest = largest("others")(rows)
    return f"{text} {DISTURBED.format(busiest)}" if busiest > IDLE else text


def _lines(family: Family, rows: Sequence[Row]) -> str:
    """Return one line for each size and method."""
    measure = "accuracy" if family.classes else "rmse"
    linear = any(values([row], "coef_error") for row in rows)
    header = ["n", "method", "seconds", "over untaint", "over plain", "peak MB"]
    header += [measure, "minus Genie's" if family.classes else "over Genie"]
    header += ["coefficients off by"] if linear else []
    header += ["share", "remark"]
    body: list[list[str]] = []
    for (dataset, method), some in groups(rows, ("dataset", "method")).items():
        same = [row for row in rows if row["dataset"] == dataset]
        good = [row for row in some if not row["error"]]
        cells = [
            _cell(mean("seconds")(good)),
            _cell(ratio(good, same, "seconds", "untaint")),
            _cell(ratio(good, same, "seconds", "untaint-plain")),
            _whole(mean("peak_megabytes")(good)),
            _cell(mean(measure)(good), 4),
            _signed(difference(good, same, measure, "genie"))
            if family.classes
            else _cell(ratio(good, same, measure, "genie"), 3),
            *([_cell(mean("coef_error")(good), 4)] if linear else []),
            _cell(mean("share")(good), 3),
            remark(some),
        ]
        body.append([f"{parse(str(dataset))[1]:,}", str(method), *cells])
    filled = [at for at in range(len(header)) if any(line[at] not in ("-", "") for line in body)]
    return markdown([header[at] for at in filled], [[line[at] for at in filled] for line in body])


def remark(rows: Sequence[Row]) -> str:
    """Return remarks on irregular runs, each once.

    Examples
    --------
    >>> from benchmarks.speed.page import remark
    >>> remark([{"outcome": "out of memory", "error": ""}, {"outcome": "", "error": ""}])
    'out of memory'
    >>> remark([{"outcome": "", "error": "TypeError: no"}])
    'failed: TypeError: no'
    """
    arguments = [f"failed: {row['error']}" if row["error"] else str(row["outcome"]) for row in rows]
    return "; ".join(dict.fromkeys(text.replace("|", "/") for text in arguments if text))


def _exponents(rows: Sequence[Row]) -> str:
    """Return how time and memory grow, for methods that were measured at two sizes or more."""
    body = []
    for (method,), some in groups(rows, ("method",)).items():
        slopes = [slope(some, name) for name in ("seconds", "peak_megabytes")]
        if not all(math.isnan(value) for value in slopes):
            sizes = sorted(set(values(some, "n")))
            body.append([method, f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}", *map(_cell, slopes)])
    return markdown(["method", "n", "seconds ~ n^p", "memory ~ n^q"], body) if body else ""


def slope(rows: Sequence[Row], measure: str) -> float:
    """Return Least-squares slope of the logarithms; nan below two sizes, or where there is nothing.

    Examples
    --------
    >>> from benchmarks.speed.page import slope
    >>> rows = [{"n": n, "seconds": 3e-6 * n**2} for n in (100.0, 200.0, 800.0)]
    >>> round(slope(rows, "seconds"), 6)
    2.0
    """
    pairs = [(row["n"], row[measure]) for row in rows if values([row], measure)]
    known = [(n, value) for n, value in pairs if value > 0]
    if len({n for n, _ in known}) < 2:
        return math.nan
    x, y = np.log(np.array(known)).T
    return float(np.polyfit(x, y, deg=1)[0])


def ratio(rows: Sequence[Row], all_rows: Sequence[Row], measure: str, reference: str) -> float:
    """Return mean over the seeds of the measure over that of the reference."""
    pairs = _pairs(rows, all_rows, measure, reference)
    return fmean(own / base for own, base in pairs) if pairs else math.nan


def difference(rows: Sequence[Row], all_rows: Sequence[Row], measure: str, reference: str) -> float:
    """Return mean over the seeds of the measure minus that of the reference."""
    pairs = _pairs(rows, all_rows, measure, reference)
    return fmean(own - base for own, base in pairs) if pairs else math.nan


def _pairs(
    rows: Sequence[Row], all_rows: Sequence[Row], measure: str, reference: str
) -> list[tuple[float, float]]:
    base: dict[Any, float] = {
        row["seed"]: row[measure]
        for row in all_rows
        if row["method"] == reference and values([row], measure)
    }
    own = [(row["seed"], row[measure]) for row in rows if values([row], measure)]
    return [(value, base[seed]) for seed, value in own if seed in base]


def _cell(value: float, decimals: int = 2) -> str:
    return "-" if math.isnan(value) else number(value, decimals)


def _whole(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.0f}"


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f}"
