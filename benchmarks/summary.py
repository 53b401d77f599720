"""Rows to Markdown: one line a setting, with statistics of its measures over the seeds.

A statistic leaves failed cases out, and cases where the measure has no value (nan). Where some of
a setting's cases failed, its line says how many did not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

from .results import Row
from .table import SETTING, markdown

Statistic: TypeAlias = Callable[[Sequence[Row]], float]


def mean(measure: str) -> Statistic:
    """Return a statistic: the mean of a measure."""
    return lambda rows: _over(values(rows, measure), fmean)


def largest(measure: str) -> Statistic:
    """Return a statistic: the largest value of a measure."""
    return lambda rows: _over(values(rows, measure), max)


def values(rows: Sequence[Row], measure: str) -> list[float]:
    """Return the values of a measure, where it has one.

    Examples
    --------
    >>> from benchmarks.summary import values
    >>> values([{"recall": 0.5}, {"recall": float("nan")}, {"recall": ""}], "recall")
    [0.5]
    """
    found = [row[measure] for row in rows]
    return [value for value in found if isinstance(value, float) and not math.isnan(value)]


def summary_table(
    rows: Sequence[Row], columns: Mapping[str, Statistic], *, by: Sequence[str] = SETTING
) -> str:
    """Return one line for each setting, in order of appearance, and a column for each statistic.

    Examples
    --------
    >>> from benchmarks.summary import largest, mean, summary_table
    >>> rows = [{"dataset": "kiln", "error": "", "share": share} for share in (0.25, 0.75)]
    >>> print(
    ...     summary_table(
    ...         rows, {"share": mean("share"), "largest": largest("share")}, by=["dataset"]
    ...     )
    ... )
    | dataset | share | largest |
    | :--- | ---: | ---: |
    | kiln | 0.500 | 0.750 |
    """
    body = []
    for setting, found in groups(rows, by).items():
        good = [row for row in found if not row["error"]]
        cells = [show(statistic(good)) if good else "failed" for statistic in columns.values()]
        if good and len(good) < len(found):
            cells[0] += f" ({len(good)} of {len(found)})"
        body.append([*setting, *cells])
    return markdown([*by, *columns], body)


def groups(rows: Sequence[Row], by: Sequence[str] = SETTING) -> dict[tuple[object, ...], list[Row]]:
    """Return rows of each setting, in order of appearance."""
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return found


def show(value: float) -> str:
    """Return a number with three decimals, or a dash for what has no value.

    Examples
    --------
    >>> from benchmarks.summary import show
    >>> show(0.12345), show(float("nan"))
    ('0.123', '-')
    """
    return "-" if math.isnan(value) else f"{value:.3f}"


def _over(found: Sequence[float], statistic: Callable[[Sequence[float]], float]) -> float:
    return statistic(found) if found else math.nan
