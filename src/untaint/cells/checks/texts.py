"""Cells that are no number in a column of numbers, or no date in a column of dates.

Such a column has text levels of which some count as missing though they say something. A level is
reported if at most max(2, n / 100) of n rows, and 10, have it, as one that occurs more often
("trace", "other") is a code with a meaning, and if it is neither a word for a missing value, nor
infinite ("inf", "1e400"), nor a bound such as "<5", "7+" or "2-3", nor a key such as "136A". Where
exactly one number stands in the text, as in "12 kg" or "l2.5", that one is expected.
"""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._typing import BoolArray
from ...io.columns.column import Column
from ...io.columns.levels import Levels
from ..finding import CellFinding
from .inputs import names_code
from .wording import quoted

MAX_SHARE = 0.01
MAX_ROWS = 10
# Words for a missing value, beyond those that are recognised when a table is read.
MISSING_WORDS = frozenset(
    (
        *("unknown", "unk", "undefined", "unspecified", "unavailable", "blank", "empty", "nil"),
        *("void", "nd", "tbd", "tba", "x", "xx", "xxx", "*", "**", "***", "...", "..", "---"),
        *("n.a.", "n.a", "n.d.", "na.", "nr", "n.r.", "not available", "not applicable"),
        *("no data", "not known", "refused", "not recorded", "no answer", "don't know"),
        *("#value!", "#div/0!", "#ref!", "#num!", "#name?", "not reported", "none reported"),
    )
)
_NUMBER = re.compile(r"[-+]?\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?")
# Numbers that are known to be larger or smaller than a bound.
_BOUND = re.compile(r"^(?:[<>≤≥~]=?\s*[-\d.,]+|[-\d.,]+\s*\+|[\d.,]+\s*(?:-|–|to)\s*[\d.,]+)$")
# Keys of which one has a letter: 136A among family numbers, section A.
_CODE = re.compile(r"^(?:[A-Za-z]|[A-Za-z]\d+|\d+[A-Za-z])$")
# Letters that stand for a digit, next to another digit.
_LOOKALIKES = {"o": "0", "O": "0", "l": "1", "I": "1", "S": "5", "B": "8"}
_LOOKALIKE = re.compile(r"(?<=\d)[oOlISB](?=$|[\d.,])|(?:^|(?<=-))[oOlI](?=[\d.,])")
_KINDS = {"number": "no number, as {n:,} other cells are", "date": "no date, as {n:,} others are"}


def find_unreadable(columns: Sequence[Column]) -> list[CellFinding]:
    """Find text in columns of numbers and of dates.

    Examples
    --------
    >>> import pandas
    >>> from untaint.cells.checks.texts import find_unreadable
    >>> from untaint.io.columns.read import read_columns
    >>> from untaint.io.frame import frame_table
    >>> cells = [str(2 * i + i % 3) for i in range(99)] + ["1O5"]
    >>> columns = read_columns(frame_table(pandas.DataFrame({"x": cells})))
    >>> find_unreadable(columns)[0].expected, find_unreadable(columns)[0].reason
    (105.0, "'1O5' is no number, as 99 other cells are; 105 may be meant.")
    """
    found = []
    for j, column in enumerate(columns):
        if column.kind in _KINDS and column.levels is not None and not names_code(column.name):
            found += _unreadable_of(j, column, column.levels)
    return found


def unreadable(column: Column) -> BoolArray:
    """Return the rows whose text is neither a value of the column nor a word for missing."""
    if column.levels is None or column.values is None:
        return np.zeros(len(column.missing), bool)
    odd: BoolArray = column.missing & column.levels.spread(column.levels.present, False)
    return odd


def _unreadable_of(j: int, column: Column, levels: Levels) -> list[CellFinding]:
    rows = np.flatnonzero(unreadable(column))
    if not len(rows):
        return []
    found = []
    n = int((~column.missing).sum())
    codes = levels.codes[rows]
    for code in np.unique(codes):
        text, count = str(levels.texts[int(code)]), int(levels.counts[code])
        if count > min(max(2, MAX_SHARE * n), MAX_ROWS) or _means_something(text):
            continue
        expected = None
        if column.kind == "number":
            expected = _number_in(text, column.details.get("style", (".",)))
        meant = "" if expected is None else f"; {expected:.15g} may be meant"
        reason = f"{quoted(text)} is {_KINDS[column.kind].format(n=n)}{meant}."
        found += [
            CellFinding(int(row), j, 0.97, "text", expected, reason) for row in rows[codes == code]
        ]
    return sorted(found, key=lambda finding: finding.row)


def _means_something(text: str) -> bool:
    """Return whether a text is a word for missing, an infinite number, a bound or a key."""
    key = _CODE.match(text) and not _LOOKALIKE.search(text)
    return bool(text.lower() in MISSING_WORDS or _is_infinite(text) or _BOUND.match(text) or key)


def _is_infinite(text: str) -> bool:
    """Return whether a number is infinite, or too large for double precision."""
    try:
        return math.isinf(float(text.replace(",", ".")))
    except ValueError:
        return False


def _number_in(text: str, style: Sequence[Any]) -> float | None:
    """Return the only number that a text contains, if there is one."""
    plain = _LOOKALIKE.sub(lambda match: _LOOKALIKES[match.group()], text)
    numbers = _NUMBER.findall(plain)
    if len(numbers) != 1:
        return None
    number = numbers[0]
    group = style[1] if len(style) > 1 else ""
    if group == "," and style[0] == ".":
        number = number.replace(",", "")
    if re.fullmatch(r"[-+]?[1-9]\d{0,2}[.,]\d{3}", number):
        return None  # 447.600 may be a number with a thousands separator
    return float(number.replace(",", "."))
