"""A buffer of rows that river has handed over and the model has not learnt yet."""

from collections.abc import Mapping
from struct import pack_into
from typing import Any, final

import numpy as np
from scipy.linalg.blas import ddot

from .._typing import FloatArray
from .scaling import Scaling, scaling_of
from .stream_input import MAX_ABS_VALUE, check_finite

_MAX_BLOCK_NUMBERS = 2**19  # in the rows of frames that wait to be learnt


@final
class RowBuffer:
    """A RowBuffer holds rows that have the same names in the same order.

    Single rows are kept as numbers in one list: 1, the features, the target; 1, the features, ...
    The 1 of the row that comes next is there already. Rows of frames are kept in an array.
    """

    def __init__(self, names: tuple[Any, ...] = (), scaling: Any = None) -> None:
        self.names, self._names, self._width = names, list(names), len(names) + 2
        self.scaling = scaling  # that rows must carry to be appended; False if none may be
        self._plain_names: list[Any] | None = self._names  # None: rows of frames or copies wait
        self.cached_until = 0  # the round from which coef and intercept are out of date
        self._last_columns: tuple[Any, tuple[Any, ...]] = (None, ())
        self.coef_by_name: dict[Any, float] = {}
        self.intercept = 0.0
        self.coef: list[float] = []
        self.coef_names: list[Any] | None = None  # rows that coef is for; None if not linear
        self._flat: list[Any] = [1.0]
        self._copies: list[Any] = []
        self._block_rows = np.empty((0, self._width))  # rows (1, X, y) of frames
        self._n_block_rows, self._max_block_rows = 0, _MAX_BLOCK_NUMBERS // self._width

    def __len__(self) -> int:
        return self._n_block_rows or len(self._flat) // self._width

    @property
    def in_blocks(self) -> bool:
        """Whether the rows came in frames."""
        return self._n_block_rows > 0

    @property
    def has_single_rows(self) -> bool:
        """Whether rows wait that did not come in frames."""
        return len(self._flat) > 1

    def append(self, x: Mapping[Any, Any], y: Any) -> bool:
        """Add a row without a copy, and return whether this was possible without further checks.

        One sum tests whether all entries are finite numbers. A row with other names, with an entry
        that is not a number, or of another kind than the buffered rows is not added.
        """
        try:
            if [*x] != self._plain_names:
                return False
            if (None if x.__class__ is dict else scaling_of(x)) is not self.scaling:
                return False
            values = x.values()
            total = sum(values, y)
            if not -MAX_ABS_VALUE < total < MAX_ABS_VALUE:
                return False
            if total.__class__ is not float and not isinstance(total, (float, int)):
                return False
        except (TypeError, AttributeError, OverflowError, ValueError):
            return False
        flat = self._flat
        flat.extend(values)
        flat.append(y)
        flat.append(1.0)
        return True

    def has_same_copies(self, copied: bool) -> bool:
        """Return whether the buffered rows have second copies, or not, like the new row."""
        return not self._n_block_rows and (not len(self) or copied == bool(self._copies))

    def add_block(self, X: FloatArray, y: FloatArray, gaps: bool) -> bool:
        """Add the rows of a frame, raise unless they are finite, and return whether to learn."""
        start = self._n_block_rows
        stop = start + len(y)
        if stop > len(self._block_rows):
            self._reserve(stop)
        block = self._block_rows[start:stop]
        block[:, 1:-1] = X
        block[:, -1] = y
        flat = block.ravel()
        if not ddot(flat, flat) < MAX_ABS_VALUE**2:  # too large, or NaN
            check_finite("X", X, gaps)
            check_finite("y", y, False)
        self._n_block_rows, self._plain_names = stop, None
        return stop >= self._max_block_rows

    def _reserve(self, n: int) -> None:
        """Make room for the rows of frames, n in all or more."""
        first = not self._n_block_rows  # it may be the only one
        rows = np.empty((n if first else max(n, self._max_block_rows + n // 4), self._width))
        rows[:, 0] = 1.0
        rows[: self._n_block_rows] = self._block_rows[: self._n_block_rows]
        self._block_rows = rows

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_block_rows": self._block_rows[: self._n_block_rows].copy()}

    def add(self, x: Mapping[Any, Any], y: Any, x_copy: Mapping[Any, Any] | None) -> None:
        """Add one row."""
        self._flat += (*x.values(), y, 1.0)
        if x_copy is not None:
            self._copies.extend([x_copy[name] for name in self.names])
            self._plain_names = None

    def rescale(self, scaling: Scaling) -> None:
        """Scale the buffered rows and copies, which wait for a scaling."""
        n, width = len(self), self._width
        rows = np.array(self._flat[: n * width], dtype=float).reshape(n, width)
        rows[:, 1:-1] = scaling.columns(self.names, rows[:, 1:-1])
        self._flat[: n * width] = rows.ravel().tolist()
        if self._copies:
            copies = np.array(self._copies, dtype=float).reshape(n, width - 2)
            self._copies = scaling.columns(self.names, copies).ravel().tolist()

    @property
    def mean_target(self) -> float:
        """The mean of the buffered targets, or zero if there are none."""
        targets = self._flat[self._width - 1 :: self._width]
        if self._n_block_rows:
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
            names = tuple(columns)
            if len(set(names)) < len(names):
                raise ValueError(f"X must have column names that all differ, got {[*names]}.")
            self._last_columns = (columns, names)
        return self._last_columns[1]

    def cache_model(
        self, names: list[Any], linear_model: tuple[FloatArray, float] | None, until: int
    ) -> None:
        """Cache the coefficients and the intercept until a round."""
        self.cached_until, self.coef_names = until, None
        if linear_model is not None:
            self.coef = linear_model[0].tolist()
            self.coef_by_name = dict(zip(names, self.coef, strict=True))
            if names != self._names:
                self.coef = [self.coef_by_name.get(name, 0.0) for name in self._names]
            self.coef_names, self.intercept = self._names, linear_model[1]

    def pop(self, n: int) -> tuple[FloatArray, FloatArray | None]:
        """Remove and return the first n rows (1, x, y), and the copies of x."""
        if self._n_block_rows:  # all of them, which are learnt before their place is used again
            self._n_block_rows, self._plain_names = 0, self._names
            return self._block_rows[:n], None
        rows = _remove(self._flat, n, self._width)
        if not self._copies:
            return rows, None
        copies = _remove(self._copies, n, self._width - 2)
        self._plain_names = None if self._copies else self._names
        return rows, copies


def _remove(numbers: list[Any], n: int, width: int) -> FloatArray:
    """Remove n rows from the front of a list of numbers, and return them as an array."""
    rows = np.empty((n, width))
    pack_into(f"{rows.size}d", rows.data, 0, *numbers[: rows.size])
    del numbers[: rows.size]
    return rows
