"""A study of what ``untaint.clean`` finds of mistakes that are planted in a table."""

from __future__ import annotations

from collections.abc import Iterable
from math import nan
from time import perf_counter
from typing import Any

import numpy as np

from ..data.planted import NAMES
from ..data.sets import load
from ..frame import Case, Cells, Row, Study, crossed
from ..frame.tables import means, summary_table

MEASURES = ("recall", "precision", "right_cell", "right_kind", "seconds")
TARGET = "target"
KINDS = (*NAMES, "mixed")
LABELS = ("label_other",)
TEXT = ("category_other_row", "typo", "century", "year")
SHARE = 0.05


def cases(seeds: Iterable[int], quick: bool) -> list[Case]:
    """Return every kind of mistake in the tables that can have it."""
    cars = ["cars-300"] if quick else ["cars-1000"]
    numbers = ["kiln"] if quick else ["concrete", "wine", "boston"]
    labels = ["classes2-200"] if quick else ["heart", "vehicle"]
    of_targets = [kind for kind in KINDS if kind.startswith("target")]
    cells = [
        Cells(datasets, [kind for kind in KINDS if kind not in absent], [SHARE], ["untaint-clean"])
        for datasets, absent in (
            (cars, LABELS),
            (numbers, (*LABELS, *TEXT)),
            (labels, (*of_targets, *TEXT)),
        )
    ]
    return crossed(cells)(seeds, quick)


def run(case: Case) -> dict[str, float]:
    """Plant mistakes, clean the table with no setting touched, and compare with the truth.

    A table that cannot have a kind of mistake has no measures of it.
    """
    from untaint import clean

    from ..data.planted.planting import plant
    from ..data.planted.scores import Found, score

    frame = load_frame(case.dataset, case.seed)
    dirty, truth = plant(frame, TARGET, case.kind, case.seed, case.epsilon)
    if truth.empty:
        return dict.fromkeys(MEASURES, nan)
    start = perf_counter()
    result = clean(dirty, TARGET, random_state=case.seed)
    seconds = perf_counter() - start
    rows = {*result.cells["row"].tolist(), *result.rows["row"].tolist()}
    found = score(Found(rows, result.cells), truth)
    return {
        "recall": found.caught / found.wrong,
        "precision": _ratio(found.caught, found.flagged),
        "right_cell": _ratio(found.placed, found.caught),
        "right_kind": _ratio(found.named, found.placed),
        "seconds": seconds,
    }


def load_frame(name: str, seed: int) -> Any:
    """Return a data set as a data frame; ``"cars-500"`` draws used cars, mistakes left out."""
    import pandas as pd

    family, _, size = name.partition("-")
    if family == "cars":
        return _cars(int(size), seed)
    X, y = load(name, seed)
    return pd.DataFrame(np.asarray(X), columns=[f"x{j}" for j in range(X.shape[1])]).assign(
        **{TARGET: y}
    )


def _cars(n_rows: int, seed: int) -> Any:
    import pandas as pd

    from untaint.datasets.used_cars import COLUMNS, make_used_cars

    rows, truth = make_used_cars(n_rows, seed)
    right = [row for row, mistake in zip(rows, truth, strict=True) if not mistake]
    frame = pd.DataFrame(right, columns=[*COLUMNS[:-1], TARGET])
    numbers = ["year", "mileage_km", "power_hp", "engine_cc", "owners", TARGET]
    return frame.assign(**{name: pd.to_numeric(frame[name]) for name in numbers})


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else nan


def table(rows: list[Row]) -> str:
    """Return a line for each kind, the mean over tables and seeds, and one for all of them."""
    single = [row | {"kind": "all but mixed"} for row in rows if row["kind"] != "mixed"]
    ordered = sorted(rows, key=lambda row: KINDS.index(row["kind"]))
    return summary_table([*ordered, *single], means(MEASURES), by=["kind"])


STUDIES = {
    "mistakes": Study(
        "Rows and cells that untaint.clean finds, no setting touched, of "
        "mistakes in 5 % of the rows.",
        cases,
        run,
        MEASURES,
        table,
        seeds=3,
    )
}
