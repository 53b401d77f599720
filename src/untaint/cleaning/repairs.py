"""Repairs: what takes the place of a wrong cell, and in which rows.

A cell is repaired if it is wrong with a probability of at least 0.9 and what it should hold is
known: a mistake that can be undone, such as a slipped decimal point or an exchange of two cells, a
misspelt level, or a prediction within 10 %. A row is repaired if all its wrong cells are, and
dropped otherwise. A number that only the model of it contradicts is not known well enough, nor is a
label, unless some labels are certainly wrong and a model without the flagged ones is better, or the
share of wrong ones was given.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from ..cells import CellFinding
from ..cells.checks.day_month import exchanged_text
from ..io import Column, RawTable
from ..io.numbers import NumberStyle, write_number

PROBABLE = 0.9
# Decimals that a number may have.
DECIMALS = 12

Value = float | str


def repaired_rows(findings: Sequence[CellFinding]) -> dict[int, list[CellFinding]]:
    """Return the findings of each row all of whose wrong cells can be repaired."""
    by_row: dict[int, list[CellFinding]] = {}
    for found in findings:
        by_row.setdefault(found.row, []).append(found)
    return {row: own for row, own in by_row.items() if all(is_repairable(f) for f in own)}


def is_repairable(found: CellFinding) -> bool:
    """Return whether a cell is to be replaced by what is expected.

    Examples
    --------
    >>> is_repairable(CellFinding(0, 0, 0.99, "typo", "London", ""))
    True
    >>> is_repairable(CellFinding(0, 0, 0.99, "sentinel", None, ""))
    False
    """
    known = found.expected is not None and found.certain
    return known and found.probability >= PROBABLE


def repaired_texts(
    table: RawTable, columns: Sequence[Column], findings: Sequence[CellFinding]
) -> dict[int, dict[int, str]]:
    """Return what repaired cells should say, by position of their column and by row."""
    texts: dict[int, dict[int, str]] = {}
    for row, own in repaired_rows(findings).items():
        written = [_text(table, columns, found, own) for found in own]
        if None in written:
            continue
        for found, text in zip(own, written, strict=True):
            texts.setdefault(found.column, {})[row] = str(text)
    return texts


def rounded(column: Column, value: float) -> float:
    """Return a number with as many decimals as almost all of its column have."""
    assert column.values is not None
    values = column.values[~column.missing]
    for decimals in range(DECIMALS):
        if np.isclose(values, np.round(values, decimals), rtol=1e-12, atol=0.0).mean() > 0.95:
            return round(value, decimals)
    return value


def _text(
    table: RawTable, columns: Sequence[Column], found: CellFinding, own: Sequence[CellFinding]
) -> str | None:
    column, expected = columns[found.column], found.expected
    if found.kind == "swap":
        partner = next((f for f in own if f.kind == "swap" and f.column != found.column), None)
        return None if partner is None else table.cell(found.row, partner.column)
    if found.kind == "daymonth":
        return exchanged_text(table.cell(found.row, found.column))
    if isinstance(expected, str):
        return expected
    assert expected is not None
    if column.kind == "date":
        day = str(np.datetime64(round(expected), "D"))
        iso = table.cell(found.row, found.column)[4:5] == "-"
        return day if iso else None
    style: Mapping[str, object] = column.details
    parts = style.get("style", (table.dialect.decimal, "", ""))
    return write_number(rounded(column, expected), NumberStyle(*parts))  # type: ignore[misc]
