"""Plant mistakes of one kind, or of all that a table can have."""

from __future__ import annotations

from zlib import crc32

import numpy as np
import pandas as pd

from .kinds import KINDS, RUN
from .table import Mistake, Table


def plant(
    frame: pd.DataFrame, target: str | None, kind: str, seed: int, share: float = 0.05
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a copy with mistakes in a share of the rows, and the wrong cells.

    The second table has the columns of :class:`Mistake`; it is empty if the table cannot have the
    kind.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchmarks.data.planted.planting import plant
    >>> frame = pd.DataFrame({"y": [(7 * i) % 40 + 1 for i in range(40)]})
    >>> dirty, truth = plant(frame, "y", "target_x10", seed=0)
    >>> (dirty["y"] / frame["y"])[truth["row"]].tolist()
    [10.0, 10.0]
    """
    table = Table(frame, target, np.random.default_rng([seed, len(frame), crc32(kind.encode())]))
    count = max(round(share * len(frame)), 1)
    if kind == "mixed":
        kinds = possible(frame, target)
        if "stuck" in kinds:
            kinds.remove("stuck")
            if count >= 3 * RUN:
                count -= len(_plant(table, "stuck", RUN))
        for i, each in enumerate(table.rng.permutation(kinds).tolist()):
            count -= len(_plant(table, each, round(count / (len(kinds) - i))))
    else:
        _plant(table, kind, count)
    return table.frame(), pd.DataFrame(table.mistakes, columns=Mistake._fields)


def possible(frame: pd.DataFrame, target: str | None) -> list[str]:
    """Return the kinds of mistakes that a table can have.

    Examples
    --------
    >>> import pandas as pd
    >>> from benchmarks.data.planted.planting import possible
    >>> possible(pd.DataFrame({"colour": ["green", "yellow", "green"] * 9}), None)
    ['category_other_row', 'typo']
    """
    kinds = []
    for kind in KINDS:
        table = Table(frame, target, np.random.default_rng(0))
        if len(_plant(table, kind, RUN if kind == "stuck" else 1)):
            kinds.append(kind)
    return kinds


def _plant(table: Table, kind: str, count: int) -> list[int]:
    return table.plant(kind, KINDS[kind](table), count)
