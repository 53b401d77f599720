"""Runs of one value in a column that otherwise changes from row to row.

If neighbouring rows are equal with the probability q, n rows have n q^(L - 1) runs of L rows on
average. A run is reported if L >= 5, q <= 0.1 and that number is below 1e-6. For q the largest is
taken of

- the share of equal neighbours elsewhere;
- the share of the run's value elsewhere;
- the share of pairs of equal neighbours elsewhere that a third equal one follows, if there are
  enough of them, as there are in columns that are constant by blocks.

Where values are rounded and change slowly, equal neighbours are usual: the median step within ten
rows of the run has to be at least five times the smallest step of the column. Runs over the same
rows in several columns are blocks of the table and left alone.

The column has to be continuous and not sorted, and the value has to be neither 0 nor the smallest
nor the largest one, at which values are often cut off. A run is at most a tenth of the column. The
first row of a run may be right.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from ..._typing import FloatArray, IntArray
from ...io.columns.column import Column
from ..finding import CellFinding
from .inputs import names_code, runs
from .wording import number_text

FEWEST = 50
MIN_RUN = 5
# Longer runs, in rows of the column, are how the table was made.
MAX_SHARE = 0.1
PROBABILITY = 0.9
MAX_EXPECTED = 1e-6
# A continuous column has so many distinct values, and so many of them per value.
MIN_DISTINCT = 30
MIN_DISTINCT_SHARE = 0.3
# Largest share of equal neighbours elsewhere, and of steps in one direction.
MAX_EQUAL = 0.1
MAX_SORTED = 0.8
# Rows around a run, and their median step in smallest steps.
AROUND = 10
MIN_STEP = 5.0
# Pairs of equal neighbours from which it is seen how they go on.
MIN_PAIRS = 3


def find_stuck(columns: Sequence[Column]) -> list[CellFinding]:
    """Find runs of one value.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.stuck import find_stuck
    >>> from untaint.io.columns.column import Column
    >>> x = np.random.default_rng(0).normal(size=200)
    >>> x[100:106] = x[100]
    >>> [finding.row for finding in find_stuck([Column("x", "number", np.isnan(x), x)])]
    [101, 102, 103, 104, 105]
    """
    by_rows: dict[tuple[int, int], list[CellFinding]] = {}
    blocks = set()
    for j, column in enumerate(columns):
        if column.kind != "number" or column.values is None or names_code(column.name):
            continue
        for start, length, q in _stuck_runs(column.values):
            if (start, length) in by_rows:
                blocks.add((start, length))
            by_rows[start, length] = _findings(j, column.values[start], start, length, q)
    return [
        finding for rows, findings in by_rows.items() if rows not in blocks for finding in findings
    ]


def _stuck_runs(values: FloatArray) -> Iterator[tuple[int, int, float]]:
    """Yield start and length of improbable runs, with the share of equal neighbours elsewhere."""
    if len(values) < FEWEST:
        return
    equal = values[1:] == values[:-1]
    starts, lengths = runs(equal)
    long = lengths >= MIN_RUN
    if not long.any() or equal.sum() - (lengths[long] - 1).sum() > MAX_EQUAL * len(equal):
        return
    present = values[~np.isnan(values)]
    distinct = len(np.unique(present))
    if distinct < max(MIN_DISTINCT, MIN_DISTINCT_SHARE * len(present)) or _is_sorted(present):
        return
    ends = present.min(), present.max()
    for start, length in zip(starts[long].tolist(), lengths[long].tolist(), strict=True):
        if values[start] in (0, *ends) or length > max(MIN_RUN, MAX_SHARE * len(present)):
            continue
        if not _changes_around(values, start, length):
            continue
        q = _share_equal(present, float(values[start]), length, lengths)
        if q <= MAX_EQUAL and len(present) * q ** (length - 1) < MAX_EXPECTED:
            yield start, length, q


def _changes_around(values: FloatArray, start: int, length: int) -> bool:
    """Return whether the rows around a run change by more than rounding."""
    before, after = values[max(0, start - AROUND) : start], values[start + length :][:AROUND]
    local = np.abs(np.append(np.diff(before), np.diff(after)))
    local = local[~np.isnan(local)]
    steps = np.abs(np.diff(values))
    smallest = np.quantile(steps[steps > 0], 0.01) if (steps > 0).any() else np.inf
    return bool(len(local)) and bool(np.median(local) >= MIN_STEP * smallest)


def _findings(j: int, value: float, start: int, length: int, q: float) -> list[CellFinding]:
    reason = (
        f"{number_text(value)} stands in {length} rows in succession, "
        f"where neighbouring rows are equal in {100 * q:.2g} % elsewhere."
    )
    rows = range(start + 1, start + length)
    return [CellFinding(row, j, PROBABILITY, "stuck", None, reason) for row in rows]


def _share_equal(present: FloatArray, value: float, length: int, lengths: IntArray) -> float:
    """Return the share of equal neighbours outside of a run, at the most pessimistic."""
    n = len(present)
    pairs = int((lengths - 1).sum()) - (length - 1)
    others = n - length
    elsewhere = int((present == value).sum()) - length
    q = max((pairs + 1) / (others + 1), (elsewhere + 1) / (others + 1))
    # After two equal values, how often is the third one equal?
    begun = len(lengths) - 1
    if begun >= MIN_PAIRS:
        q = max(q, (pairs - begun) / pairs)
    return min(q, 1.0)


def _is_sorted(present: FloatArray) -> bool:
    steps = np.diff(present)
    steps = steps[steps != 0]
    return not len(steps) or max((steps > 0).mean(), (steps < 0).mean()) > MAX_SORTED
