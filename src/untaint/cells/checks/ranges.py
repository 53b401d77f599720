"""Values outside of the range that a column's name states, or of the few values that others take.

140 percent, latitude 95, month 13: of the cells of the column, at least 98 % have to lie inside of
the range, and at most 2 % outside; only then does the column hold what its name says. Percentages
of change, ages of houses and the like have no such range.

3,000 bedrooms: where others take 2 to 11 values, one cell, or 1 % of them, is reported if

- it is at least three times as large as all others, and on the log scale twice as far from them as
  any two neighbours of these are from each other, unlike doses and heavy tails;
- the gap is five times as wide as the range of the others, and a slipped decimal point or a digit
  that is written twice leads to one of them (3, not 9, among 0 to 5 for 33); or ten times as wide,
  and on the log scale surprising for their tail (:mod:`.gaps`).
"""

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..._typing import FloatArray
from ...io.columns.column import Column
from ..finding import CellFinding
from ..variables import FEWEST_VALUES
from .gaps import SURPRISE, mean_excess, widest_upper_gap
from .inputs import Cells, present_cells
from .wording import number_text

FEWEST = 30
MAX_SHARE = 0.02
# Part of the cells beyond few values, least ratio, and width of the gap in ranges of the others.
MAX_BEYOND, MIN_RATIO, FAR, VERY_FAR = 0.01, 3.0, 5.0, 10.0
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])")
_WORD = re.compile(r"[a-z]+|%")


class Range(NamedTuple):
    """What values a quantity may have.

    Attributes
    ----------
    words : frozenset of str
        Words that name the quantity if one of them is in the column's name.
    low, high : float
    also : frozenset of str or None
        Words that the name may have besides; None for any.
    never : frozenset of str
        Words that the name may not have.
    probability : float
    """

    words: frozenset[str]
    low: float
    high: float
    also: frozenset[str] | None = None
    never: frozenset[str] = frozenset()
    probability: float = 0.95


_CHANGE = frozenset(
    (
        *("change", "changes", "growth", "diff", "difference", "delta", "return", "returns"),
        *("increase", "decrease", "rise", "gain", "loss", "var", "variation", "inflation", "error"),
        *("bias", "deviation", "dev", "of", "gdp", "excess", "over", "above", "relative", "normal"),
        *("expected", "target", "median", "mean", "max", "ratio", "per"),
    )
)
_OF_PEOPLE = frozenset(
    (
        *("at", "in", "of", "the", "y", "yr", "yrs", "year", "years", "mother", "father", "spouse"),
        *("mothers", "fathers", "maternal", "paternal", "patient", "person", "customer", "client"),
        *("employee", "respondent", "student", "husband", "wife", "mom", "dad", "baseline"),
        *("entry", "diagnosis", "admission", "enrollment", "mean", "avg"),
    )
)
RANGES = (
    Range(frozenset({"percent", "pct", "percentage", "perc", "%"}), 0, 100, never=_CHANGE,
          probability=0.9),
    Range(frozenset({"latitude", "lat"}), -90, 90, probability=0.97),
    Range(frozenset({"longitude", "lon", "lng"}), -180, 180, probability=0.97),
    Range(frozenset({"age"}), 0, 120, also=_OF_PEOPLE),
    Range(frozenset({"probability", "prob", "proba", "pvalue"}), 0, 1, never=_CHANGE),
    Range(frozenset({"month"}), 1, 12, also=frozenset({"of", "year", "birth", "start", "end"}),
          probability=0.97),
    Range(frozenset({"hour"}), 0, 24, also=frozenset({"of", "day", "start", "end"}),
          probability=0.97),
)  # fmt: skip


def find_out_of_range(columns: Sequence[Column]) -> list[CellFinding]:
    """Find values outside of the range that a column's name states.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.ranges import find_out_of_range
    >>> from untaint.io.columns.column import Column
    >>> x = np.append(np.linspace(20, 80, 100), 412)
    >>> print(find_out_of_range([Column("age", "number", np.isnan(x), x)])[0].reason)
    412 is outside of 0 to 120, in which 'age' is in 100 of 101 rows.
    """
    found = []
    for cells in present_cells(columns, "number", FEWEST):
        own = range_of(cells.name)
        if own is not None:
            found += _outside(cells, own)
        found += _beyond_few_values(cells)
    return found


def range_of(name: str) -> Range | None:
    """Return the range that a name states, if any.

    Examples
    --------
    >>> from untaint.cells.checks.ranges import range_of
    >>> range_of("patientAge").high, range_of("house age"), range_of("pct_change")
    (120, None, None)
    """
    words = set(_WORD.findall(_CAMEL.sub("_", name).lower()))
    for candidate in RANGES:
        others = words - candidate.words
        if (
            others < words
            and not others & candidate.never
            and (candidate.also is None or others <= candidate.also)
        ):
            return candidate
    return None


def _outside(cells: Cells, own: Range) -> list[CellFinding]:
    outside = (cells.values < own.low) | (cells.values > own.high)
    n, k = len(outside), int(outside.sum())
    if not 0 < k <= max(1, MAX_SHARE * n):
        return []
    where = f"{own.low:g} to {own.high:g}, in which {cells.name!r} is in {n - k:,} of {n:,} rows"
    found = []
    for i in np.flatnonzero(outside).tolist():
        reason = f"{number_text(cells.values[i])} is outside of {where}."
        found.append(cells.finding(i, own.probability, "range", None, reason))
    return found


def _beyond_few_values(cells: Cells) -> list[CellFinding]:
    order = np.argsort(cells.values, kind="stable")
    ordered = cells.values[order]
    k, gap = widest_upper_gap(ordered, max(1, int(MAX_BEYOND * len(order))))
    body, beyond = ordered[:-k], ordered[-k:]
    levels = np.unique(body)
    span, ends = levels[-1] - levels[0], (levels[0], levels[-1])
    logs = np.log(body[body > 0])
    few = 2 <= len(levels) < FEWEST_VALUES and levels[0] >= 0 and len(logs) >= FEWEST
    if not few or gap < FAR * span:
        return []
    width = math.log(beyond[0] / levels[-1])
    if width < max(math.log(MIN_RATIO), 2 * np.diff(logs).max(initial=0.0)):
        return []
    undone = [_undone(value, levels) for value in beyond.tolist()]
    very_far = gap >= VERY_FAR * span and width >= SURPRISE * mean_excess(logs)
    if any(value is None for value, _, _ in undone) and not very_far:
        return []
    others = f"the {len(body):,} others are {number_text(ends[0])} to {number_text(ends[1])}"
    found = []
    for i, (value, kind, hint) in zip(order[-k:].tolist(), undone, strict=True):
        reason = f"{cells.name} is {number_text(cells.values[i])}, where {others}{hint}"
        found.append(cells.finding(i, 0.95, kind, value, reason))
    return found


def _undone(value: float, levels: FloatArray) -> tuple[float | None, str, str]:
    """Return the level from which a mistake led to a value, the kind of mistake, and a hint."""
    for power in (10, 100, 1000):
        if value / power in levels:
            return value / power, "decimal", f": {power} times as much, a slipped decimal point?"
    texts = {f"{value:.15g}"}
    for _ in range(2):
        texts |= {t[:i] + t[i + 1 :] for t in texts for i in range(1, len(t)) if t[i] == t[i - 1]}
    single = {float(text) for text in texts} & set(levels.tolist())
    if len(single) == 1:
        return single.pop(), "digits", ": is a digit repeated?"
    return None, "range", "."
