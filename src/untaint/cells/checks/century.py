"""Years that are off by a hundred, a thousand or ten: 1920 for 2020, 3019 for 2019.

At most 5 % of the dates are a group if the gap to all others is wider than the span of the others
and than 20 years, and a change of the year by 100, 200 or 1000 brings all of them among the others.
A change by 10 years needs a gap of 5 years that is twice as wide as the span.
Dates that are codes, such as 1900-01-01, belong to :mod:`.sentinel`.
"""

from collections.abc import Sequence

import numpy as np

from ..._typing import FloatArray
from ...io.columns.column import Column
from ..finding import CellFinding
from .gaps import widest_upper_gap
from .inputs import Cells, present_cells
from .sentinel import SENTINEL_DAYS
from .wording import day_text

FEWEST = 20
MAX_SHARE = 0.05
YEAR = 365.25
# Years that a date may be off by, the least gap in years and in spans of the others, probability.
CHANGES = ((100, 20, 1.0, 0.95), (1000, 20, 1.0, 0.95), (200, 20, 1.0, 0.9), (10, 5, 2.0, 0.8))


def find_centuries(columns: Sequence[Column]) -> list[CellFinding]:
    """Find dates whose year is off by 100, 1000 or 10.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.century import find_centuries
    >>> from untaint.io.columns.column import Column
    >>> days = np.append(np.arange(18000.0, 18100), 18050 - 36525)
    >>> print(find_centuries([Column("x", "date", np.isnan(days), days)])[0].reason)
    1919-06-03 is 100 years before 2019-06-03; the others are from 2019-04-14 to 2019-07-22.
    """
    return [
        finding
        for cells in present_cells(columns, "date", FEWEST)
        for finding in _centuries_of(cells)
    ]


def _centuries_of(cells: Cells) -> list[CellFinding]:
    own = np.flatnonzero(~np.isin(np.floor(cells.values), SENTINEL_DAYS))
    n = len(own)
    if n < FEWEST:
        return []
    found = []
    largest = max(1, int(MAX_SHARE * n))
    order = own[np.argsort(cells.values[own], kind="stable")]
    for side in (1, -1):
        gap = widest_upper_gap(side * cells.values[order[::side]], largest)
        members = order[::side][n - gap.k :]
        body = cells.values[order[::side][: n - gap.k]]
        found += _group_findings(cells, members, body, gap.width, side)
    return found


def _group_findings(
    cells: Cells, members: np.ndarray, body: FloatArray, gap: float, side: int
) -> list[CellFinding]:
    # Of the others, another small group may be wrong as well, at the other end.
    low, high = np.quantile(body, [0.01, 0.99])
    span = high - low
    slack = max(0.02 * span, 1.0)
    for years, least, spans, probability in CHANGES:
        if gap < max(least * YEAR, spans * span):
            continue
        expected = _years_later(cells.values[members], -side * years)
        if (expected >= low - slack).all() and (expected <= high + slack).all():
            how = f"is {years} years {'after' if side > 0 else 'before'}"
            others = f"the others are from {day_text(low)} to {day_text(high)}"
            found = []
            for i, day in zip(members, expected, strict=True):
                reason = f"{day_text(cells.values[i])} {how} {day_text(day)}; {others}."
                found.append(cells.finding(i, probability, "century", day, reason))
            return found
    return []


def _years_later(days: FloatArray, years: int) -> FloatArray:
    """Return dates in another year, the 29 February as the 28th where there is none."""
    whole = np.floor(days)
    dates = whole.astype(np.int64).astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    day = (dates - months.astype("datetime64[D]")).astype(np.int64)
    target = months + 12 * years
    last = ((target + 1).astype("datetime64[D]") - target.astype("datetime64[D]")).astype(np.int64)
    moved = target.astype("datetime64[D]").astype(np.int64) + np.minimum(day, last - 1)
    return moved + (days - whole)
