"""A buffer of rows that river has handed over and the model has not learnt yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .stream_input import MAX_ABS_VALUE


@final
class RowBuffer:
    """A RowBuffer holds rows that have the same names in the same order."""

    def __init__(self, names: tuple[Any, ...] = ()) -> None:
        self.names = names
        self.cached_until = 0  # the round from which coef and intercept are out of date
        self._last_columns: tuple[Any, tuple[Any, ...]] = (None, ())
        self.coef: dict[Any, float] | None = None
        self.intercept = 0.0
        self._flat: list[Any] = []
        self._copies: list[Any] = []
        self._targets: list[Any] = []
        self._blocks: list[tuple[FloatArray, FloatArray]] = []
        self._n_block_rows = 0

    def __len__(self) -> int:
        return self._n_block_rows or len(self._targets)

    @property
    def in_blocks(self) -> bool:
        """Whether the rows came in frames."""
        return self._n_block_rows > 0

    def append(self, x: Mapping[Any, Any], y: Any) -> int:
        """Add a row without a copy and return the number of rows, or 0 if it must be checked.

        One sum tells whether all entries are finite numbers. A row with other names, with an entry
        that is not a number, or of another kind than the buffered rows is not added.
        """
        try:
            if tuple(x) != self.names or self._copies or self._n_block_rows:
                return 0
            total = sum(x.values(), y)
            if not (isinstance(total, (float, int)) and -MAX_ABS_VALUE < total < MAX_ABS_VALUE):
                return 0
        except (TypeError, AttributeError, OverflowError):
            return 0
        self._flat.extend(x.values())
        self._targets.append(y)
        return len(self._targets)

    def accepts(self, names: tuple[Any, ...], copied: bool) -> bool:
        """Return whether a row with these names, with or without a copy, can be added."""
        return names == self.names and self.has_same_copies(copied)

    def has_same_copies(self, copied: bool) -> bool:
        """Return whether the buffered rows have second copies, or not, like the new row."""
        return not self._n_block_rows and (not self._targets or copied == bool(self._copies))

    def add_block(self, X: FloatArray, y: FloatArray) -> None:
        """Add the rows of a frame."""
        self._blocks.append((X.copy(), y.copy()))
        self._n_block_rows += len(y)

    def add(self, x: Mapping[Any, Any], y: Any, x_copy: Mapping[Any, Any] | None) -> None:
        """Add one row."""
        self._flat.extend(x.values())
        self._targets.append(y)
        if x_copy is not None:
            self._copies.extend([x_copy[name] for name in self.names])

    @property
    def mean_target(self) -> float:
        """The mean of the buffered targets, or zero if there are none."""
        targets = self._targets or [y for _, part in self._blocks for y in part.tolist()]
        return float(sum(targets)) / max(len(targets), 1)

    def column_names(self, X: Any) -> tuple[Any, ...]:
        """Return the column names of a frame; they are cached because reading them is slow."""
        columns = getattr(X, "columns", None)
        if columns is None:
            return tuple(range(np.shape(X)[1]))
        last = self._last_columns[0]
        if last is None or not (columns.equals(last) if hasattr(columns, "equals") else False):
            self._last_columns = (columns, tuple(columns))
        return self._last_columns[1]

    def cache_model(
        self, names: list[Any], linear_model: tuple[FloatArray, float] | None, until: int
    ) -> None:
        """Cache coefficients by name, and the intercept, until a round."""
        self.cached_until, self.coef = until, None
        if linear_model is not None:
            self.coef = dict(zip(names, linear_model[0].tolist(), strict=True))
            self.intercept = linear_model[1]

    def pop(self, n: int) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """Remove and return the first n rows, targets and copies, or all blocks."""
        if self._n_block_rows:
            blocks, self._blocks, self._n_block_rows = self._blocks, [], 0
            if len(blocks) == 1:
                return *blocks[0], None
            return (
                np.concatenate([X for X, _ in blocks]),
                np.concatenate([y for _, y in blocks]),
                None,
            )
        d = len(self.names)
        X = np.fromiter(self._flat, float, n * d).reshape(n, d)
        y = np.fromiter(self._targets, float, n)
        copy = np.fromiter(self._copies, float, n * d).reshape(n, d) if self._copies else None
        del self._flat[: n * d], self._targets[:n], self._copies[: n * d]
        return X, y, copy
