"""A study of whether ``untaint.clean`` finds the mistakes that people make in tables."""

from __future__ import annotations

from collections.abc import Iterable

from ..case import Case
from ..mistakes import MEASURES, measure_mistakes
from ..planted import NAMES
from ..results import Row
from ..summary import mean, summary_table
from ._cells import Cells, cases_of
from .base import Study

KINDS = (*NAMES, "mixed")
LABELS = ("label_other",)
TEXT = ("category_other_row", "typo", "century", "year")
SHARE = 0.05
COLUMNS = {
    "recall": mean("recall"),
    "precision": mean("precision"),
    "right cell": mean("right_cell"),
    "right kind": mean("right_kind"),
    "seconds": mean("seconds"),
}


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every kind of mistake in the tables that can have it."""
    cars = ["cars-300"] if quick else ["cars-1000"]
    numbers = ["kiln"] if quick else ["concrete", "wine", "boston"]
    labels = ["classes2-200"] if quick else ["heart", "vehicle"]
    of_targets = [kind for kind in KINDS if kind.startswith("target")]
    cells = [
        Cells(cars, [kind for kind in KINDS if kind not in LABELS], [SHARE]),
        Cells(numbers, [kind for kind in KINDS if kind not in (*LABELS, *TEXT)], [SHARE]),
        Cells(labels, [kind for kind in KINDS if kind not in (*of_targets, *TEXT)], [SHARE]),
    ]
    return cases_of(cells, ["untaint-clean"], seeds)


def table(rows: list[Row]) -> str:
    """Return a line for each kind, the mean over tables and seeds, and one for all of them."""
    single = [row | {"kind": "all but mixed"} for row in rows if row["kind"] != "mixed"]
    ordered = sorted(rows, key=lambda row: KINDS.index(row["kind"]))
    return summary_table([*ordered, *single], COLUMNS, by=["kind"])


STUDY = Study(
    "Rows and cells that untaint.clean finds, no setting touched, of mistakes in 5 % of the rows.",
    cases,
    measure_mistakes,
    MEASURES,
    table,
    seeds=3,
)
