"""A buffer of rows that river has handed over and the model has not learnt yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from .._typing import FloatArray


@final
class RowBuffer:
    """A RowBuffer holds rows that have the same names in the same order."""

    def __init__(self, names: tuple[Any, ...] = ()) -> None:
        self.names = names
        self.next_refit = 0  # the round from which predictions may use newer rows
        self._last_columns: tuple[Any, tuple[Any, ...]] = (None, ())
        self.model_cached = False  # whether coef and intercept are up to date
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

    def cache_model(self, names: list[Any], linear_model: tuple[FloatArray, float] | None) -> None:
        """Cache coefficients by name, and the intercept, until the next refit."""
        self.model_cached, self.coef = True, None
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
        X = np.array(self._flat[: n * d], dtype=float).reshape(n, d)
        y = np.array(self._targets[:n], dtype=float)
        copy = np.array(self._copies[: n * d], dtype=float).reshape(n, d) if self._copies else None
        del self._flat[: n * d], self._targets[:n], self._copies[: n * d]
        return X, y, copy
