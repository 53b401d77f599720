"""Two neighbouring digits exchanged, so that a value lies far from all others: 718 for 178.

The k <= n / 50 largest (or smallest) of n positive values are reported if

- the gap to the others is wide for their tail, as they are and as logarithms (see :mod:`.gaps`),
  and at least half as wide as the central 98 % of the others;
- in each of them an exchange of two neighbouring digits (:mod:`..digits`) leads into these 98 %;
- they are not one value several times, which stands for something, and nearly all values have six
  significant digits at most, as numbers have that somebody typed.

An exchange that leaves a value among the others is left to :mod:`..mistakes`.
"""

from collections.abc import Sequence

import numpy as np

from ..._typing import FloatArray
from ...io.columns.column import Column
from ..digits import PRECISE, exchange_digits
from ..finding import CellFinding
from .gaps import is_surprising, widest_upper_gap
from .inputs import Cells, present_cells
from .wording import number_text

FEWEST = 50
MAX_SHARE = 0.02
# Least gap, in widths of the central 98 % of the others.
WIDE = 0.5
# Significant digits of which one may be exchanged with the next.
PLACES = (1, 2, 3)
# Significant digits of numbers that are typed, and the least part of a column that are so.
TYPED, MIN_TYPED = 6, 0.95


def find_digits(columns: Sequence[Column]) -> list[CellFinding]:
    """Find far values that an exchange of two digits makes ordinary.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.digits import find_digits
    >>> from untaint.io.columns.column import Column
    >>> x = np.append(np.linspace(150, 200, 100).round(), 718)
    >>> finding = find_digits([Column("height", "number", np.isnan(x), x)])[0]
    >>> finding.row, finding.expected
    (100, 178.0)
    """
    return [
        finding
        for cells in present_cells(columns, "number", FEWEST)
        if _is_typed(cells.values)
        for side in (1, -1)
        for finding in _exchanged(cells, side)
    ]


def _is_typed(values: FloatArray) -> bool:
    """Return whether nearly all numbers have few digits, and none is huge or tiny."""
    if values.max() >= PRECISE or values.min() <= 1 / PRECISE:
        return False
    unit = 10.0 ** (TYPED - 1 - np.floor(np.log10(values)))
    scaled = values * unit
    return bool(np.mean(np.isclose(scaled, np.round(scaled), rtol=0, atol=1e-4)) >= MIN_TYPED)


def _exchanged(cells: Cells, side: int) -> list[CellFinding]:
    """Return findings in the largest values for side 1, in the smallest for -1."""
    order = np.argsort(side * cells.values, kind="stable")
    ordered = cells.values[order]
    k = widest_upper_gap(side * ordered, max(1, int(MAX_SHARE * len(order)))).k
    low, high = np.quantile(ordered[:-k], [0.01, 0.99])
    if not _is_apart(ordered, k, side, WIDE * (high - low)):
        return []
    expected = _within(cells.values[order[-k:]], low, high)
    if np.isnan(expected).any():
        return []
    others = f"the others, 98 % of which are between {number_text(low)} and {number_text(high)}"
    found = []
    for i, value in zip(order[-k:], expected, strict=True):
        own = number_text(cells.values[i])
        reason = f"{own} is far from {others}: are two digits exchanged?"
        found.append(cells.finding(i, 0.9, "digits", value, reason))
    return found


def _is_apart(ordered: FloatArray, k: int, side: int, least: float) -> bool:
    """Return whether the last k are neither one value nor within the tail of the others."""
    if (k > 1 and ordered[-k] == ordered[-1]) or abs(ordered[-k] - ordered[-k - 1]) < least:
        return False
    scales = (side * ordered, side * np.log(ordered))
    return all(is_surprising(part[:-k], k, part[-k] - part[-k - 1]) for part in scales)


def _within(values: FloatArray, low: float, high: float) -> FloatArray:
    """Return values with two digits exchanged that lie nearest the middle, NaN for none within."""
    candidates = np.stack([exchange_digits(values, k) for k in PLACES])
    candidates[(candidates < low) | (candidates > high) | (candidates == values)] = np.nan
    distance = np.nan_to_num(np.abs(candidates - (low + high) / 2), nan=np.inf)
    return candidates[distance.argmin(axis=0), np.arange(len(values))]
