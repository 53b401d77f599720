"""Numbers as people write them: decimal commas, thousands in groups, a unit behind or before.

A column is written in one style. Of the styles that are possible, the one in which most cells are
numbers is taken; at equal parts, the plainest, in the file's own decimals.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray
from .arrow import pa, pc
from .columns.levels import Levels, as_bool, as_floats

# Part of the cells that must be numbers, or carry a sign, to call a column so.
ENOUGH = 0.9
_SAMPLE = 2000
_SIGNS = ("%", "€", "$", "£", "¥", "₹", "EUR", "USD", "GBP", "CHF", "kr", "zł")
_BEFORE = ("$", "£", "¥", "₹", "USD", "GBP", "CHF")
_GROUPS = {".": (",", " ", "'"), ",": (".", " ", "'")}
_ODD_SPACES = "[\u00a0\u2009\u202f]"
_ODD_MINUS = "\u2212"


class NumberStyle(NamedTuple):
    """The style in which numbers are written.

    Attributes
    ----------
    decimal : str
    group : str
        What stands between thousands, or nothing.
    sign : str
        A percent or currency sign, or nothing.
    """

    decimal: str = "."
    group: str = ""
    sign: str = ""


class Numbers(NamedTuple):
    """The numbers that levels stand for.

    Attributes
    ----------
    values : array of shape (k,)
        NaN where a level is no number.
    valid : bool array of shape (k,)
    style : NumberStyle
    """

    values: FloatArray
    valid: BoolArray
    style: NumberStyle


def read_numbers(levels: Levels, decimal: str, preferred: NumberStyle | None = None) -> Numbers:
    """Read levels as numbers, in the style in which most cells are.

    Parameters
    ----------
    levels : Levels
    decimal : {".", ","}
        What the file's decimals are.
    preferred : NumberStyle, optional
        A style to try before all others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from untaint.io.columns.levels import find_levels
    >>> from untaint.io.numbers import read_numbers
    >>> read_numbers(find_levels(pa.array(["$1,234.50", "$8"])), ".").values
    array([1234.5,    8. ])
    """
    texts = _plain_letters(levels.texts)
    sampled = np.linspace(0, len(texts) - 1, min(len(texts), _SAMPLE)).astype(int)
    few = texts.take(pa.array(sampled))
    weights = (levels.counts * levels.present)[sampled]
    best, best_count = NumberStyle(decimal), -1
    for style in _styles(few, weights, decimal, preferred):
        count = int(weights[_parse(few, style)[1]].sum())
        if count > best_count:
            best, best_count = style, count
        if count == weights.sum():
            break
    values, valid = _parse(texts, best)
    valid &= levels.present
    return Numbers(np.where(valid, values, np.nan), valid, best)


def read_plain(column: Any, decimal: str) -> FloatArray | None:
    """Return the numbers of a column of plain numbers and empty cells, else None, quickly.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from untaint.io.numbers import read_plain
    >>> read_plain(pa.array(["1", "2.5", ""]), ".")
    array([1. , 2.5, nan])
    """
    if decimal == ",":
        if pc.any(pc.match_substring(column, ".")).as_py():  # it may stand between thousands
            return None
        column = pc.replace_substring(column, ",", ".")
    empty = pc.equal(column, "")
    if pc.any(empty).as_py():
        column = pc.if_else(empty, None, column)
    try:
        return as_floats(pc.cast(column, pa.float64()))
    except pa.ArrowInvalid:
        return None


def write_number(value: float, style: NumberStyle) -> str:
    """Return a number in a style, thousands not grouped; empty if it is not finite.

    Examples
    --------
    >>> from untaint.io.numbers import NumberStyle, write_number
    >>> write_number(2.5, NumberStyle(",", "", "€")), write_number(-3.0, NumberStyle())
    ('2,5€', '-3')
    """
    if not math.isfinite(value):
        return ""
    whole = value == int(value) and abs(value) < 1e15
    text = str(int(value)) if whole else repr(float(value))
    text = text.replace(".", style.decimal)
    return style.sign + text if style.sign in _BEFORE else text + style.sign


def _styles(
    texts: Any, weights: Any, decimal: str, preferred: NumberStyle | None
) -> Iterator[NumberStyle]:
    if preferred is not None:
        yield preferred
    sign = _find_sign(texts, weights)
    for mark in (decimal, "," if decimal == "." else "."):
        yield NumberStyle(mark, "", sign)
        for group in _GROUPS[mark]:
            yield NumberStyle(mark, group, sign)


def _find_sign(texts: Any, weights: Any) -> str:
    """Return the percent or currency sign that almost all cells have."""
    for sign in _SIGNS:
        if weights[as_bool(pc.match_substring(texts, sign))].sum() >= ENOUGH * weights.sum() > 0:
            return sign
    return ""


def _plain_letters(texts: Any) -> Any:
    texts = pc.replace_substring_regex(texts, _ODD_SPACES, " ")
    return pc.replace_substring(texts, _ODD_MINUS, "-")


def _parse(texts: Any, style: NumberStyle) -> tuple[FloatArray, BoolArray]:
    if style.sign:
        texts = pc.replace_substring(texts, style.sign, "", max_replacements=1)
        texts = pc.utf8_trim_whitespace(pc.replace_substring_regex(texts, r"^([+-])\s+", r"\1"))
    valid = pc.match_substring_regex(texts, _shape(style))
    texts = pc.if_else(valid, texts, None)
    if style.group:
        texts = pc.replace_substring(texts, style.group, "")
    if style.decimal == ",":
        texts = pc.replace_substring(texts, ",", ".")
    return as_floats(pc.cast(texts, pa.float64())), as_bool(valid)


def _shape(style: NumberStyle) -> str:
    decimal, group = re.escape(style.decimal), re.escape(style.group)
    whole = rf"(?:\d+|[1-9]\d{{0,2}}(?:{group}\d{{3}})+)" if style.group else r"\d+"
    return (
        rf"^[+-]?(?:(?:{whole}(?:{decimal}\d*)?|{decimal}\d+)(?:[eE][+-]?\d+)?"
        r"|(?i:inf|infinity))$"
    )
