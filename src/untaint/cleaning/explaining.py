"""Explanations, in words, of why a row is flagged.

A target is compared with its prediction, a cell with the range of its column in unflagged rows.
Some mistakes can be named: a power of ten (a slipped decimal point, another unit), a wrong sign,
two cells that would each be usual in the other's column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..tables import RawTable
from .assessment import RowAssessment
from .findings import Kind, Odd, Suspect, Task

# Smallest number of robust deviations of a cell that is called odd.
ODD = 4.0
# Largest number of robust deviations of a cell that would be usual in another column.
USUAL_SCORE = 3.0
MAX_NAMED = 5
# Decades by which a ratio may differ from a power of ten.
CLOSE = 0.12
LONGEST_CELL = 60


class Explainer:
    """Explain rows of one table.

    Parameters
    ----------
    table : RawTable
    rows : array of shape (n,)
        Positions in the table of the assessed rows.
    target : int
        Position of the target among the columns.
    scaled : array of shape (n, p)
        Features in robust deviations from the median.
    sources : array of shape (p,)
        Position of the column that each feature comes from.
    numeric : bool array of shape (p,)
        Whether a feature is a number or a date, so that it has a usual range.
    numbers : bool array of shape (p,)
        Whether it is a number, so that it could be off by a factor, or swapped with another.
    center, scale : arrays of shape (p,)
        Location and scale of the features: a value is center + scale * scaled.
    task : {"regression", "classification"}
    assessment : RowAssessment
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
        numeric: BoolArray,
        numbers: BoolArray,
        center: FloatArray,
        scale: FloatArray,
        task: Task,
        assessment: RowAssessment,
        observed: NDArray[Any],
    ) -> None:
        self._table, self._rows, self._target = table, rows, target
        self._scaled, self._sources = scaled, sources
        self._numeric_features, self._numbers = numeric, numbers
        self._center, self._scale = center, scale
        self._task, self._assessment, self._observed = task, assessment, observed
        self._usual: dict[int, str] = {}
        self._range: dict[int, FloatArray] = {}

    def suspects(self, rows: IntArray) -> list[Suspect]:
        """Return an explanation of each of some rows."""
        cells = self._table.rows_cells(self._rows[rows])
        return [self._suspect(row, own) for row, own in zip(rows.tolist(), cells, strict=True)]

    def _suspect(self, row: int, cells: list[str]) -> Suspect:
        kind: Kind = str(self._assessment.kinds[row]) or "target"  # type: ignore[assignment]
        features = self._odd_features(row)
        odd = [self._odd_cell(row, feature, cells) for feature in features]
        why = []
        if kind in ("target", "both"):
            why.append(self._why_target(row, cells[self._target]))
        if kind in ("features", "both"):
            why.append(self._why_features(row, features, odd))
        if kind in ("target", "both"):
            odd.insert(0, self._odd_target(row, cells[self._target]))
        return Suspect(row, kind, " ".join(why), cells, odd)

    def _odd_target(self, row: int, cell: str) -> Odd:
        expected = self._assessment.expected[row]
        usual = format_number(expected) if self._task == "regression" else str(expected)
        return Odd(
            self._table.names[self._target],
            cell,
            f"about {usual}" if self._task == "regression" else usual,
            float(self._assessment.scores[row]),
        )

    def _odd_features(self, row: int) -> list[int]:
        """Return at most one outlying feature of each column, those of the screen first."""
        deviations = np.abs(self._scaled[row])
        far = np.flatnonzero(deviations >= ODD)
        far = far[np.argsort(-deviations[far], kind="stable")]
        named = self._assessment.outlying_features.get(row, ())
        columns: dict[int, int] = {}
        for feature in [*named, *far.tolist()]:
            columns.setdefault(int(self._sources[feature]), int(feature))
        odd = list(columns.values())
        # A screen of pairs of columns names both; the one in its usual range is fine.
        unusual = [feature for feature in odd if not self._is_usual(row, feature)]
        return (unusual or odd)[:MAX_NAMED]

    def _is_usual(self, row: int, feature: int) -> bool:
        column = int(self._sources[feature])
        self._usual_in(column, feature)
        if column not in self._range:
            return False
        value = self._center[feature] + self._scale[feature] * self._scaled[row, feature]
        low, high = self._range[column]
        return bool(low <= value <= high)

    def _odd_cell(self, row: int, feature: int, cells: list[str]) -> Odd:
        column = int(self._sources[feature])
        return Odd(
            self._table.names[column],
            cells[column],
            self._usual_in(column, feature),
            float(abs(self._scaled[row, feature])),
        )

    def _usual_in(self, column: int, feature: int) -> str:
        """Return the cells between which 95 % of the unflagged rows lie, as they are written."""
        if column not in self._usual:
            unflagged = np.flatnonzero(~self._assessment.flagged)
            if self._numeric_features[feature]:
                values = self._scaled[unflagged, feature]
                ends = np.quantile(values, [0.025, 0.975], method="nearest")
                rows = unflagged[[int(np.flatnonzero(values == end)[0]) for end in ends]]
                low, high = self._table.texts(column, self._rows[rows])
                self._usual[column] = low if low == high else f"{low} to {high}"
                self._range[column] = self._center[feature] + self._scale[feature] * ends
            else:
                cells = self._table.texts(column, self._rows[unflagged[:1000]])
                self._usual[column] = f"mostly {max(set(cells), key=cells.count)}"
        return self._usual[column]

    def _why_target(self, row: int, cell: str) -> str:
        name, expected = self._table.names[self._target], self._assessment.expected[row]
        if self._task == "classification":
            return f"{name} is {_short(cell)}, but rows like it are {_short(str(expected))}."
        hint = error_hint(float(self._observed[row]), float(expected))
        where = f"where rows like it have about {format_number(expected)}{hint}"
        return _sentence(f"{name} is {_short(cell)}, {where}")

    def _why_features(self, row: int, features: Sequence[int], odd: Sequence[Odd]) -> str:
        swapped = self._swapped(row, features)
        if swapped:
            return f"{swapped[0]} and {swapped[1]} look swapped."
        if not odd:
            return "Its values are each usual, but not together."
        hint = ""
        if self._numbers[features[0]]:
            value = self._center + self._scale * self._scaled[row]
            hint = range_error_hint(
                float(value[features[0]]), self._range[int(self._sources[features[0]])]
            )
        more = f" {odd[1].column} is odd as well." if len(odd) > 1 else ""
        where = f"where unflagged rows have {_short(odd[0].usual)}{hint}"
        return _sentence(f"{odd[0].column} is {_short(odd[0].value)}, {where}") + more

    def _swapped(self, row: int, features: Sequence[int]) -> tuple[str, str] | None:
        """Return two columns whose cells would each be usual in the other, or None."""
        odd = [f for f in features if self._numbers[f]]
        values = self._center + self._scale * self._scaled[row]
        for a in odd[:2]:
            for b in np.flatnonzero(self._numbers):
                if b == a:
                    continue
                here = abs(values[b] - self._center[a]) / self._scale[a]
                there = abs(values[a] - self._center[b]) / self._scale[b]
                if here < USUAL_SCORE and there < USUAL_SCORE:
                    names = self._table.names
                    return names[self._sources[a]], names[self._sources[b]]
        return None


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


def range_error_hint(value: float, usual: FloatArray) -> str:
    """Return the likely cause of a value outside its usual range, empty if none is likely.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.explaining import range_error_hint
    >>> range_error_hint(1.6, np.array([900.0, 3000.0]))
    ': a thousandth, another unit?'
    >>> range_error_hint(4000.0, np.array([900.0, 3000.0]))
    ''
    """
    low, high = usual
    if low <= -value <= high:
        return ": is the sign wrong?"
    fitting = [power for power in _POWERS if low <= value / 10.0**power <= high]
    # A range that spans decades would contain the value after any power.
    return _power_hint(fitting[0]) if len(fitting) == 1 else ""


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
