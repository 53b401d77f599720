"""Why a row is held to be wrong, in words.

A target is compared with what rows like it have, a cell with what trusted rows have in its column.
Some mistakes leave a trace that can be named: a power of ten (a slipped decimal point, another
unit), a wrong sign, two cells that would each be at home in the other's column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..tables import RawTable
from .findings import Kind, Odd, Suspect, Task
from .judging import Verdict

# Robust deviations of a cell that is called odd.
ODD = 4.0
# Of a cell that would be at home elsewhere.
AT_HOME = 3.0
NAMED = 5
# Decades by which a ratio may miss a power of ten.
CLOSE = 0.12
LONGEST_CELL = 60


class Explainer:
    """Explain rows of one table.

    Parameters
    ----------
    table : RawTable
    rows : array of shape (n,)
        Positions in the table of the judged rows.
    target : int
        Position of the target among the columns.
    scaled : array of shape (n, p)
        Features in robust deviations from the median.
    sources : array of shape (p,)
        Position of the column that each feature comes from.
    amounts : bool array of shape (p,)
        Whether a feature is an amount or a date, so that it has a usual range.
    numbers : bool array of shape (p,)
        Whether it is a number, so that it could be off by a factor, or swapped with another.
    center, scale : arrays of shape (p,)
        So that a value is center + scale * scaled.
    task : {"regression", "classification"}
    verdict : Verdict
    observed : array of shape (n,)
    """

    def __init__(
        self,
        table: RawTable,
        rows: IntArray,
        target: int,
        *,
        scaled: FloatArray,
        sources: IntArray,
        amounts: BoolArray,
        numbers: BoolArray,
        center: FloatArray,
        scale: FloatArray,
        task: Task,
        verdict: Verdict,
        observed: NDArray[Any],
    ) -> None:
        self._table, self._rows, self._target = table, rows, target
        self._scaled, self._sources = scaled, sources
        self._amounts, self._numbers = amounts, numbers
        self._center, self._scale = center, scale
        self._task, self._verdict, self._observed = task, verdict, observed
        self._usual: dict[int, str] = {}

    def suspect(self, row: int) -> Suspect:
        """All that is to be said of a row."""
        kind: Kind = str(self._verdict.kinds[row]) or "target"  # type: ignore[assignment]
        odd = self.odd_cells(row, kind)
        cells = self._table.row_cells(int(self._rows[row]))
        return Suspect(row, kind, self._why(row, kind, odd), cells, odd)

    def odd_cells(self, row: int, kind: Kind) -> list[Odd]:
        """The cells that make a row odd, its target first if that is wrong."""
        found: list[Odd] = []
        if kind in ("target", "both"):
            found.append(self._odd_target(row))
        return found + [self._odd_cell(row, feature) for feature in self._odd_features(row)]

    def _odd_target(self, row: int) -> Odd:
        expected = self._verdict.expected[row]
        usual = amount(expected) if self._task == "regression" else str(expected)
        return Odd(
            self._table.names[self._target],
            self._cell(row, self._target),
            f"about {usual}" if self._task == "regression" else usual,
            float(self._verdict.scores[row]),
        )

    def _odd_features(self, row: int) -> list[int]:
        """At most one feature of each column, the oddest first."""
        deviations = np.abs(self._scaled[row])
        order = np.argsort(-deviations, kind="stable")
        far = [int(f) for f in order[: 4 * NAMED] if deviations[f] >= ODD]
        named = [int(f) for f in self._verdict.odd_features.get(row, [])]
        columns: dict[int, int] = {}
        for feature in [*far, *named]:
            columns.setdefault(int(self._sources[feature]), feature)
        return list(columns.values())[:NAMED]

    def _odd_cell(self, row: int, feature: int) -> Odd:
        column = int(self._sources[feature])
        return Odd(
            self._table.names[column],
            self._cell(row, column),
            self._usual_in(column, feature),
            float(abs(self._scaled[row, feature])),
        )

    def _cell(self, row: int, column: int) -> str:
        return self._table.cell(int(self._rows[row]), column)

    def _usual_in(self, column: int, feature: int) -> str:
        """The cells between which 95 % of the trusted rows lie, as they are written."""
        if column not in self._usual:
            trusted = np.flatnonzero(~self._verdict.flagged)
            values = self._scaled[trusted, feature]
            if self._amounts[feature]:
                ends = np.quantile(values, [0.025, 0.975], method="nearest")
                low, high = (trusted[np.flatnonzero(values == end)[0]] for end in ends)
                words = [self._cell(int(end), column) for end in (low, high)]
                self._usual[column] = words[0] if words[0] == words[1] else " to ".join(words)
            else:
                cells = [self._cell(int(row), column) for row in trusted[:1000]]
                self._usual[column] = f"mostly {max(set(cells), key=cells.count)}"
        return self._usual[column]

    def _why(self, row: int, kind: Kind, odd: Sequence[Odd]) -> str:
        features = [cell for cell in odd if cell.column != self._table.names[self._target]]
        sentences = []
        if kind in ("target", "both"):
            sentences.append(self._why_target(row))
        if kind in ("features", "both"):
            sentences.append(self._why_features(row, features))
        return " ".join(sentences)

    def _why_target(self, row: int) -> str:
        name = self._table.names[self._target]
        cell, expected = _short(self._cell(row, self._target)), self._verdict.expected[row]
        if self._task == "classification":
            return f"{name} is {cell}, but rows like it are {_short(str(expected))}."
        hint = trace(float(self._observed[row]), float(expected))
        return _sentence(
            f"{name} is {cell}, where rows like it have about {amount(expected)}{hint}"
        )

    def _why_features(self, row: int, odd: Sequence[Odd]) -> str:
        swapped = self._swapped(row)
        if swapped:
            return f"{swapped[0]} and {swapped[1]} look swapped."
        if not odd:
            return "Its values are each usual, but not together."
        first = odd[0]
        feature = self._odd_features(row)[0]
        hint = ""
        if self._numbers[feature]:
            value = self._center[feature] + self._scale[feature] * self._scaled[row, feature]
            hint = trace(float(value), float(self._center[feature]))
        more = f" {odd[1].column} is odd as well." if len(odd) > 1 else ""
        where = f"where trusted rows have {_short(first.usual)}{hint}"
        return _sentence(f"{first.column} is {_short(first.value)}, {where}") + more

    def _swapped(self, row: int) -> tuple[str, str] | None:
        """Two columns whose cells would each be at home in the other, one of them odd as it is."""
        odd = [f for f in self._odd_features(row) if self._numbers[f]]
        values = self._center + self._scale * self._scaled[row]
        for a in odd[:2]:
            for b in np.flatnonzero(self._numbers):
                if b == a:
                    continue
                here = abs(values[b] - self._center[a]) / self._scale[a]
                there = abs(values[a] - self._center[b]) / self._scale[b]
                if here < AT_HOME and there < AT_HOME:
                    names = self._table.names
                    return names[self._sources[a]], names[self._sources[b]]
        return None


def trace(observed: float, expected: float) -> str:
    """What a mistake may have been, to follow a sentence; empty if it left no trace.

    Examples
    --------
    >>> from untaint.cleaning.explaining import trace
    >>> trace(250.0, 24.0)
    ': 10 times as much, a slipped decimal point?'
    >>> trace(24.0, 26000.0)
    ': a thousandth, another unit?'
    >>> trace(30.0, 24.0)
    ''
    """
    if not (np.isfinite(observed) and np.isfinite(expected)) or observed * expected == 0:
        return ""
    decades = float(np.log10(abs(observed / expected)))
    if observed * expected < 0:
        return ": is the sign wrong?" if abs(decades) < CLOSE else ""
    power = round(decades)
    if power == 0 or abs(decades - power) > CLOSE or abs(power) > len(_PARTS):
        return ""
    size = f"{10**power:,} times as much" if power > 0 else _PARTS[-power - 1]
    return f": {size}, {'another unit' if abs(power) >= 3 else 'a slipped decimal point'}?"


_PARTS = ["a tenth", "a hundredth", "a thousandth", "a ten-thousandth"]


def amount(value: Any) -> str:
    """A number as one would say it.

    Examples
    --------
    >>> from untaint.cleaning.explaining import amount
    >>> amount(12345.678), amount(0.0123456), amount(3.0)
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
