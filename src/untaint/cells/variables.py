r"""Columns as variables that can be predicted: numbers on a scale, or codes of levels.

A positive column that spans more than a factor of five is taken on the scale of logarithms if it is
less skewed there: a wrong unit is then as far off downwards as upwards. One that has zeros as well
is taken on that of :math:`\operatorname{arsinh}(x / u)`, which is close to it above u.
The resolution of a column is the step at which most of its values are written: differences below
that say nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from ..io import Column
from .distinct import common_values, has_values, some_of
from .mistakes import DATES, NUMERIC, TEMPERATURES, Mistake, is_temperature
from .standardiser import Standardiser, standardiser_of

# Distinct values that a number has to take to be predicted as a number.
FEWEST_VALUES = 12
# A factor between the 5th and the 95th percentile from which on logarithms are taken.
WIDE = 5.0
# A column whose negative values are at most this part has none but by mistake.
MAX_NEGATIVE = 0.03
# Unless they are small: at least half of them below this quantile of the positive ones.
SMALL = 0.1
# A value that more than this part of the rows have is right, and the others are assessed.
COMMONEST = 0.4
# Number of decimal places that are distinguished, from the first on.
FIRST_PLACE, N_PLACES = -6, 14
# Rows that a level needs to be predicted.
FEWEST_ROWS = 5
MAX_LEVELS = 30

Scale = Literal["identity", "log", "arsinh"]


@dataclass(frozen=True)
class NumericVariable:
    """A column of numbers or dates.

    Attributes
    ----------
    position : int
        Position of the column.
    name : str
    kind : str
        "number" or "date".
    values : array of shape (n,)
        As they are in the table, NaN where they are missing.
    scale : {"identity", "log", "arsinh"}
    unit : float
        Of the last of them.
    resolution : float
        Step of the values, on their own scale.
    places : array of shape (k,)
        Part of the values that end at each decimal place.
    """

    position: int
    name: str
    kind: str
    values: FloatArray
    scale: Scale
    unit: float
    resolution: float
    places: FloatArray

    @property
    def missing(self) -> BoolArray:
        """Which values are missing."""
        return np.isnan(self.values)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes that a cell may have."""
        if self.kind == "date":
            return DATES
        return (*NUMERIC, *TEMPERATURES) if is_temperature(self.name) else NUMERIC

    @cached_property
    def standardiser(self) -> Standardiser:
        """Location and spread on its scale."""
        return standardiser_of(self.forward(self.values))

    def standardised(self, values: FloatArray) -> FloatArray:
        """Return values on its scale, standardised and bounded; without a logarithm, far below."""
        found = self.forward(values)
        if self.scale == "log":
            found = np.where(np.isnan(found) & ~np.isnan(values), -np.inf, found)
        return self.standardiser(found)

    def log_written(self, values: FloatArray) -> FloatArray:
        """Return the log-probabilities that values end at the decimal place where these do."""
        return np.log(self.places[last_place(values) - FIRST_PLACE])

    def is_written(self) -> BoolArray:
        """Return which values are written at the column's resolution."""
        if self.resolution == 0:
            return np.ones(len(self.values), dtype=bool)
        return _is_multiple(self.values, self.resolution)

    def at(self, rows: IntArray) -> NumericVariable:
        """Return the variable in given rows."""
        return replace(self, values=self.values[rows])

    @property
    def is_assessed(self) -> bool:
        """Whether values vary enough for one of them to be unlikely."""
        present = self.values[~self.missing]
        if is_clock(present):
            return False
        return has_values(present, FEWEST_VALUES)

    def varying(self) -> NumericVariable:
        """Return the variable without its commonest value, such as 0, if very many rows have it."""
        present = self.values[~self.missing]
        found, counts = common_values(present, COMMONEST)
        if counts.max(initial=0) <= COMMONEST * len(present):
            return self
        values = np.where(self.values == found[counts.argmax()], np.nan, self.values)
        return _numeric_variable(self.position, self.name, self.kind, values)

    def forward(self, values: FloatArray) -> FloatArray:
        """Return values on the scale of predictions; NaN where there is none."""
        if self.scale == "identity":
            return np.asarray(values, float)
        if self.scale == "arsinh":
            return np.arcsinh(np.asarray(values, float) / self.unit)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(values > 0, np.log(values), np.nan)

    def backward(self, values: FloatArray) -> FloatArray:
        """Return values in units of the table."""
        if self.scale == "identity":
            return values
        bounded = np.clip(values, -700.0, 700.0)
        return self.unit * np.sinh(bounded) if self.scale == "arsinh" else np.exp(bounded)

    def slope(self, values: FloatArray) -> FloatArray:
        """Return the derivative of the scale at values in units of the table."""
        if self.scale == "identity":
            return np.ones(len(values))
        if self.scale == "arsinh":
            return 1.0 / np.hypot(values, self.unit)
        return 1.0 / np.maximum(np.abs(values), np.finfo(float).tiny)

    def floor(self, predicted: FloatArray) -> FloatArray:
        """Return half a step of the values, on the scale of predictions."""
        half = 0.5 * self.resolution
        return np.minimum(half * self.slope(self.backward(predicted)), 1.0)


@dataclass(frozen=True)
class CategoricalVariable:
    """A column of levels.

    Attributes
    ----------
    position : int
    name : str
    levels : list of str
    codes : int array of shape (n,)
        Level of each row, -1 if it is missing.
    """

    position: int
    name: str
    levels: list[str]
    codes: IntArray

    @property
    def missing(self) -> BoolArray:
        """Which values are missing."""
        return self.codes < 0

    def at(self, rows: IntArray) -> CategoricalVariable:
        """Return the variable in given rows."""
        return replace(self, codes=self.codes[rows])

    @property
    def counts(self) -> IntArray:
        """The number of rows of each level."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.levels))

    @property
    def frequent(self) -> IntArray:
        """Levels with rows enough, the most frequent first."""
        order = np.argsort(-self.counts, kind="stable")
        return order[self.counts[order] >= FEWEST_ROWS][:MAX_LEVELS]

    @property
    def is_assessed(self) -> bool:
        """Whether there are two levels to choose from, and few rows have others."""
        own = self.counts[self.frequent]
        return len(own) >= 2 and own.sum() >= 0.8 * self.counts.sum()


Variable = NumericVariable | CategoricalVariable


def variables_of(columns: Sequence[Column]) -> list[Variable]:
    """Return the columns that hold numbers, dates or levels as variables."""
    found: list[Variable] = []
    for position, column in enumerate(columns):
        if column.kind in ("number", "date") and column.values is not None:
            values = np.where(column.missing, np.nan, column.values)
            found.append(_numeric_variable(position, column.name, column.kind, values))
        elif column.kind == "boolean" and column.values is not None:
            codes = np.where(column.missing, -1, np.nan_to_num(column.values)).astype(np.intp)
            found.append(CategoricalVariable(position, column.name, ["no", "yes"], codes))
        elif column.kind in ("category", "text") and column.levels is not None:
            found.append(categorical_variable(position, column))
    return found


def _numeric_variable(position: int, name: str, kind: str, values: FloatArray) -> NumericVariable:
    values = np.where(np.isfinite(values), values, np.nan)
    present = values[~np.isnan(values)]
    scale, unit = scale_of(present) if kind == "number" else ("identity", 1.0)
    counts = np.bincount(last_place(present) - FIRST_PLACE, minlength=N_PLACES) + 0.5
    resolution, places = resolution_of(present), counts / counts.sum()
    return NumericVariable(position, name, kind, values, scale, unit, resolution, places)


def last_place(values: FloatArray) -> IntArray:
    """Return the decimal place of the last digit that is not zero: 0 for 12, 2 for 1,200.

    Examples
    --------
    >>> import numpy as np
    >>> last_place(np.array([1200.0, 12.0, 0.25]))
    array([ 2,  0, -2])
    """
    found, rows = np.full(len(values), FIRST_PLACE), np.arange(len(values))
    for place in range(FIRST_PLACE + 1, FIRST_PLACE + N_PLACES):  # fewer are multiples of more
        step, own = 10.0**place, values[rows]
        rows = rows[_is_multiple(own, step) & (np.abs(own) >= 0.5 * step)]
        found[rows] = place
    return found


def _is_multiple(values: FloatArray, step: float) -> BoolArray:
    ratio = values / step
    return np.abs(ratio - np.round(ratio)) <= 1e-6 * np.maximum(1.0, np.abs(ratio))


def scale_of(present: FloatArray) -> tuple[Scale, float]:
    """Return the scale of a column, and its unit."""
    positive, negative = present[present > 0], -present[present < 0]
    if (
        not len(positive)
        or len(positive) < 0.5 * len(present)
        or len(negative) > MAX_NEGATIVE * len(present)
    ):
        return "identity", 1.0
    if len(negative) and np.median(negative) < np.quantile(positive, SMALL):
        return "identity", 1.0  # values go through zero
    low, high = np.quantile(positive, [0.05, 0.95])
    if high <= WIDE * low:
        return "identity", 1.0
    zeros = bool((present == 0).any())
    curved = np.arcsinh(present / low) if zeros else np.log(positive)
    if abs(_skewness(curved)) >= abs(_skewness(present)):
        return "identity", 1.0
    return ("arsinh", float(low)) if zeros else ("log", 1.0)


def _skewness(values: FloatArray) -> float:
    """Return the quantile skewness: how much farther the 90th percentile is than the 10th."""
    low, median, high = np.quantile(values, [0.1, 0.5, 0.9])
    return float((high - 2 * median + low) / (high - low)) if high > low else 0.0


def categorical_variable(position: int, column: Column) -> CategoricalVariable:
    """Return a column of texts as a variable."""
    levels = column.levels
    assert levels is not None
    texts = [str(text) for text in levels.texts.to_pylist()]
    codes = np.where(column.missing, -1, levels.codes).astype(np.intp)
    used, inverse = np.unique(codes[codes >= 0], return_inverse=True)
    own = np.full(len(codes), -1, dtype=np.intp)
    own[codes >= 0] = inverse
    return CategoricalVariable(position, column.name, [texts[code] for code in used], own)


def is_clock(values: FloatArray) -> bool:
    """Return whether values are times of day such as 2359, which is close to 1.

    Examples
    --------
    >>> import numpy as np
    >>> is_clock(np.array([5.0, 930.0, 1359.0, 2359.0]))
    True
    """
    within = (values >= 0) & (values <= 2400)
    if not len(values) or within.mean() < 0.98:
        return False
    within &= (values % 100 < 60) & (values % 1 == 0)
    if within.mean() < 0.98:
        return False
    morning, afternoon = values[within] < 1200, values[within] >= 1300
    return bool(morning.mean() > 0.05 and afternoon.mean() > 0.05)


def resolution_of(values: FloatArray) -> float:
    """Return the largest power of ten, times 1, 2 or 5, that divides nearly all values.

    Examples
    --------
    >>> import numpy as np
    >>> float(resolution_of(np.array([1.5, 2.0, 7.5])))
    0.5
    """
    nonzero = np.abs(values[values != 0])
    if not len(nonzero):
        return 0.0
    largest = float(np.quantile(nonzero, 0.9))
    some = some_of(values)
    for exponent in range(int(np.floor(np.log10(largest))), -10, -1):
        for factor in (5.0, 2.0, 1.0):
            step = factor * 10.0**exponent
            likely = _is_multiple(some, step).mean() >= 0.8  # far below 0.9 of all
            if likely and _is_multiple(values, step).mean() >= 0.9:
                return step
    return 0.0
