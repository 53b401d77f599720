"""Values in another unit: a small group at a known factor from the rest of a column.

On the log scale, the k <= n / 10 largest (or smallest) of n positive values are a group if

- the gap g below them is wide: k g >= 12 s, where s is the mean excess of the tail of the body
  (all other values, see :mod:`.gaps`), and g is at least three times the widest spacing in the
  outer quarter of the body;
- a factor f brings all of them into the range of the body, and their median into its central 90 %;
  a single value into the central 98 % if g is at least as wide as that;
- g >= max(log 3, w / 2) and w <= 0.75 log f for f = 1000 and 100, g >= w for smaller factors,
  where w is the width of the central 98 % of the body;
- four or more of them are not all alike, as the values of one place or person are: their standard
  deviation is at least a fifth of the body's;
- smallest values are also far from the body on the scale of the column, (median - v) / s >= 4 with
  s = (median - q05) / 1.645, where logarithms have the longer tail below, as those of fractions
  do, unless f = 1000, there are three or more, and g >= w.

Hence columns with a heavy tail, or of several decades, are left alone. Temperatures are compared
in degrees, and only where the column's name says that it holds some.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ..._typing import BoolArray, FloatArray, IntArray
from ...io.columns.column import Column
from ..finding import CellFinding
from .gaps import is_surprising, widest_upper_gap
from .inputs import Cells, present_cells
from .wording import number_text

FEWEST = 50
MAX_SHARE = 0.1
# Ratio of the values on both sides of a gap, as a logarithm.
MIN_GAP = math.log(1.2)
# Larger factors need a gap of a part of the body's width only; others of at least all of it.
LARGE_FACTORS = (1000.0, 100.0)
# Largest width of the body in logarithms of a large factor.
NARROW = 0.75
# Factors below 10 are also the ratio of many things that are not units: the name has to say that
# the column has such units, and there have to be several values.
SMALL_FACTORS = (
    (10.0, ""),
    (
        2.54,
        r"height|length|width|depth|waist|girth|circumf|diameter|size|inch|(?:^|[\W_])(?:cm|in|ht)",
    ),
    (1 / 0.4536, r"weight|mass|(?:^|[\W_])(?:kg|lbs?|wt)|pound|kilo"),
    (1.609, r"dist|mile|(?:^|[\W_])(?:km|mph|kmh|kph)|speed|veloc"),
    (4.184, r"energy|calor|joule|(?:^|[\W_])k?(?:cal|j)(?:$|[\W_])"),
)
MIN_GROUP_SMALL = 3
# Values that are alike, and their standard deviation in those of the body.
MIN_ALIKE = 4
ALIKE = 0.2
# Ratio of the tails of logarithms beyond which the lower one is looked at on the plain scale, how
# far values have to be there, and the quantile of the normal law that 5 % lie below.
SKEW = 1.3
FAR = 4.0
_Q05 = 1.645
_TEMPERATURE = re.compile(r"temp|celsius|fahrenheit|°|(?:^|[\W_])deg(?:[\W_]?[cf])?(?:$|[\W_])")


POINT = "a slipped decimal point"


class _Group(NamedTuple):
    """Values above (or below) a gap, and what they should be."""

    members: IntArray
    expected: FloatArray
    probability: float
    how: str


def find_units(columns: Sequence[Column]) -> list[CellFinding]:
    """Find values that are off by the factor between two units.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.unit import find_units
    >>> from untaint.io.columns.column import Column
    >>> x = np.linspace(50, 90, 100)
    >>> x[3] *= 1000
    >>> print(find_units([Column("x", "number", np.isnan(x), x)])[0].reason[-33:])
    1000 times as much, another unit?
    """
    found = []
    for cells in present_cells(columns, "number", FEWEST):
        if cells.values.min() < 0 and not _TEMPERATURE.search(cells.name.lower()):
            continue
        for group in _groups(cells):
            found += _findings(cells, group)
    return sorted(found, key=lambda finding: (finding.column, finding.row))


def _groups(cells: Cells) -> Iterator[_Group]:
    positive = cells.values > 0
    if 2 * positive.sum() > len(positive) and positive.sum() >= FEWEST and cells.values.min() >= 0:
        which = np.flatnonzero(positive)
        logs = np.log(cells.values[which])
        order = np.argsort(logs, kind="stable")
        for side in (1, -1):
            group = _factor_group(side * logs[order[::side]], side, cells.name)
            if group is not None:
                members = which[order[::side][group[0]]]
                factor = group[1] ** side
                expected = cells.values[members] / factor
                how = _how(group[1], side)
                yield _Group(members, expected, group[2], how)
    if _TEMPERATURE.search(cells.name.lower()):
        yield from _temperature_groups(cells.values)


def _how(factor: float, side: int) -> str:
    """Return how a number is off by a factor, and by what mistake."""
    size = number_text(factor)
    cause = POINT if factor == 10 else "another unit"
    parts = {10: "a tenth", 100: "a hundredth", 1000: "a thousandth"}
    how = f"{size} times as much" if side > 0 else parts.get(int(factor), f"1 / {size}")
    return f"{how}, {cause}"


def _factor_group(
    ordered: FloatArray, side: int, name: str
) -> tuple[BoolArray, float, float] | None:
    """Return which of ordered logarithms are off, by which factor, and with what probability.

    Those of the lower side come with the opposite sign.
    """
    n = len(ordered)
    gap = widest_upper_gap(ordered, max(1, int(MAX_SHARE * n)))
    body, group = ordered[: n - gap.k], ordered[n - gap.k :]
    if gap.width < MIN_GAP or not is_surprising(body, gap.k, gap.width) or _are_alike(body, group):
        return None
    low, high = np.quantile(body, [0.01, 0.99])
    factors = [*LARGE_FACTORS, *(f for f, named in SMALL_FACTORS if re.search(named, name.lower()))]
    if side < 0 and not _is_far_below(body, group):
        if gap.k < MIN_GROUP_SMALL or gap.width < high - low:
            return None
        factors = factors[:1]
    fitting = [factor for factor in factors if _fits(body, group, gap.width, factor)]
    if not fitting:
        return None
    middle = float(np.median(group) - np.median(body))
    factor = min(fitting, key=lambda f: (f not in LARGE_FACTORS, abs(middle - math.log(f))))
    if factor not in LARGE_FACTORS:
        probability = 0.9 if factor == 10 else 0.75
    elif len(fitting) > 1:
        probability = 0.9
    else:
        probability = 0.97 if gap.k > 1 else 0.95
    return np.arange(n) >= n - gap.k, factor, probability


def _are_alike(body: FloatArray, group: FloatArray) -> bool:
    """Return whether values are too similar to be of random rows."""
    if len(group) >= MIN_GROUP_SMALL and group[0] == group[-1]:
        return True  # one value again and again is a code
    return bool(len(group) >= MIN_ALIKE and group.std() < ALIKE * body.std())


def _fits(body: FloatArray, group: FloatArray, gap: float, factor: float) -> bool:
    """Return whether a factor brings a group into the body, by a gap that is wide for it."""
    if factor < 10 and len(group) < MIN_GROUP_SMALL:
        return False
    low, inner_low, inner_high, high = np.quantile(body, [0.01, 0.05, 0.95, 0.99])
    width = high - low
    moved = group - math.log(factor)
    ends = (body[0], body[-1]) if len(group) > 1 else (low, high)
    if moved[0] < ends[0] or moved[-1] > ends[1]:
        return False
    alone = len(group) == 1 and gap >= width
    if not alone and not inner_low <= np.median(moved) <= inner_high:
        return False
    if factor not in LARGE_FACTORS:
        return bool(gap >= width)
    return bool(gap >= max(math.log(3), width / 2) and width <= NARROW * math.log(factor))


def _is_far_below(body: FloatArray, group: FloatArray) -> bool:
    """Return whether values are far below others, unless these are log-normal or the like.

    Both are logarithms with the opposite sign.
    """
    q95, median, q05 = np.quantile(body, [0.05, 0.5, 0.95])
    if q05 - median <= SKEW * (median - q95):
        return True
    values = np.exp(-np.array([median, q05, group[0]]))
    return bool((values[0] - values[2]) * _Q05 >= FAR * (values[0] - values[1]))


def _temperature_groups(values: FloatArray) -> Iterator[_Group]:
    """Yield the degrees Celsius among Fahrenheit, or the reverse."""
    order = np.argsort(values, kind="stable")
    for side, how in ((1, "degrees Fahrenheit"), (-1, "degrees Celsius")):
        ordered = side * values[order[::side]]
        n = len(ordered)
        gap = widest_upper_gap(ordered, max(1, int(MAX_SHARE * n)))
        body = ordered[: n - gap.k]
        if not is_surprising(body, gap.k, gap.width):
            continue
        members = order[::side][n - gap.k :]
        own = values[members]
        expected = (own - 32) / 1.8 if side > 0 else own * 1.8 + 32
        low, high = np.quantile(side * body, [0.01, 0.99])
        if low <= expected.min() and expected.max() <= high:
            yield _Group(members, expected, 0.9 if gap.k > 1 else 0.8, how)


def _findings(cells: Cells, group: _Group) -> list[CellFinding]:
    others = np.delete(cells.values, group.members)
    body = others[others != 0]
    low, high = (number_text(end) for end in np.quantile(body, [0.01, 0.99]))
    apart = " but zeros" if len(body) < len(others) else ""
    usual = f"98 % of the others{apart} are between {low} and {high}"
    kind, found = "decimal" if POINT in group.how else "unit", []
    for i, value in zip(group.members, group.expected, strict=True):
        reason = f"{cells.name} is {number_text(cells.values[i])}, where {usual}: {group.how}?"
        found.append(cells.finding(i, group.probability, kind, value, reason))
    return found
