"""Mistakes that turn a number into another: what the right one would have been.

A mistake is a likely explanation of a far cell if the number that it began with is a usual one.
"""

import re
from collections.abc import Callable
from typing import NamedTuple, final

import numpy as np

from .._typing import FloatArray
from .digits import exchange_digits

POWERS = (10.0, 100.0, 1000.0)
DAYS_PER_YEAR = 365.2425


@final
class Mistake(NamedTuple):
    """A mistake: its name, words for it, a priori odds among mistakes, and how it is undone.

    One that keeps the digits moves the decimal point only.
    """

    kind: str
    words: str
    prior: float
    undo: Callable[[FloatArray], FloatArray]
    keeps_digits: bool = False


def _factor(kind: str, factor: float, prior: float, large: str, small: str) -> list[Mistake]:
    """Return that a number is too large by a factor, and that it is too small."""
    return [
        Mistake(kind, f"{large}?", prior, lambda x: x / factor, factor in POWERS),
        Mistake(kind, f"{small}?", prior, lambda x: x * factor, factor in POWERS),
    ]


def _exchange(k: int, prior: float) -> Mistake:
    """Return that significant digits k and k + 1 are exchanged."""
    return Mistake("digits", "are two digits exchanged?", prior, lambda x: exchange_digits(x, k))


POINT, UNIT = "a slipped decimal point", "another unit"
NUMERIC: tuple[Mistake, ...] = (
    Mistake("sign", "is the sign wrong?", 0.1, lambda x: -x),
    *_factor("decimal", 10.0, 0.1, f"10 times as much, {POINT}", f"a tenth, {POINT}"),
    *_factor("unit", 100.0, 0.04, f"100 times as much, {UNIT}", f"a hundredth, {UNIT}"),
    *_factor("unit", 1000.0, 0.06, f"1,000 times as much, {UNIT}", f"a thousandth, {UNIT}"),
    *_factor("unit", 2.54, 0.03, "centimetres for inches", "inches for centimetres"),
    *_factor("unit", 2.20462, 0.03, "pounds for kilograms", "kilograms for pounds"),
    *_factor("unit", 1.609344, 0.01, "kilometres for miles", "miles for kilometres"),
    *_factor("unit", 4.184, 0.005, "joules for calories", "calories for joules"),
    *_factor("unit", 3.28084, 0.01, "feet for metres", "metres for feet"),
    *(_exchange(k, 0.01) for k in (1, 2, 3)),
)
TEMPERATURES: tuple[Mistake, ...] = (
    Mistake("unit", "degrees Fahrenheit for Celsius?", 0.03, lambda x: (x - 32.0) / 1.8),
    Mistake("unit", "degrees Celsius for Fahrenheit?", 0.03, lambda x: 1.8 * x + 32.0),
)
DATES: tuple[Mistake, ...] = tuple(
    Mistake("date", words, prior, lambda x, days=days: x - days)  # type: ignore[misc]
    for years, prior in ((1, 0.1), (2, 0.04), (3, 0.02), (10, 0.02), (100, 0.1))
    for sign, side in ((1, "too late"), (-1, "too early"))
    for words, days in [
        (f"{years} year{'s' if years > 1 else ''} {side}?", sign * np.round(years * DAYS_PER_YEAR))
    ]
)
_TEMPERATURE = re.compile(r"temp|celsius|fahrenheit|°", re.IGNORECASE)


def is_temperature(name: str) -> bool:
    """Return whether a column is one of temperatures, by its name.

    Examples
    --------
    >>> is_temperature("temp_max"), is_temperature("price")
    (True, False)
    """
    return _TEMPERATURE.search(name) is not None


#: Any other number.
OTHER = "other"
OTHER_PRIOR = 0.3
