r"""All columns as numbers by which one of them is predicted.

Numbers stand on their scale, standardised by median and spread and bounded, with indicators of
frequent levels beside them. Rows that stand side by side may be alike, and so are rows of one
group: the median of a column in the neighbouring rows, and its mean over other rows with the same
level of a column of many levels, say what neither of them does. Missing cells are NaN.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from warnings import catch_warnings, simplefilter

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .variables import CategoricalVariable, NumericVariable, Variable

# Levels that get an indicator each.
INDICATORS = 12
# A level of a group has so many rows on average.
GROUP_ROWS = 3.0
# Part of the steps from row to row that go one way if rows are sorted.
SORTED = 0.85
# Part of the steps that are none if rows are in blocks.
IN_BLOCKS = 0.5
# Features that a column is predicted from at most.
MAX_PREDICTORS = 40
# Rows on either side that are neighbours.
NEIGHBOURS = 2
# Rank correlation of a column with its neighbours from which on they are alike, and quantiles
# between which their medians are used if they are not. So many rows at least say which.
ALIKE, MIDDLE, ALIKE_ROWS = 0.3, (0.1, 0.9), 5000


@dataclass(frozen=True)
class Features:
    """Features (n, p), and the position of the column that each comes from."""

    matrix: FloatArray
    sources: IntArray

    def predictors(self, position: int) -> IntArray:
        """Return which features predict a column: those of other columns, of many the closest.

        Closeness is the largest correlation with a feature of the column.
        """
        others = np.flatnonzero(self.sources != position)
        if len(others) <= MAX_PREDICTORS:
            return others
        own = self._standard[:, self.sources == position]
        close = np.abs(self._standard[:, others].T @ own).max(axis=1, initial=0.0)
        return np.sort(others[np.argsort(-close, kind="stable")[:MAX_PREDICTORS]])

    @cached_property
    def is_missing(self) -> BoolArray:
        """Where features (n, p) are missing."""
        return np.isnan(self.matrix)

    @cached_property
    def known(self) -> FloatArray:
        """Features with zeros where they are missing."""
        return np.nan_to_num(self.matrix) if self.is_missing.any() else self.matrix

    @cached_property
    def _standard(self) -> FloatArray:
        """Features of mean zero and length one, zero where they are missing."""
        with catch_warnings():
            simplefilter("ignore", RuntimeWarning)  # columns without a value
            centred = np.nan_to_num(self.matrix - np.nanmean(self.matrix, axis=0))
        return np.asarray(centred / np.maximum(np.linalg.norm(centred, axis=0), 1e-300))


@dataclass(frozen=True)
class ColumnFeatures:
    """What predicts one column: some features of the table, and features of its own (n, q).

    They stay apart, since a copy of many rows takes longer than to predict these.
    """

    table: Features
    chosen: IntArray
    own: FloatArray

    def at(self, rows: IntArray | slice) -> FloatArray:
        """Return the features of given rows, side by side."""
        return np.column_stack([self.table.matrix[rows][:, self.chosen], self.own[rows]])

    def dot(self, slopes: FloatArray) -> FloatArray:
        """Return products of all rows with slopes (p, k); missing features are zero."""
        whole = np.zeros((self.table.matrix.shape[1], slopes.shape[1]))
        whole[self.chosen] = slopes[: len(self.chosen)]
        own = np.nan_to_num(self.own) @ slopes[len(self.chosen) :]
        return np.asarray(self.table.known @ whole + own)

    def lack(self, part: float) -> BoolArray:
        """Return which rows lack more than a part of the table's features."""
        missing = self.table.is_missing
        if not missing.any():
            return np.zeros(len(missing), dtype=bool)
        return np.asarray(missing[:, self.chosen].mean(axis=1) > part)


def features_of(variables: Sequence[Variable]) -> Features:
    """Return the features of all variables."""
    columns: list[FloatArray] = []
    sources: list[int] = []
    for variable in variables:
        own = encoded(variable)
        columns.extend(own.T)
        sources.extend([variable.position] * own.shape[1])
    n = len(variables[0].missing) if variables else 0
    matrix = np.column_stack(columns) if columns else np.empty((n, 0))
    return Features(matrix, np.array(sources, dtype=np.intp))


def encoded(variable: Variable) -> FloatArray:
    """Return the features (n, q) of one variable."""
    if isinstance(variable, NumericVariable):
        return variable.standardised(variable.values)[:, None]
    order = np.argsort(-variable.counts, kind="stable")
    rank = np.empty(len(order) + 1)
    rank[order] = np.arange(len(order))
    rank[-1] = np.nan
    chosen = variable.frequent[:INDICATORS]
    if len(variable.levels) == 2:
        chosen = chosen[:1]
    indicators = [np.where(variable.missing, np.nan, variable.codes == code) for code in chosen]
    many = [np.log1p(rank[variable.codes])] if len(variable.levels) > len(chosen) + 1 else []
    parts = [*indicators, *many]
    return np.column_stack(parts) if parts else np.empty((len(variable.codes), 0))


def neighbour_median(values: FloatArray) -> FloatArray:
    """Return the median of the values in neighbouring rows, NaN if all are missing.

    Examples
    --------
    >>> import numpy as np
    >>> neighbour_median(np.array([1.0, 2.0, 30.0, 4.0, 5.0]))
    array([16.,  4.,  3.,  5., 17.])
    """
    n, ends = len(values), 2 * NEIGHBOURS
    if n > 2 * ends and not np.isnan(values).any():
        found = np.empty(n)
        found[:ends] = neighbour_median(values[: 2 * ends])[:ends]
        found[-ends:] = neighbour_median(values[-2 * ends :])[-ends:]
        a, b, c, d = values[:-4], values[1:-3], values[3:-1], values[4:]
        low = np.maximum(np.minimum(a, b), np.minimum(c, d))  # the middle two of four
        found[2:-2] = 0.5 * (low + np.minimum(np.maximum(a, b), np.maximum(c, d)))
        return found
    shifts = [step for step in range(-NEIGHBOURS, NEIGHBOURS + 1) if step != 0]
    padded = np.full(n + 2 * NEIGHBOURS, np.nan)
    padded[NEIGHBOURS : NEIGHBOURS + n] = values
    parts = [padded[NEIGHBOURS + step : NEIGHBOURS + step + n] for step in shifts]
    near = np.column_stack(parts)
    near.sort(axis=1)  # missing ones are last
    count = (~np.isnan(near)).sum(axis=1)
    rows = np.arange(n)
    return 0.5 * (near[rows, np.maximum(count - 1, 0) // 2] + near[rows, count // 2])


def is_sorted(values: FloatArray) -> bool:
    """Return whether rows are in the order of a column, or in blocks of one value each.

    Then its neighbours say where a row stands in the file, and nothing else.
    """
    steps = np.diff(values[~np.isnan(values)])
    if (steps == 0).sum() > IN_BLOCKS * len(steps):
        return True
    steps = steps[steps != 0]
    return bool(len(steps) and max((steps > 0).mean(), (steps < 0).mean()) > SORTED)


def neighbours(values: FloatArray) -> FloatArray:
    """Return the medians of neighbouring rows, the middle ones alone if rows are not like them.

    A few wrong rows that stand side by side have extreme neighbours, and would be predicted from
    one another. Ranks bound what they contribute to the likeness.
    """
    near = neighbour_median(values)
    known = np.flatnonzero(~np.isnan(values) & ~np.isnan(near))
    if not len(known):
        return near
    some = known[:: max(len(known) // ALIKE_ROWS, 1)]
    one, other = (_centred_ranks(each[some]) for each in (values, near))
    if one @ other >= ALIKE * np.sqrt((one @ one) * (other @ other)):
        return near
    return np.asarray(np.clip(near, *np.quantile(near[known], MIDDLE)))


def _centred_ranks(values: FloatArray) -> FloatArray:
    """Return ranks less their mean; equal values have the mean of their ranks."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * counts
    return np.asarray((ranks - 0.5 * len(values))[codes])


def group_mean(values: FloatArray, variable: CategoricalVariable) -> FloatArray | None:
    """Return the mean of values over other rows of the same group, None if there are no groups."""
    counts = variable.counts
    if len(counts) <= INDICATORS or counts.sum() < GROUP_ROWS * len(counts):
        return None
    known = ~np.isnan(values) & ~variable.missing
    codes = variable.codes[known]
    total = np.bincount(codes, values[known], minlength=len(counts))
    number = np.bincount(codes, minlength=len(counts)).astype(float)
    found = np.full(len(values), np.nan)
    present = ~variable.missing
    own = variable.codes[present]
    mine = np.where(np.isnan(values[present]), 0.0, values[present])
    others = number[own] - ~np.isnan(values[present])
    with np.errstate(invalid="ignore", divide="ignore"):
        found[present] = np.where(others > 0, (total[own] - mine) / others, np.nan)
    return found
