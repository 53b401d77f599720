"""Values outside of the range that a column's name states: 140 percent, latitude 95, month 13.

Of the cells of the column, at least 98 % have to lie inside of the range, and at most 2 % outside;
only then does the column hold what its name says. Percentages of change, ages of houses and the
like have no such range.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...io.columns.column import Column
from ..finding import CellFinding
from .inputs import Cells, present_cells
from .wording import number_text

FEWEST = 30
MAX_SHARE = 0.02
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
