r"""Two numbers of a row that stand in each other's column.

Let :math:`I_a` be the range of usual values of column a: from the 10th to the 90th percentile, and
half as far again on either side, on the scale of logarithms if nearly all values are positive; and
:math:`J_a` that with the same distance on either side. Values x of a and y of b look swapped if

.. math:: x \in I_b \setminus J_a, \qquad y \in I_a \setminus J_b .

Of the other rows let a part :math:`e_a` have values of a in :math:`I_b \setminus J_a`, and
:math:`e_b` the reverse. If these were independent, :math:`n\, e_a e_b` rows would look swapped by
chance. The probability that m rows are is one less that number, times the pairs of columns that
were tried, over m. Columns whose ranges overlap have large :math:`e`, and no findings.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..._typing import BoolArray, FloatArray, IntArray
from ...io.columns.column import Column
from ..distinct import has_values
from ..finding import CellFinding
from .inputs import names_code
from .wording import number_text, quoted

FEWEST = 50
MIN_DISTINCT = 20
# Quantiles, and what is added to the range between them on either side: of usual values, and of all
# that are not far from these.
INNER, BEYOND, FAR_BEYOND = 0.1, 0.5, 1.0
# Part of the values that must be positive for logarithms.
POSITIVE = 0.9
# Rows that look swapped are at most this part of all, and probable at least this much.
MAX_SHARE, PROBABLE = 0.1, 0.9
HIGHEST = 0.97


class _Usual(NamedTuple):
    """A column, the range of its usual values, and which lie far beyond it."""

    position: int
    values: FloatArray
    usual: FloatArray
    far: BoolArray

    def holds(self, values: FloatArray) -> BoolArray:
        return np.asarray((values >= self.usual[0]) & (values <= self.usual[1]))


def find_swaps(columns: Sequence[Column]) -> list[CellFinding]:
    """Find pairs of numbers that stand in each other's column.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.swap import find_swaps
    >>> from untaint.io.columns.column import Column
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(170, 8, 100), rng.normal(30, 3, 100)])
    >>> X[7] = X[7, ::-1]
    >>> columns = [Column(name, "number", np.isnan(x), x) for name, x in zip("ab", X.T)]
    >>> [(finding.row, finding.column) for finding in find_swaps(columns)]
    [(7, 0), (7, 1)]
    """
    ranges = (_usual(j, column) for j, column in enumerate(columns))
    usual = [one for one in ranges if one is not None]
    n_pairs = len(usual) * (len(usual) - 1) // 2
    found: list[CellFinding] = []
    for a, b in combinations([one for one in usual if one.far.any()], 2):
        rows, probability = _swapped(a, b, n_pairs)
        for row in rows.tolist():
            found += _findings(columns, a.position, b.position, row, probability)
    return found


def _usual(position: int, column: Column) -> _Usual | None:
    """Return the range of usual values of a column of numbers, None if they are few."""
    if column.kind != "number" or column.values is None or names_code(column.name):
        return None
    present = column.values[~column.missing]
    if len(present) < FEWEST or not has_values(present, MIN_DISTINCT):
        return None
    logarithmic = bool((present > 0).mean() >= POSITIVE)
    present = np.log(present[present > 0]) if logarithmic else present
    low, high = np.quantile(present, [INNER, 1 - INNER])
    usual, near = (
        np.array([low - part * (high - low), high + part * (high - low)])
        for part in (BEYOND, FAR_BEYOND)
    )
    if logarithmic:
        usual, near = np.exp(usual), np.exp(near)
    values = np.where(column.missing, np.nan, column.values)
    far = np.asarray((values < near[0]) | (values > near[1]))
    return _Usual(position, values, usual, far)


def _swapped(a: _Usual, b: _Usual, n_pairs: int) -> tuple[IntArray, float]:
    """Return rows that look swapped, none if chance may explain them, and the probability."""
    none = np.empty(0, np.intp), 0.0
    if not (a.far & b.far).any():
        return none
    there, here = b.holds(a.values) & a.far, a.holds(b.values) & b.far
    swapped = there & here
    m, n = int(swapped.sum()), int((~np.isnan(a.values) & ~np.isnan(b.values)).sum())
    if m == 0 or m > MAX_SHARE * n:
        return none
    by_chance = (there.sum() - m + 1) * (here.sum() - m + 1) / n * n_pairs
    probability = min(1 - by_chance / m, HIGHEST)
    return (np.flatnonzero(swapped), probability) if probability >= PROBABLE else none


def _findings(
    columns: Sequence[Column], a: int, b: int, row: int, probability: float
) -> Iterator[CellFinding]:
    for own, other in ((a, b), (b, a)):
        x, y = columns[own].values, columns[other].values
        assert x is not None and y is not None
        reason = (
            f"{number_text(x[row])} is usual in {quoted(columns[other].name)} and "
            f"{number_text(y[row])}, which stands there, in {quoted(columns[own].name)}, "
            "so that they look swapped."
        )
        yield CellFinding(row, own, probability, "swap", float(y[row]), reason)
