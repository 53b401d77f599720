"""Explanations, in words, of why a row is flagged.

Wrong cells have their own reasons (:mod:`untaint.cells`). A target that only the robust model of it
contradicts is compared with its prediction, and some mistakes can be named: a power of ten (a
slipped decimal point, another unit) or a wrong sign.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from .._typing import IntArray
from ..cells import CellFinding
from ..cells.checks.wording import number_text
from ..io import RawTable
from .findings import Kind, Odd, Suspect, Task
from .row_assessment import RowAssessment
from .wrong_cells import WrongCells, score_of

MAX_NAMED = 5
# Decades by which a ratio may differ from a power of ten.
CLOSE = 0.12
LONGEST_CELL = 60


@final
@dataclass(frozen=True)
class Explainer:
    """Explain rows of one table.

    Attributes
    ----------
    table : RawTable
    rows : array of shape (n,)
        Positions in the table of the assessed rows.
    target : int
        Position of the target among the columns, -1 for none.
    task : {"regression", "classification", "cells"}
    assessment : RowAssessment
    observed : array of shape (n,)
    wrong : WrongCells
    identifier : int or None
        Position of the column that identifies rows.
    """

    table: RawTable
    rows: IntArray
    target: int
    task: Task
    assessment: RowAssessment
    observed: NDArray[Any]
    wrong: WrongCells
    identifier: int | None

    def suspects(self, rows: IntArray) -> list[Suspect]:
        """Return an explanation of each of some rows."""
        cells = self.table.rows_cells(self.rows[rows])
        return [self._suspect(row, own) for row, own in zip(rows.tolist(), cells, strict=True)]

    def _suspect(self, row: int, cells: list[str]) -> Suspect:
        kind: Kind = str(self.assessment.kinds[row]) or "target"  # type: ignore[assignment]
        others = self.wrong.by_row.get(row, []) if kind in ("features", "both") else []
        name = "" if self.identifier is None else cells[self.identifier]
        if self.target < 0 and not others:
            return Suspect(row, "features", "No cell of it is improbable.", cells, [], name)
        others = sorted(others, key=lambda found: -found.probability)[:MAX_NAMED]
        why = [found.reason for found in others]
        odd = [self._odd_cell(found, cells) for found in others]
        if kind in ("target", "both"):
            why.insert(0, self._why_target(row, cells[self.target]))
            odd.insert(0, self._odd_target(row, cells))
        return Suspect(row, kind, " ".join(why), cells, odd, name)

    def _odd_target(self, row: int, cells: list[str]) -> Odd:
        expected, found = self.assessment.expected[row], self.wrong.targets.get(row)
        if found is not None and found.kind == "text":
            return self._odd_cell(found, cells)
        usual = format_number(expected) if self.task == "regression" else str(expected)
        return Odd(
            self.table.names[self.target],
            cells[self.target],
            f"about {usual}" if self.task == "regression" else usual,
            float(self.assessment.scores[row]),
        )

    def _odd_cell(self, found: CellFinding, cells: list[str]) -> Odd:
        expected = found.expected
        usual = "something else" if expected is None else str(expected)
        if isinstance(expected, float):
            usual = f"about {write_expected(expected, found)}"
        score = float(score_of(found.probability))
        return Odd(self.table.names[found.column], cells[found.column], usual, score)

    def _why_target(self, row: int, cell: str) -> str:
        found = self.wrong.targets.get(row)
        if found is not None:
            return found.reason
        name, expected = self.table.names[self.target], self.assessment.expected[row]
        if self.task == "classification":
            if str(expected) == cell:
                return f"{name} is {_short(cell)}, of which rows like it leave some doubt."
            return f"{name} is {_short(cell)}, but rows like it are {_short(str(expected))}."
        observed = float(self.observed[row])
        hint = error_hint(observed, float(expected))
        where = f"where rows like it have about {format_number(expected)}{hint}"
        return _sentence(f"{name} is {number_text(observed)}, {where}")


def write_expected(value: float, found: CellFinding) -> str:
    """Return an expected number, or a date, as text."""
    if found.kind in ("date", "century", "daymonth"):
        return str(np.datetime64(round(value), "D"))
    return format_number(value)


def error_hint(observed: float, expected: float) -> str:
    """Return the likely cause of a wrong value, to follow a sentence; empty if none is likely.

    Examples
    --------
    >>> from untaint.cleaning.explaining import error_hint
    >>> error_hint(250.0, 24.0)
    ': 10 times as much, a slipped decimal point?'
    >>> error_hint(24.0, 26000.0)
    ': a thousandth, another unit?'
    >>> error_hint(30.0, 24.0)
    ''
    """
    if not (np.isfinite(observed) and np.isfinite(expected)) or observed * expected == 0:
        return ""
    decades = float(np.log10(abs(observed / expected)))
    if observed * expected < 0:
        return ": is the sign wrong?" if abs(decades) < CLOSE else ""
    power = round(decades)
    return _power_hint(power) if abs(decades - power) <= CLOSE else ""


def _power_hint(power: int) -> str:
    if power not in _POWERS:
        return ""
    size = f"{10**power:,} times as much" if power > 0 else _PARTS[-power - 1]
    return f": {size}, {'another unit' if abs(power) >= 3 else 'a slipped decimal point'}?"


_POWERS = (1, -1, 2, -2, 3, -3, 4, -4)
_PARTS = ["a tenth", "a hundredth", "a thousandth", "a ten-thousandth"]


def format_number(value: Any) -> str:
    """Format a number for a sentence.

    Examples
    --------
    >>> from untaint.cleaning.explaining import format_number
    >>> format_number(12345.678), format_number(0.0123456), format_number(3.0)
    ('12,346', '0.01235', '3')
    """
    value = float(value)
    if not np.isfinite(value):
        return "unknown"
    if abs(value) >= 1000:
        return f"{value:,.0f}" if abs(value) < 1e15 else f"{value:.3g}"
    return f"{value:.4g}"


def _sentence(words: str) -> str:
    return words if words.endswith("?") else f"{words}."


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
