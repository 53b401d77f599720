r"""Dates whose day and month are exchanged: 2021-11-03 for 2021-03-11.

A date is reported for one of three reasons.

- *Its text* is a date only if day and month are exchanged, as 13/04/2021 amid 04/15/2021.
- *The rows beside it.* With dates :math:`d_i` in the order of the rows, steps
  :math:`t = d_{i+1} - d_i` of the typical size :math:`s` (the median, at least a day) and shares
  :math:`p_\pm` of steps forwards and backwards, let a step cost
  :math:`\log(1 + (t / s)^2) - \log p_\pm`, and an exchange :math:`-\log \pi`. The cheapest
  sequence of plain and exchanged dates is found for either state of each date (the Viterbi
  algorithm, forwards and backwards), so that several neighbours may be exchanged; the date is
  reported if its exchange makes the sequence cheaper by :math:`\log 9`. The share :math:`\pi` is a
  small one, that of the texts above, or that of the dates found if there are several. Where more
  dates than these lie far on one side of both neighbours, some fit by chance: none is reported.
- *The range.* At most 5 % of the dates lie beyond a gap of 30 days that is wider than the span of
  the others, and an exchange brings all of them among these.
"""

import re
from collections.abc import Iterator, Sequence

import numpy as np

from ..._typing import BoolArray, FloatArray
from ...io.arrow import arrow
from ...io.columns.column import Column
from ...io.columns.dates import read_dates
from ...io.columns.levels import find_levels
from ..finding import CellFinding
from .gaps import widest_upper_gap
from .inputs import Cells, present_cells
from .texts import unreadable
from .wording import day_text, quoted

FEWEST = 20
# A priori share of exchanged dates, the log-odds from which on one is reported, and their most.
SHARE = 3e-4
CLEAR = float(np.log(9.0))
MAX_EXCHANGED = 0.4
# Of the dates far before or far after both neighbours, the least part that exchanges explain.
MIN_EXPLAINED = 0.5
# From so many dates on, the share of exchanged ones is learnt, in so many rounds.
SEVERAL, ROUNDS = 3, 4
# Of dates beyond a gap: their share, and the least gap in days.
MAX_BEYOND = 0.05
MIN_GAP = 30.0
_PARTS = re.compile(r"^(\d{3,4}[-/.])?(\d{1,2})([-/.])(\d{1,2})(?=\D|$)")


def find_exchanged_days(columns: Sequence[Column]) -> list[CellFinding]:
    """Find dates whose day and month are exchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.day_month import find_exchanged_days
    >>> from untaint.io.columns.column import Column
    >>> days = np.arange(18680.0, 18740.0)
    >>> days[17] = 18934.0
    >>> print(find_exchanged_days([Column("day", "date", np.isnan(days), days)])[0].reason)
    2021-11-03 stands between 2021-03-10 and 2021-03-12; is it 2021-03-11, day and month exchanged?
    """
    found = []
    for cells in present_cells(columns, "date", FEWEST):
        column = columns[cells.position]
        texts = list(_only_exchanged(cells.position, column))
        share = max(SHARE, len(texts) / len(column.missing))
        found += [*texts, *_out_of_order(cells, share), *_out_of_range(cells)]
    return found


def exchange_day_and_month(days: FloatArray) -> FloatArray:
    """Return dates with day and month exchanged, NaN where that is no other date.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.day_month import exchange_day_and_month
    >>> exchange_day_and_month(np.array([1.0, 31.0, 20.5]))  # 2 January, 1 February, 21 January
    array([31.,  1., nan])
    """
    whole = np.floor(days)
    dates = whole.astype(np.int64).astype("datetime64[D]")
    months, years = dates.astype("datetime64[M]"), dates.astype("datetime64[Y]")
    day = (dates - months.astype("datetime64[D]")).astype(np.int64)
    month = (months - years.astype("datetime64[M]")).astype(np.int64)
    other = (years.astype("datetime64[M]") + np.minimum(day, 11)).astype("datetime64[D]") + month
    return np.where((day < 12) & (day != month), other.astype(np.int64) + (days - whole), np.nan)


def exchanged_text(text: str) -> str:
    """Return the text of a date, whose year comes first or last, with day and month exchanged.

    Examples
    --------
    >>> from untaint.cells.checks.day_month import exchanged_text
    >>> exchanged_text("13/04/2021"), exchanged_text("2021-11-03 12:30")
    ('04/13/2021', '2021-03-11 12:30')
    """
    return _PARTS.sub(r"\1\4\3\2", text)


def _only_exchanged(j: int, column: Column) -> Iterator[CellFinding]:
    """Yield texts that are dates only if day and month are exchanged."""
    rows = np.flatnonzero(unreadable(column))
    if column.levels is None or not len(rows):
        return
    codes = np.unique(column.levels.codes[rows])
    texts = [str(column.levels.texts[int(code)]) for code in codes]
    exchanged = find_levels(arrow().array([exchanged_text(text) for text in texts]))
    dates = read_dates(exchanged)
    if dates is None:
        return
    days = dates.days[exchanged.codes]
    n = int((~column.missing).sum())
    for code, text, day in zip(codes, texts, days.tolist(), strict=True):
        if day != day:
            continue
        reason = f"{quoted(text)} is a date only with day and month exchanged, unlike {n:,} others."
        for row in rows[column.levels.codes[rows] == code].tolist():
            yield CellFinding(row, j, 0.97, "daymonth", day, reason)


def _out_of_order(cells: Cells, share: float) -> Iterator[CellFinding]:
    """Yield dates that fit between their neighbours if they are exchanged."""
    states = np.stack([cells.values, exchange_day_and_month(cells.values)])
    gain = _learnt_gains(states, share)
    exchanged = gain >= CLEAR
    right = np.where(exchanged, states[1], states[0])
    for i in np.flatnonzero(exchanged).tolist():
        beside = [day_text(right[k]) for k in (i - 1, i + 1) if 0 <= k < len(right)]
        where = f"between {beside[0]} and {beside[1]}" if len(beside) > 1 else f"beside {beside[0]}"
        probability = min(1.0 / (1.0 + float(np.exp(-gain[i]))), 0.96)
        yield _finding(cells, i, probability, right[i], f"stands {where}")


def _learnt_gains(states: FloatArray, share: float) -> FloatArray:
    """Return what exchanges gain, with the share that they have; zeros if these explain little."""
    costs, price = _step_costs(states), -float(np.log(share))
    none = np.zeros(states.shape[1])
    beside = np.append(costs[0, 0], 0.0) + np.insert(costs[0, 0], 0, 0.0)
    dear = beside >= price + CLEAR
    if not (dear & ~np.isnan(states[1])).any():
        return none
    for _ in range(ROUNDS):
        gain = _gains(costs, price)
        exchanged = gain >= CLEAR
        if exchanged.sum() < SEVERAL:
            break
        price = min(price, -float(np.log(exchanged.mean())))
    unlike = (dear & _is_extreme(states[0])) | exchanged
    explained = exchanged.sum() >= MIN_EXPLAINED * unlike.sum()
    return gain if explained and exchanged.mean() <= MAX_EXCHANGED else none


def _is_extreme(values: FloatArray) -> BoolArray:
    """Return which values lie on one side of both neighbours."""
    signs = np.sign(np.diff(values))
    return np.pad(signs[1:] * signs[:-1] < 0, 1)


def _step_costs(states: FloatArray) -> FloatArray:
    """Return the costs of steps from each state of a date to each of the next, (2, 2, n - 1)."""
    plain = np.diff(states[0])
    scale = max(float(np.median(np.abs(plain))), 1.0)
    shares = np.array([(plain < 0).sum(), (plain > 0).sum()]) + 1.0
    prices = np.log(shares.max() / shares)
    steps = states[np.newaxis, :, 1:] - states[:, np.newaxis, :-1]
    costs = np.log1p((steps / scale) ** 2) + np.where(steps < 0, prices[0], prices[1] * (steps > 0))
    return np.nan_to_num(costs, nan=np.inf)


def _gains(costs: FloatArray, price: float) -> FloatArray:
    """Return by how much the cheapest sequence is cheaper if a date is exchanged."""
    forwards = _cheapest(costs, price)
    backwards = _cheapest(costs[:, :, ::-1].swapaxes(0, 1), price)[:, ::-1]
    total = forwards + backwards
    return total[0] - (total[1] - price)  # the exchange itself is counted in both


def _cheapest(costs: FloatArray, price: float) -> FloatArray:
    """Return the costs of the cheapest sequences up to each date in each state, (2, n)."""
    a, b = 0.0, price
    found = [(a, b)]
    for aa, ab, ba, bb in costs.reshape(4, -1).T.tolist():
        a, b = min(a + aa, b + ba), min(a + ab, b + bb) + price
        found.append((a, b))
    return np.array(found).T


def _out_of_range(cells: Cells) -> Iterator[CellFinding]:
    """Yield dates beyond a gap that are among the others if they are exchanged."""
    n = len(cells.values)
    for side in (1, -1):
        order = np.argsort(side * cells.values, kind="stable")
        gap = widest_upper_gap(side * cells.values[order], max(1, int(MAX_BEYOND * n)))
        body, members = cells.values[order[: n - gap.k]], order[n - gap.k :]
        low, high = body.min(), body.max()
        days = exchange_day_and_month(cells.values[members])
        within = (days >= low) & (days <= high)
        if gap.width >= max(MIN_GAP, high - low) and within.all():
            where = f"is far from the others, from {day_text(low)} to {day_text(high)}"
            for i, day in zip(members.tolist(), days, strict=True):
                yield _finding(cells, i, 0.9, day, where)


def _finding(cells: Cells, i: int, probability: float, day: float, where: str) -> CellFinding:
    reason = f"{day_text(cells.values[i])} {where}; is it {day_text(day)}, day and month exchanged?"
    return cells.finding(i, probability, "daymonth", day, reason)
