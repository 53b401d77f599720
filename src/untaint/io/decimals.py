"""Detection of decimal commas, which a file has only if commas do not separate its fields.

A cell like ``3,14`` speaks for commas and one like ``3.14`` against them; ``1,234`` may be either.
If nothing else is found, semicolons decide: they are what spreadsheets separate fields with where
commas are decimal.
"""

import re
from typing import Any

from .arrow import pa, pc

_BEFORE, _AFTER = r"^\s*[€$£]?\s*[+-]?", r"\s*(%|€|\$|£|[A-Z]{3})?\s*$"
_EITHER = rf"{_BEFORE}[1-9]\d{{0,2}},\d{{3}}{_AFTER}"
_SAMPLE = 2000


def _unambiguous_shape(mark: str, group: str) -> str:
    """Return a pattern of numbers whose mark cannot separate thousands."""
    forms = (
        rf"\d+{mark}(\d{{1,2}}|\d{{4,}})",
        rf"0{mark}\d+",
        rf"\d{{4,}}{mark}\d+",
        rf"\d{{1,3}}({group}\d{{3}})+{mark}\d+",
    )
    return f"{_BEFORE}({'|'.join(forms)}){_AFTER}"


def find_decimal(columns: list[Any], delimiter: str) -> str:
    """Return the decimal mark of a file, given its columns: Arrow arrays, or lists of text."""
    if delimiter == ",":
        return "."
    shapes = (_unambiguous_shape(",", r"\."), _unambiguous_shape(r"\.", ","), _EITHER)
    columns = [column for column in columns if _has_commas(column)]
    if not columns:
        return "."
    for step in sorted({max(1, len(columns[0]) // _SAMPLE), 1}, reverse=True):
        sample = [_every(step, column) for column in columns] if step > 1 else columns
        comma, point, either = (sum(_count(cells, shape) for cells in sample) for shape in shapes)
        if comma or point:
            return "," if comma > point else "."
        if either:
            return "," if delimiter == ";" else "."
    return "."


def _has_commas(column: Any) -> bool:
    if isinstance(column, list):
        return any("," in cell for cell in column)
    return bool(pc.any(pc.match_substring(column, ",")).as_py())


def _every(step: int, column: Any) -> Any:
    if isinstance(column, list):
        return column[::step]
    return column.take(pa.array(range(0, len(column), step)))


def _count(column: Any, shape: str) -> int:
    if isinstance(column, list):
        return sum(re.search(shape, cell, re.ASCII) is not None for cell in column)
    return pc.sum(pc.match_substring_regex(column, shape)).as_py() or 0
