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

import numpy as np

from ..frame import Case, Row
from ..frame.tables import RMSE, Measure, groups, largest, markdown, mean, number, values
from ..r import robustbase
from .families import FAMILIES, Family

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
SECONDS, ACCURACY = Measure("seconds"), Measure("accuracy", large_is_good=True)
SKIPPED = "`{methods}` left out: {reason}."


def page(rows: Sequence[Row]) -> str:
    """Return machine, legend, and a section for each family."""
    parts = [_where(rows), LEGEND]
    by_family: dict[str, list[Row]] = {}
    for row in rows:
        by_family.setdefault(Case.from_row(row).family, []).append(row)
    for name, some in by_family.items():
        family = FAMILIES[name]
        parts += [f"## {name}: {family.title}", _lines(family, some), _exponents(some)]
        there = {row["method"] for row in some}
        absent = [m for m in family.methods if m in robustbase.METHODS and m not in there]
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
    measure = ACCURACY if family.classes else RMSE
    linear = any(values([row], "coef_error") for row in rows)
    header = ["n", "method", "seconds", "over untaint", "over plain", "peak MB"]
    header += [measure.name, "minus Genie's" if family.classes else "over Genie"]
    header += ["coefficients off by"] if linear else []
    header += ["share", "remark"]
    body: list[list[str]] = []
    for (dataset, method), some in groups(rows, ("dataset", "method")).items():
        same = [row for row in rows if row["dataset"] == dataset]
        good = [row for row in some if not row["error"]]
        over_genie = against(good, same, measure, "genie")
        cells = [
            number(mean("seconds")(good)),
            number(against(good, same, SECONDS, "untaint")),
            number(against(good, same, SECONDS, "untaint-plain")),
            _whole(mean("peak_megabytes")(good)),
            number(mean(measure.name)(good), 4),
            _signed(over_genie) if family.classes else number(over_genie, 3),
            *([number(mean("coef_error")(good), 4)] if linear else []),
            number(mean("share")(good), 3),
            remark(some),
        ]
        body.append([f"{Case.from_row(some[0]).size:,}", str(method), *cells])
    filled = [at for at in range(len(header)) if any(line[at] not in ("-", "") for line in body)]
    return markdown([header[at] for at in filled], [[line[at] for at in filled] for line in body])


def remark(rows: Sequence[Row]) -> str:
    """Return remarks on irregular runs, each once."""
    arguments = [f"failed: {row['error']}" if row["error"] else str(row["outcome"]) for row in rows]
    return "; ".join(dict.fromkeys(text.replace("|", "/") for text in arguments if text))


def _exponents(rows: Sequence[Row]) -> str:
    """Return how time and memory grow, for methods that were measured at two sizes or more."""
    body = []
    for (method,), some in groups(rows, ("method",)).items():
        slopes = [slope(some, name) for name in ("seconds", "peak_megabytes")]
        if not all(math.isnan(value) for value in slopes):
            sizes = sorted(set(values(some, "n")))
            body.append([method, f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}", *map(number, slopes)])
    return markdown(["method", "n", "seconds ~ n^p", "memory ~ n^q"], body) if body else ""


def slope(rows: Sequence[Row], measure: str) -> float:
    """Return least-squares slope of the logarithms; nan below two sizes."""
    pairs = [(row["n"], row[measure]) for row in rows if values([row], measure)]
    known = [(n, value) for n, value in pairs if value > 0]
    if len({n for n, _ in known}) < 2:
        return math.nan
    x, y = np.log(np.array(known)).T
    return float(np.polyfit(x, y, deg=1)[0])


def against(rows: Sequence[Row], same: Sequence[Row], measure: Measure, reference: str) -> float:
    """Return mean over the seeds of the ratio, or of the difference, to the reference."""
    base = {row["seed"]: row for row in same if row["method"] == reference}
    found = [
        measure.against(row[measure.name], base[row["seed"]][measure.name])
        for row in rows
        if row["seed"] in base and all(values([r], measure.name) for r in (row, base[row["seed"]]))
    ]
    return fmean(found) if found else math.nan


def _whole(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:,.0f}"


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f}"
