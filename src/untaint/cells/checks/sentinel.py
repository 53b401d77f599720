"""Codes for a missing value: -999 among lengths, 1900-01-01 among dates.

A number of a known form (nines, eights, -1, 0) is reported if it lies outside of the range
[low, high] of all other values by a wide margin:

- one of at least three nines or eights by the width high - low if it is repeated, by three times
  that if it is not, and for positive codes also beyond 3 * high, where the largest 5 % do not
  count if they are wrong as well: a gap on the log scale separates them (:mod:`.gaps`);
- -9, -77, -88, -99 and -1 among values that are never negative, if repeated, -1 only if the values
  are continuous; once, a code of two digits if all others are smaller in size;
- 0 among continuous positive values, if at most 5 % are 0 and
  median / s >= 5, s = (median - q05) / 1.645, low >= median / 4, and low is at least three times
  the widest spacing in the lowest tenth of the values.

Any number is reported that is the only negative one, that c >= 3 cells have, and that skips values:
it and all others are multiples of a step, and g more would fit between, as far apart as the lowest.
Where values get rarer towards the end of their range, each of the c is at that number and not at
one of the g before it with probability 1 / (g + 1) at most, and all are with (g + 1)^-c; at most
1 % is allowed. An example is -1 in seven cells of a column of rooms, of which none is 0.

A date is reported if it lies further from all others than these lie from each other.
"""

from collections.abc import Sequence

import numpy as np

from ..._typing import BoolArray, FloatArray
from ...io.columns.column import Column
from ..distinct import has_values
from ..finding import CellFinding
from .gaps import is_surprising, widest_upper_gap
from .inputs import Cells, present_cells
from .wording import count_text, day_text, number_text

FEWEST = 30
LONG_CODES = [
    *(sign * float(digit * k) for digit in "98" for k in range(3, 9) for sign in (1, -1)),
    *(-777.0, -7777.0),
]
SHORT_CODES = [-1.0, -9.0, -99.0, -88.0, -77.0]
# Largest share of a column that a code may fill, and of zeros.
MAX_SHARE = 0.3
MAX_ZEROS = 0.05
# Largest part of the other values that may be wrong as well.
MAX_WRONG = 0.05
# Deviations of zero below the median, and the quantile of the normal law that 5 % lie below.
FAR = 5.0
# The smallest other value in medians, and in spacings of the lowest tenth.
MIN_LOW = 0.25
WIDER = 3.0
_Q05 = 1.645
# Fewest cells of a number of no known form, levels of the others, and the largest probability.
MIN_REPEATED, MIN_LEVELS = 3, 5
MAX_CHANCE = 0.01
# A continuous column has so many distinct values, and so many of them per value.
MIN_DISTINCT = 25
MIN_DISTINCT_SHARE = 0.1
DATES = (
    *("0001-01-01", "1111-11-11", "1582-10-15", "1753-01-01", "1800-01-01", "1899-12-30"),
    *("1899-12-31", "1900-01-01", "1901-01-01", "1904-01-01", "1960-01-01", "1970-01-01"),
    *("2099-01-01", "2099-12-31", "2100-01-01", "2199-12-31", "2222-12-31", "2262-04-11"),
    *("2999-12-31", "3000-01-01", "9999-01-01", "9999-12-31"),
)
SENTINEL_DAYS = np.array(DATES, "datetime64[D]").astype(np.int64).astype(np.float64)
_YEAR = 365.25


def find_sentinels(columns: Sequence[Column]) -> list[CellFinding]:
    """Find values that stand for a missing one.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.sentinel import find_sentinels
    >>> from untaint.io.columns.column import Column
    >>> x = np.append(np.linspace(10, 20, 100), -999)
    >>> print(find_sentinels([Column("x", "number", np.isnan(x), x)])[0].reason)
    -999 looks like a code for a missing value; the others are between 10 and 20.
    """
    found = []
    for cells in present_cells(columns, "number", FEWEST):
        found += _codes_of(cells)
    for cells in present_cells(columns, "date", FEWEST):
        found += _dates_of(cells)
    return found


def _codes_of(cells: Cells) -> list[CellFinding]:
    values = cells.values
    low, high = values.min(), values.max()
    # Only the ends of a column can be isolated from it.
    if not (low <= 0 or high in LONG_CODES):
        return []
    is_code = np.isin(values, [*SHORT_CODES, *LONG_CODES])
    if low < 0 < np.min(values, where=values != low, initial=np.inf):
        is_code |= values == low
    if not (low == 0 or is_code.any()):
        return []
    if np.min(values, where=~is_code, initial=np.inf) == 0:
        is_code |= values == 0
    rest = values[~is_code]
    if len(rest) < FEWEST:
        return []
    found = []
    for code in np.unique(values[is_code]):
        which = values == code
        count = int(which.sum())
        probability = _probability(float(code), count, rest, len(values))
        if count <= MAX_SHARE * len(values) and _skips_values(code, count, values[~which]):
            probability = max(probability, 0.95)
        if probability:
            found += _findings(cells, which, probability, rest)
    return found


def _probability(code: float, count: int, rest: FloatArray, n: int) -> float:
    """Return the probability that a number is a code, zero if it may be an ordinary one."""
    low, high = float(rest.min()), float(rest.max())
    gap = max(low - code, code - high)
    if gap <= 0 or count > MAX_SHARE * n:
        return 0.0
    repeated = count >= 2
    if code == 0:
        if not (count <= MAX_ZEROS * n and low > 0 and _is_continuous(rest)):
            return 0.0
        q05, q10, median = np.quantile(rest, [0.05, 0.1, 0.5])
        far = median * _Q05 >= FAR * (median - q05) and low >= MIN_LOW * median
        tail = np.diff(np.unique(rest[rest <= q10]))
        far = far and low >= WIDER * tail.max(initial=0.0)
        return (0.8 if repeated else 0.7) if far else 0.0
    if code not in SHORT_CODES and code not in LONG_CODES:
        return 0.0
    if code in SHORT_CODES:
        if low < 0 or (code == -1 and not _is_continuous(rest)):
            return 0.0
        # Once, -99 among values up to 200 may be one with a wrong sign, but not again and again.
        if not repeated:
            return 0.85 if code < -9 and high < -code else 0.0
        return 0.85 if code == -1 else 0.95
    if code > 0 and repeated and low > 0:
        high = _usual_high(rest)
        gap = code - high
    if code > 0 and code < 3 * high:
        return 0.0
    if gap < (high - low) * (1 if repeated else 3):
        return 0.0
    return 0.97 if repeated else 0.9


def _usual_high(rest: FloatArray) -> float:
    """Return the largest of positive values, or of those below a surprising gap."""
    logs = np.log(np.sort(rest))
    k, width = widest_upper_gap(logs, max(1, int(MAX_WRONG * len(logs))))
    return float(np.exp(logs[-k - 1 if is_surprising(logs[:-k], k, width) else -1]))


def _skips_values(code: float, count: int, rest: FloatArray) -> bool:
    """Return whether so many cells at a code, and none between it and the rest, are no chance."""
    if not code < 0 < rest.min() or count < MIN_REPEATED:
        return False
    levels = np.unique(rest)
    if len(levels) < MIN_LEVELS:
        return False
    steps = np.append(levels, code) / float(np.diff(levels).min())
    places = np.round(steps)
    if not np.allclose(steps, places, rtol=0.0, atol=1e-6):
        return False
    # The widest gap among the smallest values is usual there, and the code has to skip more.
    usual = np.diff(places[:MIN_LEVELS]).max()
    between = (places[0] - places[-1]) // usual  # g + 1
    return bool(between > 1 and between**-count <= MAX_CHANCE)


def _is_continuous(values: FloatArray) -> bool:
    return has_values(values, max(MIN_DISTINCT, MIN_DISTINCT_SHARE * len(values)))


def _findings(
    cells: Cells, which: BoolArray, probability: float, rest: FloatArray
) -> list[CellFinding]:
    low, high = number_text(float(rest.min())), number_text(float(rest.max()))
    members = np.flatnonzero(which).tolist()
    code = cells.values[members[0]]
    also = f" that {len(members):,} rows have" if len(members) > 1 else ""
    reason = (
        f"{code:.6g} looks like a code for a missing value{also}; "
        f"the others are between {low} and {high}."
    )
    return [cells.finding(i, probability, "sentinel", None, reason) for i in members]


def _dates_of(cells: Cells) -> list[CellFinding]:
    days = np.floor(cells.values)
    is_code = np.isin(days, SENTINEL_DAYS)
    rest = cells.values[~is_code]
    if not is_code.any() or len(rest) < FEWEST:
        return []
    low, high = float(rest.min()), float(rest.max())
    found = []
    for code in np.unique(days[is_code]):
        which = days == code
        count = int(which.sum())
        isolated = max(low - code, code - high) > max(high - low, 2 * _YEAR)
        if not isolated or count > MAX_SHARE * len(days):
            continue
        reason = (
            f"{day_text(code)} looks like a code for a missing value; "
            f"{count_text(len(rest), 'other date is', 'other dates are')} "
            f"between {day_text(low)} and {day_text(high)}."
        )
        rows = np.flatnonzero(which).tolist()
        found += [cells.finding(i, 0.95, "sentinel", None, reason) for i in rows]
    return found
