"""Copies of a row that disagree in one cell.

Rows are compared in all columns but one by sums of hash values, so that leaving out a column is a
subtraction. Two rows that agree in the rest are copies if

- the rest has at least 3 columns, of which at least 2 are continuous and have a value there that
  at most 3 % of the other rows have;
- at least 98 % of the rows have a rest that no other row has, or 85 % if of the pairs that disagree
  at least 80 % do so by as much as the next rule but one asks: repeated measurements are mostly
  alike;
- coincidence is implausible: with p_j the share of rows that have the value of column j,
  n^2 prod p_j <= m exp(-6), the product running over the columns of the rest, if there are m
  such pairs or groups;
- of two rows, numbers disagree by at least the distance between the quartiles of their column, as
  numbers of things that are alike differ by less;
- rows that agree in all continuous columns of the rest hardly ever disagree in several others, as
  they do where continuous columns determine each other.

Of three or more copies, those that disagree with the majority are reported; of two, both, each with
the other as its partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._typing import BoolArray, FloatArray
from ...io.columns.column import Column
from ...io.columns.identifiers import has_distinct_values
from ..distinct import has_values
from ..finding import CellFinding
from .inputs import names_code
from .wording import count_text, number_text, quoted

FEWEST = 30
MIN_COLUMNS = 3
MIN_CONTINUOUS = 2
MIN_UNIQUE, LEAST_UNIQUE = 0.98, 0.85
# Part of the groups that are copies where these are many.
MOST = 0.8
# A continuous column has so many distinct values, and so many of them per value.
MIN_DISTINCT = 20
MIN_DISTINCT_SHARE = 0.02
# Largest share of other rows that have a value that identifies copies.
RARE = 0.03
# Rows that agree in the continuous columns by chance, per row that does so as a copy.
MAX_COINCIDENCES = 0.3
# Coincidences are expected to be exp(-SURPRISE) in number at most.
SURPRISE = 6.0
_REPORTED = ("number", "boolean", "category")
_COMPARED = ("number", "boolean", "date", "category", "text")
_SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")
_Hashes = NDArray[np.uint64]


def find_copies(columns: Sequence[Column]) -> list[CellFinding]:
    """Find copies of a row that disagree in one cell.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cells.checks.copies import find_copies
    >>> from untaint.io.columns.column import Column
    >>> X = np.random.default_rng(0).normal(size=(100, 5))
    >>> X[7] = X[60] + [0, 0, 0, 0, 3]
    >>> columns = [Column(name, "number", np.isnan(x), x) for name, x in zip("abcde", X.T)]
    >>> [(finding.row, finding.column) for finding in find_copies(columns)]
    [(7, 4), (60, 4)]
    """
    used = [j for j, column in enumerate(columns) if _is_compared(column)]
    if len(used) <= MIN_COLUMNS or len(columns[used[0]].missing) < FEWEST:
        return []
    table = _Table.of([columns[j] for j in used])
    repeated = [_repeated(table.total - own) for own in table.hashes]
    again = np.logical_or.reduce(repeated)
    found = []
    for i, j in enumerate(used):
        size = int(np.count_nonzero(repeated[i]))
        few = 0 < size <= (1 - LEAST_UNIQUE) * len(again)
        if columns[j].kind not in _REPORTED or not few:
            continue
        if table.coincidences(i, again) <= MAX_COINCIDENCES * size:
            groups = _groups(table.total - table.hashes[i], np.flatnonzero(repeated[i]))
            found += _copies(j, columns[j], groups, table, i)
    return sorted(found)


def _is_compared(column: Column) -> bool:
    if column.kind not in _COMPARED or names_code(column.name):
        return False
    return column.kind != "number" or column.values is None or not _numbers_rows(column.values)


def _numbers_rows(values: FloatArray) -> bool:
    return has_distinct_values(values) and not np.isnan(values).any()


class _Table(NamedTuple):
    """Hash values of cells, by column, and which columns are continuous.

    Attributes
    ----------
    hashes : list of arrays of shape (n,)
    total : array of shape (n,)
        Their sum by row.
    continuous : bool array of shape (p,)
    missing : bool array of shape (p, n)
        Whether a cell has no value, or 0, which many have at once where amounts are often 0.
    """

    hashes: list[_Hashes]
    total: _Hashes
    continuous: BoolArray
    missing: BoolArray

    @classmethod
    def of(cls, columns: Sequence[Column]) -> _Table:
        hashes = [_hash(column, seed) for seed, column in enumerate(columns)]
        continuous = [_is_continuous(*pair) for pair in zip(columns, hashes, strict=True)]
        missing = np.array([_says_nothing(column) for column in columns])
        return cls(hashes, _total(hashes), np.array(continuous), missing)

    def rest(self, i: int) -> list[int]:
        """Return the continuous columns but one."""
        return [k for k in np.flatnonzero(self.continuous).tolist() if k != i]

    def coincidences(self, i: int, again: BoolArray) -> int:
        """Return how many rows agree in continuous columns only."""
        rest = self.rest(i)
        if len(rest) < MIN_CONTINUOUS:
            return len(again)
        present: BoolArray = np.asarray(~self.missing[rest].all(axis=0))
        repeated = _repeated(_total([self.hashes[k] for k in rest]))
        return int(np.count_nonzero(repeated & present & ~again))

    def counts(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many rows have the value that each column has in some rows."""
        counts = np.empty((len(self.hashes), len(rows)), np.int64)
        for k, own in enumerate(self.hashes):
            ordered = np.sort(own)
            below, upto = (np.searchsorted(ordered, own[rows], side) for side in _SIDES)
            counts[k] = upto - below
        return counts

    def is_implausible(self, i: int, row: int, counts: NDArray[np.int64], m: int) -> bool:
        """Return whether a row is not likely to be equal to another but for column i.

        Parameters
        ----------
        i, row, m : int
        counts : array of shape (p,)
            Rows that have the row's value of each column, copies of the row not counted.
        """
        n = len(self.total)
        rest = self.rest(i)
        rare = ~self.missing[rest, row] & (counts[rest] <= max(2, RARE * n))
        known = ~self.missing[:, row]
        known[i] = False
        surprise = float(np.log(n / np.maximum(counts[known], 1)).sum())
        return bool(
            rare.sum() >= MIN_CONTINUOUS and surprise >= 2 * np.log(n) + SURPRISE - np.log(m)
        )


def _says_nothing(column: Column) -> BoolArray:
    if column.values is None or column.kind != "number":
        return column.missing
    zero: BoolArray = column.missing | (column.values == 0)
    return zero


def _total(hashes: Sequence[_Hashes]) -> _Hashes:
    total = np.zeros(len(hashes[0]), np.uint64)
    for own in hashes:
        total += own
    return total


def _repeated(hashes: _Hashes) -> BoolArray:
    """Return which rows have the value of another."""
    ordered = np.sort(hashes)
    again = ordered[1:][ordered[1:] == ordered[:-1]]
    return np.isin(hashes, again) if len(again) else np.zeros(len(hashes), bool)


def _groups(hashes: _Hashes, rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Return groups of rows of equal value."""
    order = rows[np.argsort(hashes[rows], kind="stable")]
    starts = np.flatnonzero(hashes[order[1:]] != hashes[order[:-1]]) + 1
    return np.split(order, starts)


def _hash(column: Column, seed: int) -> _Hashes:
    """Return a number of 64 bits for each cell, equal for equal cells."""
    if column.values is not None:
        present = np.where(column.missing, np.nan, column.values + 0.0)
        bits = np.ascontiguousarray(present, np.float64).view(np.uint64)
    else:
        assert column.levels is not None
        bits = column.levels.codes.astype(np.int64).view(np.uint64)
        bits = np.where(column.missing, np.uint64(2**63), bits)
    # The finaliser of SplitMix64.
    z = bits + np.uint64((seed + 1) * 0x9E3779B97F4A7C15 % 2**64)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _is_continuous(column: Column, hashes: _Hashes) -> bool:
    if column.kind not in ("number", "date"):
        return False
    return has_values(hashes, max(MIN_DISTINCT, MIN_DISTINCT_SHARE * len(hashes)))


def _copies(
    j: int, column: Column, groups: Sequence[NDArray[np.intp]], table: _Table, i: int
) -> list[CellFinding]:
    """Return findings of groups of copies that disagree."""
    own = table.hashes[i]
    least = 0.0
    if column.values is not None:
        least = float(np.subtract(*np.quantile(column.values[~column.missing], [0.75, 0.25])))
    candidates, different = [], 0
    for group in groups:
        rows = group[~column.missing[group]]
        if len(rows) < 2 or (own[rows] == own[rows[0]]).all():
            continue
        different += 1
        if len(rows) > 2 or column.values is None or np.ptp(column.values[rows]) >= least:
            candidates.append((rows, len(group) - 1))
    many = sum(len(group) for group in groups) > (1 - MIN_UNIQUE) * len(own)
    if not candidates or (many and len(candidates) < MOST * different):
        return []
    counts = table.counts(np.array([rows[0] for rows, _ in candidates]))
    found = []
    for (rows, copies), own_counts in zip(candidates, counts.T, strict=True):
        if table.is_implausible(i, int(rows[0]), own_counts - copies, len(candidates)):
            found += _disagreeing(j, column, rows, own[rows])
    return found


def _disagreeing(j: int, column: Column, rows: NDArray[np.intp], own: _Hashes) -> list[CellFinding]:
    _, first, inverse, counts = np.unique(
        own, return_index=True, return_inverse=True, return_counts=True
    )
    top = int(np.argmax(counts))
    if 2 * counts[top] > len(rows):
        usual, shown = _cell(column, int(rows[first[top]]))
        what = f"which {count_text(int(counts[top]), 'copy has', 'copies have')}"
        why = f"stands where otherwise equal rows have {shown}, {what}."
        return [
            CellFinding(row, j, 0.9, "copy", usual, f"{_cell(column, row)[1]} {why}")
            for row in rows[inverse != top].tolist()
        ]
    if len(rows) != 2:
        return []
    found = []
    for row, other in (rows.tolist(), rows[::-1].tolist()):
        usual, shown = _cell(column, other)
        where = f"where row {other + 1}, equal to this one in all other columns, has {shown}."
        reason = f"{_cell(column, row)[1]} stands {where}"
        found.append(CellFinding(row, j, 0.5, "copy", usual, reason, partner=other))
    return found


def _cell(column: Column, row: int) -> tuple[float | str, str]:
    if column.values is not None:
        value = float(column.values[row])
        return value, number_text(value)
    assert column.levels is not None
    text = str(column.levels.texts[int(column.levels.codes[row])])
    return text, quoted(text)
