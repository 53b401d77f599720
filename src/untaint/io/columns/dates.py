"""Dates and times, as days since 1970.

Years come first or last, days and months in either order. Which order it is, the cells say: a 13
cannot be a month. If they do not, points mean that days come first, and so do slashes, but then it
is noted that this is a guess.
"""

from typing import Any, NamedTuple

import numpy as np

from ..._typing import BoolArray, FloatArray
from ..arrow import pa, pc
from .levels import Levels, as_floats

_SHAPE = (
    r"^(?P<a>\d{1,4})(?P<mark>[-/.])(?P<b>\d{1,2})[-/.](?P<c>\d{1,4})"
    r"(?:[T ,]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d{1,9})?))?"
    r"\s*(?P<half>[AaPp])?(?:\.?[Mm]\.?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$"
)
_ANY = r"^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ,]|$)"
_SAMPLE = 200


class Dates(NamedTuple):
    """The days that levels stand for.

    Attributes
    ----------
    days : array of shape (k,)
        NaN where a level is no date.
    day_first : bool
        Whether the day precedes the month in dates whose year comes last.
    guessed : bool
        Whether the order is a guess, because no cell determines it.
    """

    days: FloatArray
    day_first: bool
    guessed: bool


def read_dates(levels: Levels, preferred: bool | None = None) -> Dates | None:
    """Read levels as dates, None if hardly any is one.

    Parameters
    ----------
    levels : Levels
    preferred : bool, optional
        Whether days come first, where the cells do not say.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from untaint.io.columns.dates import read_dates
    >>> from untaint.io.columns.levels import find_levels
    >>> read_dates(find_levels(pa.array(["2.1.1970", "1970-01-03 12:00"]))).days
    array([1. , 2.5])
    """
    if not _look_like_dates(levels):
        return None
    parts = pc.extract_regex(levels.texts, pattern=_SHAPE)
    a, b, c = (_integers(parts, name) for name in "abc")
    lengths = as_floats(pc.utf8_length(pc.struct_field(parts, "a")))
    time = _time_of_day(parts)
    year_first = lengths >= 3
    ymd = _days(a, b, c)
    dmy, mdy = _days(_full_year(c), b, a), _days(_full_year(c), a, b)
    day_first, guessed = _order(levels, ~year_first, dmy, mdy, preferred)
    if guessed and preferred is None:
        points = as_text(pc.struct_field(parts, "mark")) == "."
        guessed = bool((~points & ~year_first & (dmy != mdy) & ~np.isnan(dmy)).any())
    days = np.where(year_first, ymd, dmy if day_first else mdy) + time
    return Dates(np.where(levels.present, days, np.nan), day_first, guessed)


def _look_like_dates(levels: Levels) -> bool:
    """Return whether a few of the levels look like dates."""
    present = np.flatnonzero(levels.present)
    few = levels.texts.take(pa.array(present[:: max(1, len(present) // _SAMPLE)]))
    return 2 * (pc.sum(pc.match_substring_regex(few, _ANY)).as_py() or 0) > len(few)


def _order(
    levels: Levels, concerned: BoolArray, dmy: FloatArray, mdy: FloatArray, preferred: bool | None
) -> tuple[bool, bool]:
    """Return whether days come first, and whether that is a guess."""
    weights = levels.counts * (concerned & levels.present)
    first, second = (int(weights[~np.isnan(days)].sum()) for days in (dmy, mdy))
    if first != second:
        return first > second, False
    return (True if preferred is None else preferred), True


def _full_year(year: FloatArray) -> FloatArray:
    """Return years, where two digits stand for 1969 to 2068."""
    return np.where(year < 69, year + 2000, np.where(year < 100, year + 1900, year))


def _days(year: FloatArray, month: FloatArray, day: FloatArray) -> FloatArray:
    good = (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (year >= 1000)
    months = np.where(good, (year - 1970) * 12 + month - 1, 0).astype(np.int64)
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    date = first + (np.where(good, day, 1) - 1).astype(np.int64)
    good &= date.astype("datetime64[M]").astype(np.int64) == months  # no 30 February
    return np.where(good, date.astype(np.int64), np.nan)


def _time_of_day(parts: Any) -> FloatArray:
    """Return the time as a fraction of a day, less the time zone; NaN if it is invalid."""
    hour, minute = _integers(parts, "hour", 0), _integers(parts, "minute", 0)
    second = _integers(parts, "second", 0)
    half = as_text(pc.utf8_lower(pc.struct_field(parts, "half")))
    hour = np.where(half == "", hour, hour % 12 + 12 * (half == "p"))
    good = (hour < 24) & (minute < 60) & (second < 61)
    offset = np.array([_offset(zone) for zone in as_text(pc.struct_field(parts, "zone"))])
    return np.where(good, hour / 24 + minute / 1440 + second / 86400 - offset, np.nan)


def _offset(zone: str) -> float:
    if not zone or zone[0] not in "+-":
        return 0.0
    digits = zone[1:].replace(":", "").ljust(4, "0")
    return float(f"{zone[0]}1") * (int(digits[:2]) / 24 + int(digits[2:]) / 1440)


def _integers(parts: Any, name: str, absent: float = np.nan) -> FloatArray:
    texts = pc.replace_substring(pc.struct_field(parts, name), ",", ".")
    texts = pc.if_else(pc.equal(texts, ""), None, texts)
    values = as_floats(pc.cast(texts, pa.float64()))
    matched = ~np.asarray(parts.is_null())
    return np.where(matched & np.isnan(values), absent, values)


def as_text(array: Any) -> Any:
    """Return an Arrow array of strings, empty where it is null."""
    return np.asarray(pc.fill_null(array, "").to_pylist(), object)
