"""A copy of a table whose cells are overwritten, with a record of what they held."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .columns import as_before, is_category, is_date, is_number

# One mistake: the cells to write, all of one row.
Change = list[tuple[int, str, Any]]


class Mistake(NamedTuple):
    """One wrong cell, and what it should hold."""

    row: int
    column: str
    kind: str
    value: Any


class Table:
    """A table whose cells are overwritten, each row once."""

    def __init__(self, frame: pd.DataFrame, target: str | None, rng: np.random.Generator) -> None:
        self.original = frame
        self.target = target
        self.rng = rng
        self.cells = {name: frame[name].to_numpy(dtype=object, copy=True) for name in frame}
        self.free = np.ones(len(frame), dtype=bool)
        self.mistakes = list[Mistake]()
        features = [name for name in frame.columns if name != target]
        self.numbers = [name for name in features if is_number(frame[name])]
        self.dates = [name for name in features if is_date(frame[name])]
        self.categories = [name for name in features if is_category(frame[name])]

    def plant(self, kind: str, changes: Iterable[Change], count: int) -> list[int]:
        """Make the first ``count`` changes of a kind, fewer if there are not as many.

        Returns the rows.
        """
        rows = list[int]()
        if count < 1:
            return rows
        for cells in changes:
            row = cells[0][0]
            if not self.free[row]:
                continue
            for _, column, value in cells:
                if column == self.target or kind != "copied_row":
                    true = self.cells[column][row]
                    self.mistakes.append(Mistake(row, column, kind, true))
                self.cells[column][row] = value
            self.free[row] = False
            rows.append(row)
            if len(rows) >= count:
                break
        return rows

    def order(self) -> list[int]:
        """Return the rows without a mistake, in random order."""
        order: list[int] = self.rng.permutation(np.flatnonzero(self.free)).tolist()
        return order

    def frame(self) -> pd.DataFrame:
        """Return the table; columns keep their type if their new cells allow it."""
        spoilt = {mistake.column for mistake in self.mistakes}
        if any(mistake.kind == "copied_row" for mistake in self.mistakes):
            spoilt = set(self.cells)
        columns = {
            name: as_before(self.cells[name], self.original[name])
            if name in spoilt
            else self.original[name]
            for name in self.cells
        }
        return pd.DataFrame(columns, index=self.original.index)
