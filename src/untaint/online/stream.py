"""Rows as dictionaries, one at a time or as frames: which value goes to which column.

Columns are the names of the first row, sorted, so that the order within a dictionary does not
matter; names that turn up later get columns of their own. A name that a row does not have is zero,
as everywhere in river, or missing if the learner says so.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

import numpy as np

from .._typing import FloatArray

LARGEST = 1e150  # whose square, summed over a stream, is still a number


@final
class Columns:
    """Names to columns."""

    def __init__(self, names: Iterable[Any], absent: float) -> None:
        self.names: list[Any] = list(names)
        self.arrival = list(self.names)  # the order in which they came, in which noise is declared
        self.positions = bool(self.names) and self.names == list(range(len(self.names)))
        self.absent = absent
        self._place = {name: j for j, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def admit(self, names: Iterable[Any]) -> bool:
        """Whether there were new names, which now have columns."""
        came = [name for name in names if name not in self._place]
        new = sorted_names(came)
        self.arrival += came
        for name in new:
            self._place[name] = len(self.names)
            self.names.append(name)
        return bool(new)

    def refuse_strangers(self, names: tuple[Any, ...]) -> None:
        """Refuse names where the columns are positions, those of an array that was fitted."""
        if self.positions and names and all(isinstance(name, str) for name in names):
            raise ValueError(
                f"x must have the features 0 to {len(self.names) - 1}, the columns of the array "
                f"that was fitted, got {sorted_names(names)}."
            )

    def in_order(self, cov: FloatArray) -> FloatArray:
        """A matrix by arrival in the columns' order."""
        places = self.places(self.arrival)
        out = np.empty_like(cov)
        out[np.ix_(places, places)] = cov
        return out

    def places(self, names: Iterable[Any]) -> list[int]:
        """Columns of these names."""
        return [self._place[name] for name in names]

    def values(self, row: Mapping[Any, Any]) -> FloatArray:
        """One row in the columns' order; names without a column are left out."""
        return np.array([[row.get(name, self.absent) for name in self.names]], dtype=float)

    def table(self, names: Sequence[Any], rows: FloatArray) -> FloatArray:
        """Rows in the columns' order; names without a column are left out."""
        if list(names) == self.names:
            return rows
        out = np.full((len(rows), len(self.names)), self.absent)
        for k, name in enumerate(names):
            if name in self._place:
                out[:, self._place[name]] = rows[:, k]
        return out


@final
class Waiting:
    """Rows from river that have not been learnt yet, all with the same names in the same order."""

    def __init__(self, names: tuple[Any, ...] = ()) -> None:
        self.names = names
        self.next_due = 0  # round from which predictions may see more of them
        self._frame: tuple[Any, tuple[Any, ...]] = (None, ())
        self.kept = False  # whether weights and intercept are those of the moment
        self.weights: dict[Any, float] | None = None
        self.intercept = 0.0
        self._flat: list[Any] = []
        self._copies: list[Any] = []
        self._targets: list[Any] = []
        self._blocks: list[tuple[FloatArray, FloatArray]] = []
        self._in_blocks = 0

    def __len__(self) -> int:
        return self._in_blocks or len(self._targets)

    @property
    def in_blocks(self) -> bool:
        """Whether the rows came in frames."""
        return self._in_blocks > 0

    def fits(self, names: tuple[Any, ...], copied: bool) -> bool:
        """Whether a row of these names, with a copy or not, can wait with the others."""
        return names == self.names and self.mixes(copied)

    def mixes(self, copied: bool) -> bool:
        """Whether the others have copies, or not, like this one."""
        return not self._in_blocks and (not self._targets or copied == bool(self._copies))

    def add_block(self, X: FloatArray, y: FloatArray) -> None:
        """Keep the rows of a frame."""
        self._blocks.append((X.copy(), y.copy()))
        self._in_blocks += len(y)

    def add(self, x: Mapping[Any, Any], y: Any, x_copy: Mapping[Any, Any] | None) -> None:
        """Keep a row."""
        self._flat.extend(x.values())
        self._targets.append(y)
        if x_copy is not None:
            self._copies.extend([x_copy[name] for name in self.names])

    @property
    def mean_target(self) -> float:
        """Mean of the targets that wait; zero if there are none."""
        targets = self._targets or [y for _, part in self._blocks for y in part.tolist()]
        return float(sum(targets)) / max(len(targets), 1)

    def names_of(self, X: Any) -> tuple[Any, ...]:
        """Column names of a frame, read anew only if they differ from the last one's."""
        columns = getattr(X, "columns", None)
        if columns is None:
            return tuple(range(np.shape(X)[1]))
        last = self._frame[0]
        if last is None or not (columns.equals(last) if hasattr(columns, "equals") else False):
            self._frame = (columns, tuple(columns))
        return self._frame[1]

    def keep(self, names: list[Any], line: tuple[FloatArray, float] | None) -> None:
        """Keep weights by name, and the intercept, for the predictions until more is due."""
        self.kept, self.weights = True, None
        if line is not None:
            self.weights = dict(zip(names, line[0].tolist(), strict=True))
            self.intercept = line[1]

    def take(self, n: int) -> tuple[FloatArray, FloatArray, FloatArray | None]:
        """The first n rows, targets and copies, which then wait no longer; of blocks, all."""
        if self._in_blocks:
            blocks, self._blocks, self._in_blocks = self._blocks, [], 0
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


def check_row(x: Any, y: Any, x_copy: Any, gaps: bool) -> None:
    """Names and finite numbers, or one sentence about what else was found."""
    for name, row in (("x", x), ("x_copy", x_copy)):
        if row is None and name == "x_copy":
            continue
        if not isinstance(row, Mapping):
            raise ValueError(f"{name} must be a dict of features, got {type(row).__name__}.")
        for feature, value in row.items():
            if not _is_number(value, gaps):
                raise ValueError(
                    f"{name} must hold finite numbers, got {value!r} for the feature {feature!r}."
                )
    if x_copy is not None and x.keys() != x_copy.keys():
        raise ValueError(
            f"x_copy must have the features of x, {sorted_names(x)}, got {sorted_names(x_copy)}."
        )
    if not _is_number(y, False):
        raise ValueError(f"y must be a finite number, got {y!r}.")


def _is_number(value: Any, gap: bool) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return (
        np.ndim(value) == 0
        and not isinstance(value, str)
        and (abs(number) < LARGEST or (gap and np.isnan(number)))
    )


def sorted_names(row: Iterable[Any]) -> list[Any]:
    """Names in an order that does not depend on the dictionary."""
    return sorted(row, key=lambda name: (type(name).__name__, name if _sorts(name) else repr(name)))


def _sorts(name: Any) -> bool:
    return isinstance(name, (str, int, float))


def frame_values(name: str, X: Any, gaps: bool = False) -> FloatArray:
    """A frame's or series' numbers, or one sentence about what is not a finite number."""
    try:
        values = np.asarray(X.to_numpy() if hasattr(X, "to_numpy") else X, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}.") from None
    total = float(values.sum())
    if -LARGEST < total < LARGEST:
        return values
    if not ((np.abs(values) < LARGEST) | (gaps & np.isnan(values))).all():
        raise ValueError(f"{name} must hold finite numbers, and none beyond {LARGEST:g}.")
    return values


def like(values: FloatArray, X: Any) -> Any:
    """Predictions as a series of the library that X is from."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        return sys.modules["pandas"].Series(values, index=X.index)
    if library == "polars":
        return sys.modules["polars"].Series(values=values)
    return values
