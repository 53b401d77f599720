"""What ``untaint.clean`` finds of mistakes that are planted in a table (:mod:`.planted`)."""

from __future__ import annotations

from math import nan
from time import perf_counter
from typing import Any

import numpy as np

from .case import Case
from .data import load

MEASURES = ("recall", "precision", "right_cell", "right_kind", "seconds")
TARGET = "target"
CARS = "cars"


def measure_mistakes(case: Case) -> dict[str, float]:
    """Plant mistakes, clean the table with no setting touched, and compare with the truth.

    A table that cannot have a kind of mistake has no measures of it.
    """
    from untaint import clean

    from .planted.planting import plant
    from .planted.scores import Found, score

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
    """Return a data set as a data frame; ``"cars-500"`` draws so many used cars, mistakes left out.

    Examples
    --------
    >>> from benchmarks.mistakes import load_frame
    >>> list(load_frame("cars-50", seed=0))[:4]
    ['offer', 'listed', 'brand', 'fuel']
    """
    import pandas as pd

    family, _, size = name.partition("-")
    if family == CARS:
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
