"""Two numbers of a row that stand in each other's column.

For columns a and b let z_a(v) be the distance of v from the median of a, in robust deviations of
the side that v is on: (q90 - median) / 1.282 above, (median - q10) / 1.282 below; logarithms are
taken if both columns are positive. Values x of a and y of b are called swapped if

    z_a(x) >= 5,  z_b(y) >= 5,  z_a(y) <= 2,  z_b(x) <= 2,

if in each column at most 2 % of the values are so, and if the ranges of the columns are different:
at most 1 % of the values of either lie within 2.5 deviations of the other's median. Rows with far
values in more than four columns are odd altogether and left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..._typing import FloatArray, IntArray
from ...tables.column import Column
from ..finding import CellFinding
from .inputs import names_code
from .wording import number_text, quoted

FEWEST = 50
MIN_DISTINCT = 20
FAR = 5.0
NEAR = 2.0
# Rows that are far in more columns are odd altogether.
MAX_FAR = 4
# Deviations within which values of the other column are counted, and how many there may be.
WITHIN = 2.5
MAX_OVERLAP = 0.01
MAX_SHARE = 0.02
# The quantile of the normal law that 90 % lie below.
_Q90 = 1.2816


class _Scale(NamedTuple):
    """A column on one scale, with the rows far from its median."""

    position: int
    values: FloatArray
    quantiles: FloatArray
    far: IntArray

    def deviations(self, values: FloatArray) -> FloatArray:
        low, median, high = self.quantiles
        offset = values - median
        side = np.where(offset > 0, high - median, median - low)
        return np.abs(offset) * _Q90 / side


def find_swaps(columns: Sequence[Column]) -> list[CellFinding]:
    """Find pairs of numbers that stand in each other's column.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.swap import find_swaps
    >>> from untaint.tables.column import Column
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([rng.normal(170, 8, 100), rng.normal(30, 3, 100)])
    >>> X[7] = X[7, ::-1]
    >>> columns = [Column(name, "number", np.isnan(x), x) for name, x in zip("ab", X.T)]
    >>> [(finding.row, finding.column) for finding in find_swaps(columns)]
    [(7, 0), (7, 1)]
    """
    found: list[CellFinding] = []
    linear, logarithmic = _scales(columns, False), _scales(columns, True)
    odd = _odd_rows((linear | logarithmic).values())
    for a, b in combinations(sorted(linear.keys() | logarithmic.keys()), 2):
        scales = logarithmic if a in logarithmic and b in logarithmic else linear
        if a in scales and b in scales:
            for row in _swapped(scales[a], scales[b]):
                if row not in odd:
                    found += _findings(columns, a, b, row)
    return found


def _odd_rows(scales: Iterable[_Scale]) -> set[int]:
    """Return rows that are far from the median of many columns."""
    far = [scale.far for scale in scales]
    rows, times = np.unique(np.concatenate([*far, np.empty(0, np.intp)]), return_counts=True)
    return set(rows[times > MAX_FAR].tolist())


def _scales(columns: Sequence[Column], logarithmic: bool) -> dict[int, _Scale]:
    scales = {}
    for j, column in enumerate(columns):
        if column.kind != "number" or column.values is None or names_code(column.name):
            continue
        present = column.values[~column.missing]
        if len(present) < FEWEST or (logarithmic and present.min() <= 0):
            continue
        if len(np.unique(present)) < MIN_DISTINCT:
            continue
        values = np.log(column.values) if logarithmic else column.values
        quantiles = np.nanquantile(values, [0.1, 0.5, 0.9])
        if quantiles[0] == quantiles[1] or quantiles[1] == quantiles[2]:
            continue
        scale = _Scale(j, values, quantiles, np.empty(0, np.intp))
        with np.errstate(invalid="ignore"):
            far = np.flatnonzero(scale.deviations(values) >= FAR)
        if 0 < len(far) <= max(1, MAX_SHARE * len(present)):
            scales[j] = scale._replace(far=far)
    return scales


def _swapped(a: _Scale, b: _Scale) -> Iterator[int]:
    rows = np.intersect1d(a.far, b.far)
    if not len(rows):
        return
    rows = rows[(a.deviations(b.values[rows]) <= NEAR) & (b.deviations(a.values[rows]) <= NEAR)]
    if not len(rows):
        return
    for own, other in ((a, b), (b, a)):
        with np.errstate(invalid="ignore"):
            inside = other.deviations(np.delete(own.values, rows)) <= WITHIN
        if inside.mean() > MAX_OVERLAP:
            return
    yield from rows.tolist()


def _findings(columns: Sequence[Column], a: int, b: int, row: int) -> Iterator[CellFinding]:
    for own, other in ((a, b), (b, a)):
        x, y = columns[own].values, columns[other].values
        assert x is not None and y is not None
        reason = (
            f"{number_text(x[row])} is usual in {quoted(columns[other].name)} and "
            f"{number_text(y[row])}, which stands there, in {quoted(columns[own].name)}, "
            "so that they look swapped."
        )
        yield CellFinding(row, own, 0.93, "swap", float(y[row]), reason)
