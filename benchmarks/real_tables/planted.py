"""Mistakes that people and machines make, planted in known cells of a copy of a real table.

====================  =============================================================================
``target_x10``        the target's decimal point slips: ten times as much
``target_tenth``      a tenth
``target_sign``       the target's sign is lost or invented
``target_other_row``  the target of another row, at least 1.5 standard deviations away
``copied_row``        the row repeats another one, but with a target far from that row's
``label_other``       another label
``feature_x1000``     a number in thousandths of its unit
``feature_sign``      a negative number in a column without any
``inches``            a number in inches instead of centimetres, or the other way round
``pounds``            the same with pounds and kilograms
``swapped``           the numbers of two columns of a row are exchanged
``category_other_row``  the category of another row
``typo``              a letter of a category is dropped, doubled, or exchanged with the next
``stuck``             eight rows in a run have one number
``century``           a date a hundred years too early
``year``              a date one to three years off
====================  =============================================================================

A row has one mistake at most. In ``mixed`` the rows are shared out among all kinds that the table
can have. The column is drawn for each row, and for each run of stuck rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: Standard deviations between a target and the one that takes its place.
FAR = 1.5
#: Values that a column must take to be numeric.
DIFFERENT = 10
#: Levels that a column of categories has at most.
MAX_LEVELS = 60
RUN = 8
DATE = re.compile(r"[12][0-9]{3}-[01][0-9]-[0-3][0-9]")


class Mistake(NamedTuple):
    """One wrong cell, and what it should hold."""

    row: int
    column: str
    kind: str
    value: Any


def plant(
    frame: pd.DataFrame, target: str | None, kind: str, seed: int, share: float = 0.05
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a copy with mistakes in a share of the rows, and the wrong cells.

    The second table has the columns of :class:`Mistake`; it is empty if the table cannot have the
    kind.
    """
    table = _Table(frame, target, np.random.default_rng([seed, len(frame), crc32(kind.encode())]))
    count = max(round(share * len(frame)), 1)
    if kind == "mixed":
        kinds = possible(frame, target)
        if "stuck" in kinds:
            kinds.remove("stuck")
            if count >= 3 * RUN:
                count -= len(table.plant("stuck", RUN))
        for i, each in enumerate(table.rng.permutation(kinds).tolist()):
            count -= len(table.plant(each, round(count / (len(kinds) - i))))
    else:
        table.plant(kind, count)
    return table.frame(), pd.DataFrame(table.mistakes, columns=Mistake._fields)


def possible(frame: pd.DataFrame, target: str | None) -> list[str]:
    """Return the kinds of mistakes that a table can have."""
    kinds = []
    for kind in KINDS:
        table = _Table(frame, target, np.random.default_rng(0))
        if len(table.plant(kind, RUN if kind == "stuck" else 1)):
            kinds.append(kind)
    return kinds


class _Table:
    """A table whose cells are overwritten, each row once."""

    def __init__(self, frame: pd.DataFrame, target: str | None, rng: np.random.Generator) -> None:
        self.original = frame
        self.target = target
        self.rng = rng
        self.cells = {name: frame[name].to_numpy(dtype=object, copy=True) for name in frame}
        self.free = np.ones(len(frame), dtype=bool)
        self.mistakes = list[Mistake]()
        features = [name for name in frame.columns if name != target]
        self.numbers = [name for name in features if is_number(frame[name])]
        self.dates = [name for name in features if is_date(frame[name])]
        self.categories = [name for name in features if is_category(frame[name])]

    def plant(self, kind: str, count: int) -> list[int]:
        """Make mistakes in ``count`` rows, fewer if there are not as many; return these."""
        rows = list[int]()
        if count < 1:
            return rows
        for changes in KINDS[kind](self):
            row = changes[0][0]
            if not self.free[row]:
                continue
            for _, column, value in changes:
                if column == self.target or kind != "copied_row":
                    true = self.cells[column][row]
                    self.mistakes.append(Mistake(row, column, kind, true))
                self.cells[column][row] = value
            self.free[row] = False
            rows.append(row)
            if len(rows) >= count:
                break
        return rows

    def order(self) -> list[int]:
        return self.rng.permutation(np.flatnonzero(self.free)).tolist()

    def frame(self) -> pd.DataFrame:
        """Return the table; columns keep their type if their new cells allow it."""
        spoilt = {mistake.column for mistake in self.mistakes}
        if any(mistake.kind == "copied_row" for mistake in self.mistakes):
            spoilt = set(self.cells)
        columns = {
            name: _as_before(self.cells[name], self.original[name])
            if name in spoilt
            else self.original[name]
            for name in self.cells
        }
        return pd.DataFrame(columns, index=self.original.index)


# One mistake: the cells to write, all of one row.
_Change = list[tuple[int, str, Any]]
_Kind = Callable[[_Table], Iterator[_Change]]


def is_number(column: pd.Series) -> bool:
    """Return whether a column has numbers, and these are neither few nor a count of the rows."""
    if pd.api.types.is_bool_dtype(column) or not pd.api.types.is_numeric_dtype(column):
        return False
    values = column.dropna()
    if values.nunique() <= DIFFERENT:
        return False
    return not (values.is_unique and values.is_monotonic_increasing and (values % 1 == 0).all())


def is_date(column: pd.Series) -> bool:
    """Return whether a column has dates, or text that begins with year, month and day."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return True
    values = column.dropna()
    return (
        not pd.api.types.is_numeric_dtype(column)
        and len(values) > 0
        and all(isinstance(value, str) and DATE.match(value) for value in values)
    )


def is_category(column: pd.Series) -> bool:
    """Return whether a column has text of few values."""
    if pd.api.types.is_numeric_dtype(column) or is_date(column):
        return False
    values = column.dropna()
    levels = values.nunique()
    if not all(isinstance(value, str) for value in values):
        return False
    return 2 <= levels <= min(MAX_LEVELS, len(values) / 3)


def is_label(column: pd.Series) -> bool:
    """Return whether a target is a label: text, or a number of few values."""
    return not is_number(column)


def _as_before(cells: NDArray[Any], before: pd.Series) -> pd.Series:
    dtype = before.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        new = [cell for cell in dict.fromkeys(cells) if cell not in dtype.categories]
        new = [cell for cell in new if isinstance(cell, str)]
        dtype = pd.CategoricalDtype([*dtype.categories, *new], dtype.ordered)
    elif pd.api.types.is_integer_dtype(before) and any(cell != int(cell) for cell in cells):
        dtype = np.dtype(float)
    return pd.Series(cells, index=before.index).astype(dtype)


def _scaled_target(factor: float) -> _Kind:
    def kind(table: _Table) -> Iterator[_Change]:
        if table.target is None or not is_number(table.original[table.target]):
            return
        for row in table.order():
            value = table.cells[table.target][row]
            if value == value and value != 0:
                yield [(row, table.target, _tidy(value * factor))]

    return kind


def _target_other_row(table: _Table) -> Iterator[_Change]:
    if table.target is None or not is_number(table.original[table.target]):
        return
    for row in table.order():
        other = _another_target(table, row)
        if other is not None:
            yield [(row, table.target, other)]


def _label_other(table: _Table) -> Iterator[_Change]:
    if table.target is None or not is_label(table.original[table.target]):
        return
    for row in table.order():
        other = _another_target(table, row)
        if other is not None:
            yield [(row, table.target, other)]


def _copied_row(table: _Table) -> Iterator[_Change]:
    if table.target is None:
        return
    for row in table.order():
        source = int(table.rng.choice(np.flatnonzero(table.free)))
        other = _another_target(table, source)
        if source == row or other is None or not table.free[row]:
            continue
        true = table.cells[table.target][source]
        copied = [(row, name, cells[source]) for name, cells in table.cells.items()]
        # The true target of the copy is that of the row it repeats, which must stay right.
        table.cells[table.target][row] = true
        table.free[source] = False
        yield [(row, name, other if name == table.target else cell) for _, name, cell in copied]


def _another_target(table: _Table, row: int) -> Any:
    """Return the true target of another row, far from this one's, or another label."""
    column = table.original[table.target]
    value = table.cells[table.target][row]
    if pd.isna(value):
        return None
    far = (column != value) & column.notna()
    if is_number(column):
        far &= (column - value).abs() >= FAR * column.std()
    rows = np.flatnonzero(far)
    return column.tolist()[int(table.rng.choice(rows))] if len(rows) else None


def _in_columns(
    columns: Callable[[_Table], list[str]], change: Callable[[_Table, str, Any], Any]
) -> _Kind:
    """Return a kind that changes a cell of a column drawn for each row; None leaves it."""

    def kind(table: _Table) -> Iterator[_Change]:
        names = columns(table)
        for row in table.order() if names else ():
            name = names[int(table.rng.integers(len(names)))]
            value = table.cells[name][row]
            new = None if pd.isna(value) else change(table, name, value)
            if new is not None and new != value:
                yield [(row, name, new)]

    return kind


def _positive(table: _Table) -> list[str]:
    return [name for name in table.numbers if table.original[name].min() >= 0]


def _measured(table: _Table) -> list[str]:
    return [name for name in _positive(table) if _is_measured(table.original[name])]


def _unit(factor: float) -> Callable[[_Table, str, Any], Any]:
    """Return a change that multiplies or divides by a factor, to the column's own decimals."""

    def change(table: _Table, name: str, value: Any) -> Any:
        times = factor if table.rng.random() < 0.5 else 1 / factor
        new = round(float(value * times), _decimals(table.original[name]))
        return new if abs(new - value) > 0.3 * abs(value) else None

    return change


def _is_measured(column: pd.Series) -> bool:
    """Return whether numbers have two significant digits and are not years."""
    digits = np.log10(max(column.median(), 1e-12)) + _decimals(column)
    return bool(digits > 1.5 and not column.between(1500, 2100).all())


def _decimals(column: pd.Series) -> int:
    values = column.dropna().to_numpy(dtype=float)
    return next((d for d in range(7) if np.allclose(values, values.round(d), 1e-9, 1e-9)), 7)


def _swapped(table: _Table) -> Iterator[_Change]:
    if len(table.numbers) < 2:
        return
    for row in table.order():
        one, two = table.rng.choice(table.numbers, 2, replace=False).tolist()
        a, b = table.cells[one][row], table.cells[two][row]
        if not (pd.isna(a) or pd.isna(b)) and a != b:
            yield [(row, one, b), (row, two, a)]


def _other_level(table: _Table, name: str, value: Any) -> Any:
    levels = table.original[name].dropna()
    others = levels[levels != value]
    return others.iloc[int(table.rng.integers(len(others)))] if len(others) else None


def _typo(table: _Table, name: str, value: Any) -> Any:
    letters = [i for i, letter in enumerate(value) if letter.isalpha()]
    if len(letters) < 3:
        return None
    i = int(table.rng.choice(letters))
    ways = [value[:i] + value[i + 1 :], value[:i] + value[i] + value[i:]]
    if i + 1 < len(value) and value[i + 1].isalpha():
        ways.append(value[:i] + value[i + 1] + value[i] + value[i + 2 :])
    new = ways[int(table.rng.integers(len(ways)))]
    return None if new in set(table.original[name]) else new


def _stuck(table: _Table) -> Iterator[_Change]:
    names = [name for name in table.numbers if _longest_run(table.original[name]) <= 2]
    starts = table.rng.permutation(len(table.original) - RUN).tolist() if names else []
    for start in starts:
        rows = range(start, start + RUN)
        name = names[int(table.rng.integers(len(names)))]
        true = [table.cells[name][row] for row in rows]
        value = table.cells[name][int(table.rng.integers(len(table.original)))]
        if not table.free[start : start + RUN].all() or pd.isna(value):
            continue
        if value in true or any(pd.isna(each) for each in true):
            continue
        for row in rows:
            yield [(row, name, value)]


def _longest_run(column: pd.Series) -> int:
    return int(column.groupby((column != column.shift()).cumsum()).size().max())


def _another_year(table: _Table, name: str, value: Any) -> Any:
    return _moved(value, int(table.rng.choice([-3, -2, -1, 1, 2, 3])))


def _moved(value: Any, years: int) -> Any:
    if isinstance(value, str):
        year, rest = int(value[:4]) + years, value[4:]
        return f"{year:04d}{rest.replace('-02-29', '-02-28')}"
    return value + pd.DateOffset(years=years)


def _tidy(value: float) -> float:
    """Return a number as a person would write it: 0.3 and not 0.30000000000000004."""
    return float(f"{value:.12g}")


KINDS: dict[str, _Kind] = {
    "target_x10": _scaled_target(10.0),
    "target_tenth": _scaled_target(0.1),
    "target_sign": _scaled_target(-1.0),
    "target_other_row": _target_other_row,
    "copied_row": _copied_row,
    "label_other": _label_other,
    "feature_x1000": _in_columns(lambda t: t.numbers, lambda t, name, v: _tidy(v * 1000.0)),
    "feature_sign": _in_columns(_positive, lambda t, name, v: -v),
    "inches": _in_columns(_measured, _unit(2.54)),
    "pounds": _in_columns(_measured, _unit(2.2046)),
    "swapped": _swapped,
    "category_other_row": _in_columns(lambda t: t.categories, _other_level),
    "typo": _in_columns(lambda t: t.categories, _typo),
    "stuck": _stuck,
    "century": _in_columns(lambda t: t.dates, lambda t, name, v: _moved(v, -100)),
    "year": _in_columns(lambda t: t.dates, _another_year),
}
