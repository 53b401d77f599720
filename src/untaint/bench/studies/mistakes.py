"""A study of whether ``untaint clean`` finds the mistakes that people make in tables."""

from __future__ import annotations

from collections.abc import Iterable

from ..case import Case
from ..mistakes import KINDS, MEASURES, measure_mistakes
from ..results import Row
from ..summary import groups, mean, summary_table, values
from ._cells import Cells, cases_of
from .base import Study

NUMERIC = ("concrete", "wine", "boston")
LABELS = ("breast", "segment", "vehicle", "heart")
SHARES = (0.05, 0.15)
GOAL = 0.8


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every kind of mistake in every table; labels have no decimal point to slip."""
    labels = [kind for kind in KINDS if kind != "slip"]
    cells = [
        Cells(["kiln"] if quick else NUMERIC, KINDS, SHARES),
        Cells(["classes2-200"] if quick else LABELS, labels, SHARES),
    ]
    return cases_of(cells, ["untaint-clean"], seeds)


def table(rows: list[Row]) -> str:
    """Return every cell, and how many reach the goal."""
    cells = summary_table(
        rows,
        {
            "precision": mean("precision"),
            "recall": mean("recall"),
            "estimated share": mean("share"),
            "flagged": mean("flagged"),
            "seconds": mean("seconds"),
        },
    )
    parts = [part for part in groups(rows).values() if values(part, "recall")]
    reached = sum(min(mean("precision")(part), mean("recall")(part)) >= GOAL for part in parts)
    return (
        f"{cells}\n\nPrecision and recall of {GOAL:g} or more in {reached} of {len(parts)} cells."
    )


STUDY = Study(
    "Rows flagged by untaint clean, no setting touched, in tables with planted mistakes.",
    cases,
    measure_mistakes,
    MEASURES,
    table,
    seeds=3,
)
