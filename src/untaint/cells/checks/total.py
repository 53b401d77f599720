"""Rows of totals above or below a table: "Total,1218,…,5963912".

The first and the last two rows are looked at. One is reported if a cell of it alone in its column
says total, sum, mean or the like, or if a number of it is the sum of all others of its column to
four digits and three times as large as any of them. What the row holds is no mistake: it has no
expected value, and no other check sees it.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from ...io.columns.column import Column
from ..finding import CellFinding
from .wording import number_text, quoted

FEWEST = 30
# How many times as large as any other number a sum is, and to which part it is known.
LARGER, CLOSE = 3.0, 1e-4
WORDS = frozenset(
    (
        *("total", "totals", "grand total", "sum", "subtotal", "mean", "average", "total general"),
        *("summe", "gesamt", "gesamtsumme", "insgesamt", "mittel", "mittelwert", "durchschnitt"),
        *("totale", "somme", "moyenne", "suma", "media", "promedio", "totaal", "gemiddelde"),
    )
)


def find_totals(columns: Sequence[Column]) -> list[CellFinding]:
    """Find rows of totals.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.total import find_totals
    >>> from untaint.io.columns.column import Column
    >>> x = np.append(np.arange(40.0), 780)
    >>> print(find_totals([Column("x", "number", np.isnan(x), x)])[0].reason)
    780 is the sum of all others: the row is a total.
    """
    n = len(columns[0].missing) if columns else 0
    if n < FEWEST:
        return []
    found = [
        CellFinding(row, j, 0.99, "total", None, why)
        for row in (0, n - 2, n - 1)
        for j, column in enumerate(columns)
        if (why := _why(column, row))
    ]
    return list({one.row: one for one in reversed(found)}.values())


def _why(column: Column, row: int) -> str:
    """Return why a row is a total by one of its cells, or nothing."""
    if column.levels is not None and (code := int(column.levels.codes[row])) >= 0:
        text = str(column.levels.texts[code])
        alone = int((column.levels.codes == code).sum()) == 1
        if alone and text.strip(" :.").casefold() in WORDS:
            return f"{quoted(text)} says that the row sums up the others."
    if column.kind != "number" or column.values is None or column.missing[row]:
        return ""
    value, present = float(column.values[row]), ~column.missing
    present[row] = False
    others = column.values[present]
    if len(others) < FEWEST or abs(value) < LARGER * np.abs(others).max():
        return ""
    is_sum = abs(value - others.sum()) <= CLOSE * abs(value) and np.count_nonzero(others) >= FEWEST
    return f"{number_text(value)} is the sum of all others: the row is a total." if is_sum else ""


def without_rows(columns: Sequence[Column], rows: Collection[int]) -> list[Column]:
    """Return columns that miss all cells of some rows."""
    if not rows:
        return list(columns)
    out = np.zeros(len(columns[0].missing), dtype=bool)
    out[list(rows)] = True
    return [
        replace(
            column,
            missing=column.missing | out,
            values=None if column.values is None else np.where(out, np.nan, column.values),
        )
        for column in columns
    ]
