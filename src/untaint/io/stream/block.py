"""Blocks of rows as readers pass them to the spool, and the cells of a block turned into them."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._typing import AnyArray
from ..errors import DataFileError
from .checks import FLOAT64, fits, label_error, value_error
from .selection import ColumnSelection

_BLOCK_CELLS = 2**20  # 8 MB of float64


class RowBlock(NamedTuple):
    """A block of checked rows.

    ``X`` holds finite numbers that fit into the requested dtype, of any numeric dtype; ``y`` is
    float64, or text as objects, or None; ``place`` is what a message calls the block.
    """

    X: AnyArray
    y: AnyArray | None
    place: str


class BlockFormat(NamedTuple):
    """The dtype of the spooled rows, and how many of them to hold at a time."""

    dtype: np.dtype[Any]
    block_rows: int | None = None

    def rows_per_block(self, width: int) -> int:
        """Return the number of rows in a block of ``width`` columns."""
        return self.block_rows or max(1, _BLOCK_CELLS // max(1, width))


class Converter(NamedTuple):
    """Makes rows of the selected cells of a block.

    ``row_name`` says where a row stands, given how many come before it, ``first`` in other blocks.
    """

    selection: ColumnSelection
    dtype: np.dtype[Any]
    place: str
    first: int = 0
    row_name: Callable[[int], str] = "row {}".format

    def error(self, row: int, title: str, fault: str) -> DataFileError:
        """Return an error about a cell."""
        return DataFileError(f"{self.place}, {self.row_name(self.first + row)}: {title} {fault}.")

    def from_columns(self, columns: Sequence[AnyArray]) -> RowBlock:
        """Return rows of columns: the features, then the target if there is one."""
        titles = self.selection.titles
        X = np.empty((len(columns[0]), len(titles)))
        for j, (values, title) in enumerate(zip(columns, titles, strict=False)):
            if values.dtype.kind == "O":
                self._check_each(values, title, self.dtype)
            elif values.dtype.kind not in "biuf":
                found = "text" if values.dtype.kind in "UT" else values.dtype.name
                raise DataFileError(f"{self.place}: {title} should hold numbers, found {found}.")
            X[:, j] = values
        return self.from_matrix(X, columns[-1] if len(columns) > len(titles) else None)

    def from_matrix(self, X: AnyArray, target: AnyArray | None) -> RowBlock:
        """Return rows of numbers, and their targets."""
        self._check(X, self.dtype, self.selection.titles)
        return RowBlock(X, None if target is None else self.targets(target), self.place)

    def targets(self, values: AnyArray) -> AnyArray:
        """Return a column of targets as float64 or, if it is text, as objects."""
        title, kind = self.selection.target_title, values.dtype.kind
        if kind in "biuf":
            self._check(values[:, np.newaxis], FLOAT64, [title])
        elif kind not in "UTO":
            raise DataFileError(
                f"{self.place}: {title} should hold numbers or text, found {values.dtype.name}."
            )
        elif len(values) and isinstance(values[0], str):
            self._check_each(values, title, None)
            return shared_labels(values.tolist())
        else:
            self._check_each(values, title, FLOAT64)
        return values.astype(np.float64)

    def _check(self, X: AnyArray, dtype: np.dtype[Any], titles: Sequence[str]) -> None:
        """Raise an error for the first number that is not finite or does not fit."""
        if not fits(X, dtype):
            largest = float(np.finfo(dtype).max)
            row, column = np.argwhere(~(np.abs(X.astype(np.float64)) <= largest))[0].tolist()
            raise self.error(row, titles[column], value_error(X[row, column], dtype) or "")

    def _check_each(self, values: AnyArray, title: str, dtype: np.dtype[Any] | None) -> None:
        """Raise an error for the first object that is no number, or no text without a dtype."""
        for row, value in enumerate(values.tolist()):
            fault = label_error(value) if dtype is None else value_error(value, dtype)
            if fault:
                raise self.error(row, title, fault)


def shared_labels(values: list[str]) -> AnyArray:
    """Return text as an object array in which equal labels are one object."""
    seen: dict[str, str] = {}
    labels = np.empty(len(values), dtype=object)
    labels[:] = [seen.setdefault(value, value) for value in values]
    return labels
