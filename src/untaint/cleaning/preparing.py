"""A table as numbers: encoded features, targets and task."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray, IntArray
from ..io import DataFileError, RawTable, TableEncoder, TargetColumn, read_target
from ..io.errors import shortened
from ..preprocessing import MedianScaler
from .findings import Task
from .refit import MAX_TARGET, MIN_TARGET
from .task import decide_task

# Least number of rows with a target.
FEWEST = 10


@dataclass(frozen=True)
class Prepared:
    """A table as encoded features and targets.

    Attributes
    ----------
    encoder, scaler
        Fitted to all rows.
    target : TargetColumn
    rows : int array of shape (n,)
        Positions of the rows that have a target.
    X : array of shape (n, p)
        Features in robust deviations.
    y : array of shape (n,)
        Numeric targets, or class labels as text.
    task : {"regression", "classification"}
    task_note : str
        Note on an uncertain task for the user, or empty.
    """

    encoder: TableEncoder
    scaler: MedianScaler
    target: TargetColumn
    rows: IntArray
    X: FloatArray
    y: NDArray[Any]
    task: Task
    task_note: str


def prepare(table: RawTable, target: str, task: str, ignore: Sequence[str] = ()) -> Prepared:
    """Encode a table, scale its features and decide the task."""
    column = read_target(table, target)
    present = ~column.missing
    if present.sum() < FEWEST:
        raise DataFileError(
            f"{table.source}: expected at least {FEWEST} rows with a {column.name!r}, "
            f"found {int(present.sum())}."
        )
    encoder = TableEncoder(leave_out=tuple(ignore))
    scaler = MedianScaler()
    X = scaler.fit_transform(encoder.fit_transform(table, target=column.name)[present])
    if column.kind == "date":
        raise DataFileError(
            f"{table.source}: expected a target of numbers or labels, and {column.name!r} holds "
            "dates."
        )
    has_words = column.kind == "category" and bool(column.unreadable.any())
    if has_words and task == "regression":
        raise _words_among_numbers(table, column)
    try:
        decided, task_note = decide_task(column.name, column.values[present], X, task)
    except ValueError as error:
        raise DataFileError(f"{table.source}: {error}") from None
    y = (
        _class_labels(table, column, present)
        if decided == "classification"
        else column.values[present]
    )
    _check_targets(table, column, y, decided)
    if has_words and task == "auto":
        task_note = (
            f"{column.name!r} is treated as class labels, because "
            f"{_count_unreadable(table, column)}; if it is a numeric target, correct these cells "
            "or empty them."
        )
    rows = np.flatnonzero(present)
    return Prepared(encoder, scaler, column, rows, X, y, decided, task_note)


def _class_labels(table: RawTable, column: TargetColumn, present: BoolArray) -> NDArray[Any]:
    if column.values.dtype == object:
        return np.array([str(label) for label in column.values[present]])
    return np.array([_plain_number(value) for value in column.values[present]])


def _plain_number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


def _words_among_numbers(table: RawTable, column: TargetColumn) -> DataFileError:
    """Return the error for a target with too many words among its numbers."""
    return DataFileError(
        f"{table.source}: expected numbers in the target {column.name!r}, and "
        f"{_count_unreadable(table, column)}; correct these cells or empty them, and rows without "
        "a target are set aside."
    )


def _count_unreadable(table: RawTable, column: TargetColumn) -> str:
    rows = np.flatnonzero(column.unreadable)
    example = shortened(table.cell(int(rows[0]), column.position).strip())
    words = "1 is no number" if len(rows) == 1 else f"{len(rows):,} are no numbers"
    return (
        f"of its {int((~column.missing).sum()):,} cells {words}, such as {example} in "
        f"{table.place(int(rows[0]))}"
    )


def _check_targets(table: RawTable, column: TargetColumn, y: NDArray[Any], task: Task) -> None:
    name = column.name
    distinct, counts = np.unique(y, return_counts=True)
    if len(distinct) < 2:
        texts = {table.cell(int(row), column.position) for row in np.flatnonzero(~column.missing)}
        if len(texts) > 1:
            a, b = sorted(texts)[:2]
            raise DataFileError(
                f"{table.source}: expected numbers that double precision can tell apart in the "
                f"target {name!r}, found {shortened(a)} and {shortened(b)}; labels may be written "
                "with a letter before them."
            )
        raise DataFileError(
            f"{table.source}: expected a target that varies, and {name!r} is {distinct[0]} in "
            "every row."
        )
    if task == "regression" and (np.abs(y).max() < MIN_TARGET or np.median(np.abs(y)) > MAX_TARGET):
        raise DataFileError(
            f"{table.source}: expected targets between {MIN_TARGET:g} and {MAX_TARGET:g} in size, "
            f"and {name!r} has sizes up to {np.abs(y).max():.3g}; multiply it by a power of ten."
        )
    if task == "classification" and len(distinct) > len(y) / 3:
        if column.kind == "category" and column.unreadable.any():
            raise _words_among_numbers(table, column)
        raise DataFileError(
            f"{table.source}: expected labels that many rows share, and {name!r} has "
            f"{len(distinct)} different ones in {len(y)} rows; is it the right target?"
        )
    if task == "classification" and np.sort(counts)[-2] < 2:
        raise DataFileError(
            f"{table.source}: expected at least two labels with two rows each in {name!r}, "
            "found one."
        )
