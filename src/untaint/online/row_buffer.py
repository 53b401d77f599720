"""A buffer of rows that river has handed over and the model has not learnt yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .noisy_batch import NoisyBatch
from .scaling import Scaling
from .stream_input import MAX_ABS_VALUE, check_finite

_MAX_IN_ADVANCE = 16384  # largest number of rows for which memory is reserved before they come
_PADDING = 40  # rows reserved in addition


@final
class RowBuffer:
    """A RowBuffer holds rows that have the same names in the same order."""

    def __init__(self, names: tuple[Any, ...] = ()) -> None:
        self.names, self._names = names, list(names)
        self.cached_until = 0  # the round from which coef and intercept are out of date
        self._last_columns: tuple[Any, tuple[Any, ...]] = (None, ())
        self.coef: dict[Any, float] | None = None
        self.intercept = 0.0
        self._flat: list[Any] = []
        self._copies: list[Any] = []
        self._targets: list[Any] = []
        self._block_rows: FloatArray | None = None  # rows (1, X, y) of frames, by column
        self._spare_rows: FloatArray | None = None  # such an array, to be used again
        self._n_block_rows = 0

    def __len__(self) -> int:
        return self._n_block_rows or len(self._targets)

    @property
    def in_blocks(self) -> bool:
        """Whether the rows came in frames."""
        return self._n_block_rows > 0

    def append(self, x: Mapping[Any, Any], y: Any) -> int:
        """Add a row without a copy and return the number of rows, or 0 if it must be checked.

        One sum tests whether all entries are finite numbers. A row with other names, with an entry
        that is not a number, or of another kind than the buffered rows is not added.
        """
        try:
            if [*x] != self._names or self._copies or self._n_block_rows:
                return 0
            values = x.values()
            total = sum(values, y)
            if not (-MAX_ABS_VALUE < total < MAX_ABS_VALUE and isinstance(total, (float, int))):
                return 0
        except (TypeError, AttributeError, OverflowError, ValueError):
            return 0
        self._flat += values
        self._targets.append(y)
        return len(self._targets)

    def accepts(self, names: tuple[Any, ...], copied: bool) -> bool:
        """Return whether a row with these names, with or without a copy, can be added."""
        return names == self.names and self.has_same_copies(copied)

    def has_same_copies(self, copied: bool) -> bool:
        """Return whether the buffered rows have second copies, or not, like the new row."""
        return not self._n_block_rows and (not self._targets or copied == bool(self._copies))

    def add_block(self, X: FloatArray, y: FloatArray, gaps: bool) -> None:
        """Add the rows of a frame, and raise unless they are finite numbers."""
        start, stop = self._n_block_rows, self._n_block_rows + len(y)
        block = self._rows_with_room(stop)[start:stop]
        block[:, 1:-1] = X
        block[:, -1] = y
        if not -MAX_ABS_VALUE < np.add.reduce(block, axis=None) < MAX_ABS_VALUE:
            check_finite("X", X, gaps)
            check_finite("y", y, False)
        self._n_block_rows = stop

    def _rows_with_room(self, n: int) -> FloatArray:
        """Return the array of the frames' rows, with room for n of them."""
        rows = self._block_rows
        if rows is None and self._spare_rows is not None and len(self._spare_rows) >= n:
            self._block_rows, self._spare_rows = self._spare_rows, None
            return self._block_rows
        if rows is None or len(rows) < n:
            # Columns whose distance is a power of two would compete for the same cache lines.
            n_reserved = max(n, min(2 * n, _MAX_IN_ADVANCE)) + _PADDING
            new = np.empty((n_reserved, len(self.names) + 2), order="F")
            new[:, 0] = 1.0
            if rows is not None:
                new[: self._n_block_rows] = rows[: self._n_block_rows]
            self._block_rows = rows = new
        return rows

    def __getstate__(self) -> dict[str, Any]:
        rows = self._block_rows
        stored = None if rows is None else rows[: self._n_block_rows].copy(order="K")
        return {**vars(self), "_block_rows": stored, "_spare_rows": None}

    def add(self, x: Mapping[Any, Any], y: Any, x_copy: Mapping[Any, Any] | None) -> None:
        """Add one row."""
        self._flat.extend(x.values())
        self._targets.append(y)
        if x_copy is not None:
            self._copies.extend([x_copy[name] for name in self.names])

    def rescale(self, scaling: Scaling) -> None:
        """Scale the buffered rows and copies, which wait for a scaling."""
        n, d = len(self._targets), len(self.names)
        for values in (self._flat, self._copies):
            if values:
                rows = np.array(values, dtype=float).reshape(n, d)
                values[:] = scaling.columns(self.names, rows).ravel().tolist()

    @property
    def mean_target(self) -> float:
        """The mean of the buffered targets, or zero if there are none."""
        targets = self._targets
        if self._block_rows is not None:
            targets = self._block_rows[: self._n_block_rows, -1].tolist()
        return float(sum(targets)) / max(len(targets), 1)

    def column_names(self, X: Any) -> tuple[Any, ...]:
        """Return the column names of a frame; they are cached because reading them is slow."""
        columns = getattr(X, "columns", None)
        if columns is None:
            return tuple(range(np.shape(X)[1]))
        last = self._last_columns[0]
        if columns is last:
            return self._last_columns[1]
        if last is None or not hasattr(columns, "equals") or not columns.equals(last):
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

    def pop(self, n: int) -> NoisyBatch:
        """Remove and return the first n rows, targets and copies."""
        if self._block_rows is not None:
            return self._pop_block(n)
        d = len(self.names)
        rows = np.empty((n, d + 2))
        rows[:, 0] = 1.0
        rows[:, 1:-1] = np.fromiter(self._flat, float, n * d).reshape(n, d)
        rows[:, -1] = self._targets[:n]
        copy = np.fromiter(self._copies, float, n * d).reshape(n, d) if self._copies else None
        del self._flat[: n * d], self._targets[:n], self._copies[: n * d]
        return NoisyBatch(rows[:, 1:-1], rows[:, -1], copy, None, rows=rows)

    def _pop_block(self, n: int) -> NoisyBatch:
        """Remove and return the first n rows of the frames."""
        assert self._block_rows is not None
        used, n_remaining = self._block_rows, self._n_block_rows - n
        self._block_rows, self._n_block_rows = None, 0
        if n_remaining:
            self._rows_with_room(n_remaining)[:n_remaining] = used[n : n + n_remaining]
            self._n_block_rows = n_remaining
        self._spare_rows = used  # by then the rows that are returned have been learnt
        rows = used[:n]
        return NoisyBatch(rows[:, 1:-1], rows[:, -1], None, None, rows=rows)
