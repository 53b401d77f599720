"""The distinct texts of a column, read as numbers, as yes and no, or as dates.

Yes and no are the words that people use for them; 0 and 1 are numbers.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..._typing import BoolArray, FloatArray
from ..numbers import NumberStyle, read_numbers
from .column import Kind
from .dates import read_dates
from .levels import Levels

KINDS: tuple[Kind, ...] = ("number", "boolean", "date")


class Parsed(NamedTuple):
    """The values that levels stand for, and which of the levels are such values.

    ``guess`` is what was assumed of them without evidence, in words.
    """

    kind: Kind
    values: FloatArray
    valid: BoolArray
    details: Mapping[str, Any] = {}
    guess: str = ""


def parse_levels(
    levels: Levels, kind: str, decimal: str, known: Mapping[str, Any] | None = None
) -> Parsed | None:
    """Read levels as values of a kind, None if hardly any is one.

    Parameters
    ----------
    levels : Levels
    kind : {"number", "boolean", "date"}
    decimal : {".", ","}
        What the file's decimals are.
    known : mapping, optional
        Details of the same column in an earlier table, which decide where the cells do not.
    """
    if kind == "number":
        style = None if known is None or "style" not in known else NumberStyle(*known["style"])
        numbers = read_numbers(levels, decimal, style)
        return Parsed("number", numbers.values, numbers.valid, {"style": tuple(numbers.style)})
    if kind == "boolean":
        booleans = read_booleans(levels, strict=known is None)
        return None if booleans is None else Parsed("boolean", booleans, ~np.isnan(booleans))
    dates = read_dates(levels, None if known is None else bool(known.get("day_first", True)))
    if dates is None:
        return None
    guess = ""
    if dates.guessed and known is None:
        guess = f"the {'day' if dates.day_first else 'month'} comes first"
    return Parsed("date", dates.days, ~np.isnan(dates.days), {"day_first": dates.day_first}, guess)


_PAIRS = (
    *(("true", "false"), ("yes", "no"), ("t", "f"), ("y", "n"), ("on", "off"), ("ja", "nein")),
    *(("wahr", "falsch"), ("j", "n"), ("oui", "non"), ("vrai", "faux"), ("si", "no")),
    *(("sí", "no"), ("sim", "não"), ("sì", "no"), ("ja", "nee"), ("ja", "nej"), ("tak", "nie")),
)
_YES = {yes for yes, _ in _PAIRS} | {"1"}
_NO = {no for _, no in _PAIRS} | {"0"}


def read_booleans(levels: Levels, *, strict: bool = True) -> FloatArray | None:
    """Return 1 for yes and 0 for no, by level; None if the levels are not one such pair.

    Parameters
    ----------
    levels : Levels
    strict : bool, default=True
        False takes any of the words, and has NaN for others.
    """
    if strict and int(levels.present.sum()) > 2**3:  # a word in all its cases, and then some
        return None
    words = [str(text).lower() for text in levels.texts.to_pylist()]
    words_present = {word for word, says in zip(words, levels.present, strict=True) if says}
    if strict:
        pair = next((pair for pair in _PAIRS if words_present == set(pair)), None)
        if pair is None:
            return None
        return np.array([_value(word, {pair[0]}, {pair[1]}) for word in words])
    return np.array([_value(word, _YES, _NO) for word in words])


def _value(word: str, yes: set[str], no: set[str]) -> float:
    return 1.0 if word in yes else 0.0 if word in no else np.nan
