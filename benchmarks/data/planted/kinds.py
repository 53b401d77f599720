"""How each kind of mistake changes the cells of a table: see :mod:`benchmarks.data.planted`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from .columns import decimals_of, is_label, is_measured, is_number, longest_run
from .table import Change, Table

#: Standard deviations between a target and the one that takes its place.
FAR = 1.5
RUN = 8

Kind = Callable[[Table], Iterator[Change]]


def _scaled_target(factor: float) -> Kind:
    def kind(table: Table) -> Iterator[Change]:
        if table.target is None or not is_number(table.original[table.target]):
            return
        for row in table.order():
            value = table.cells[table.target][row]
            if value == value and value != 0:
                yield [(row, table.target, _tidy(value * factor))]

    return kind


def _target_other_row(applies: Callable[[pd.Series], bool]) -> Kind:
    """Return a kind that gives a row the target of another one, in tables with such targets."""

    def kind(table: Table) -> Iterator[Change]:
        if table.target is None or not applies(table.original[table.target]):
            return
        for row in table.order():
            other = _another_target(table, row)
            if other is not None:
                yield [(row, table.target, other)]

    return kind


def _copied_row(table: Table) -> Iterator[Change]:
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


def _another_target(table: Table, row: int) -> Any:
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
    columns: Callable[[Table], list[str]], change: Callable[[Table, str, Any], Any]
) -> Kind:
    """Return a kind that changes a cell of a column drawn for each row; None leaves it."""

    def kind(table: Table) -> Iterator[Change]:
        names = columns(table)
        for row in table.order() if names else ():
            name = names[int(table.rng.integers(len(names)))]
            value = table.cells[name][row]
            new = None if pd.isna(value) else change(table, name, value)
            if new is not None and new != value:
                yield [(row, name, new)]

    return kind


def _positive(table: Table) -> list[str]:
    return [name for name in table.numbers if table.original[name].min() >= 0]


def _measured(table: Table) -> list[str]:
    return [name for name in _positive(table) if is_measured(table.original[name])]


def _unit(factor: float) -> Callable[[Table, str, Any], Any]:
    """Return a change that multiplies or divides by a factor, to the column's own decimals."""

    def change(table: Table, name: str, value: Any) -> Any:
        times = factor if table.rng.random() < 0.5 else 1 / factor
        new = round(float(value * times), decimals_of(table.original[name]))
        return new if abs(new - value) > 0.3 * abs(value) else None

    return change


def _swapped(table: Table) -> Iterator[Change]:
    if len(table.numbers) < 2:
        return
    for row in table.order():
        one, two = table.rng.choice(table.numbers, 2, replace=False).tolist()
        a, b = table.cells[one][row], table.cells[two][row]
        if not (pd.isna(a) or pd.isna(b)) and a != b:
            yield [(row, one, b), (row, two, a)]


def _other_level(table: Table, name: str, value: Any) -> Any:
    levels = table.original[name].dropna()
    others = levels[levels != value]
    return others.iloc[int(table.rng.integers(len(others)))] if len(others) else None


def _typo(table: Table, name: str, value: Any) -> Any:
    letters = [i for i, letter in enumerate(value) if letter.isalpha()]
    if len(letters) < 3:
        return None
    i = int(table.rng.choice(letters))
    ways = [value[:i] + value[i + 1 :], value[:i] + value[i] + value[i:]]
    if i + 1 < len(value) and value[i + 1].isalpha():
        ways.append(value[:i] + value[i + 1] + value[i] + value[i + 2 :])
    new = ways[int(table.rng.integers(len(ways)))]
    return None if new in set(table.original[name]) else new


def _stuck(table: Table) -> Iterator[Change]:
    names = [name for name in table.numbers if longest_run(table.original[name]) <= 2]
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


def _another_year(table: Table, name: str, value: Any) -> Any:
    return _moved(value, int(table.rng.choice([-3, -2, -1, 1, 2, 3])))


def _moved(value: Any, years: int) -> Any:
    if isinstance(value, str):
        year, rest = int(value[:4]) + years, value[4:]
        return f"{year:04d}{rest.replace('-02-29', '-02-28')}"
    return value + pd.DateOffset(years=years)


def _tidy(value: float) -> float:
    """Return a number as a person would write it: 0.3 and not 0.30000000000000004."""
    return float(f"{value:.12g}")


KINDS: dict[str, Kind] = {
    "target_x10": _scaled_target(10.0),
    "target_tenth": _scaled_target(0.1),
    "target_sign": _scaled_target(-1.0),
    "target_other_row": _target_other_row(is_number),
    "copied_row": _copied_row,
    "label_other": _target_other_row(is_label),
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
