"""The mapping of feature names to columns in a stream of dictionaries or frames.

Columns are the names of the first row, sorted, so that the order within a dictionary does not
matter; names that occur later get new columns. A feature that a row does not have is zero, as
everywhere in river, or NaN if the learner treats absent features as missing.
"""

from collections.abc import Iterable, Sequence
from typing import Any, final

import numpy as np

from .._typing import FloatArray


@final
class FeatureIndex:
    """A FeatureIndex maps feature names to columns."""

    def __init__(self, names: Iterable[Any], fill_value: float) -> None:
        self.names: list[Any] = list(names)
        self.arrival_order = list(self.names)  # an array given as noise_cov is in this order
        self.is_positional = bool(self.names) and self.names == list(range(len(self.names)))
        self.fill_value = fill_value
        self._position = {name: j for j, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def add_names(self, names: Iterable[Any]) -> bool:
        """Add columns for unknown names, and return whether there were any."""
        unknown = [name for name in names if name not in self._position]
        if not unknown:
            return False
        self.arrival_order += unknown
        for name in sorted_names(unknown):
            self._position[name] = len(self.names)
            self.names.append(name)
        return True

    def check_names(self, names: tuple[Any, ...]) -> None:
        """Raise if names are given although the model was fitted to an array without names."""
        if self.is_positional and names and all(isinstance(name, str) for name in names):
            raise ValueError(
                f"x must have the features 0 to {len(self.names) - 1}, the columns of the array "
                f"that was fitted, got {sorted_names(names)}."
            )

    def reorder_cov(self, cov: FloatArray) -> FloatArray:
        """Reorder a covariance from the order of arrival to the order of the columns."""
        positions = self.positions(self.arrival_order)
        out = np.empty_like(cov)
        out[np.ix_(positions, positions)] = cov
        return out

    def positions(self, names: Iterable[Any]) -> list[int]:
        """Return the columns of these names."""
        return [self._position[name] for name in names]

    def align(self, names: Sequence[Any], rows: FloatArray) -> FloatArray:
        """Return rows in the order of the columns, without the names that have no column."""
        if list(names) == self.names:
            return rows
        out = np.full((len(rows), len(self.names)), self.fill_value)
        for k, name in enumerate(names):
            if name in self._position:
                out[:, self._position[name]] = rows[:, k]
        return out


def sorted_names(row: Iterable[Any]) -> list[Any]:
    """Sort names by type and value, so that the result does not depend on their order."""

    def key(name: Any) -> tuple[str, Any]:
        return type(name).__name__, name if isinstance(name, str | int | float) else repr(name)

    return sorted(row, key=key)
