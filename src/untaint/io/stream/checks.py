"""Checks that cells are finite numbers that fit into a dtype, and messages for those that are not.

Whole blocks are checked with two reductions. Only once a block has failed are its cells checked one
by one, to find the first error.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import shortened

FLOAT64 = np.dtype(np.float64)


def fits(values: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Return whether all values are finite, and stay so in ``dtype``."""
    if values.size == 0 or values.dtype.kind == "b":
        return True
    largest = float(np.finfo(dtype).max)
    # NaN spreads through max and min, and compares false. Python's floats, because NumPy would turn
    # the bound into the narrower dtype of the values, where it may be infinite.
    return float(values.max()) <= largest and float(values.min()) >= -largest


def parse(cells: Sequence[str], decimal: str = ".") -> NDArray[np.float64]:
    """Parse numbers, or raise ValueError.

    This is Python's float, but without underscores between digits: "2020_1" is a name. Where
    commas are decimal, points are not: they may separate thousands.
    """
    letters = "".join(cells)
    if "_" in letters or (decimal == "," and "." in letters):
        raise ValueError("these letters are no part of a number")
    plain = cells if decimal == "." else (cell.replace(decimal, ".") for cell in cells)
    return np.fromiter(map(float, plain), np.float64, count=len(cells))


def text_error(cell: str, dtype: np.dtype[Any], decimal: str = ".") -> str | None:
    """Return what is wrong with a cell of a text file, None if it is a valid number."""
    if not cell.strip():
        return "is empty"
    try:
        value = parse([cell], decimal)
    except ValueError:
        return f"should be a number, found {shortened(cell)}"
    return None if fits(value, dtype) else _range_error(float(value[0]), cell, dtype)


def value_error(value: Any, dtype: np.dtype[Any]) -> str | None:
    """Return what is wrong with a cell of an array or frame, where text is never a number."""
    if _is_missing(value):
        return "is empty"
    try:
        number = None if isinstance(value, (str, bytes)) else float(value)
    except (TypeError, ValueError):
        number = None
    if number is None:
        return f"should be a number, found {shortened(value)}"
    return None if fits(np.array([number]), dtype) else _range_error(number, number, dtype)


def label_error(value: Any) -> str | None:
    """Return what is wrong with a label, which should be text."""
    if isinstance(value, str):
        return None if value.strip() else "is empty"
    missing = _is_missing(value) or value != value
    return "is empty" if missing else f"should be text, found {shortened(value)}"


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NA or NaT; NaN counts as a number that is not finite."""
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _range_error(value: float, found: object, dtype: np.dtype[Any]) -> str:
    if np.isfinite(value):
        return f"should fit into {dtype.name}, found {shortened(found)}"
    return f"should be a finite number, found {shortened(found)}"
