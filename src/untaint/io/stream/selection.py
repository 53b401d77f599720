"""Selection of the columns that are read, and their order.

The first file or block decides: features are the requested columns, or all but the target. Later
ones are matched to it, by name where there are names and by position where there are none.
"""

from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any, NamedTuple

from ..errors import DataFileError, listed


class ColumnSelection(NamedTuple):
    """Positions of features and target in one file or block, and what messages call them."""

    features: list[int]
    target: int | None
    titles: list[str]
    target_title: str

    @property
    def positions(self) -> list[int]:
        """The features, then the target if there is one."""
        return self.features + ([] if self.target is None else [self.target])


class _Reference(NamedTuple):
    place: str
    width: int
    features: list[int]
    target: int | None
    target_name: str | None


class ColumnSelector:
    """The user's choice of columns, fixed by the first table that is seen."""

    def __init__(self, target: Any, columns: Any) -> None:
        self.target = _checked_key("target", target) if target is not None else None
        self.columns = None if columns is None else _checked_keys(columns)
        self.names: list[str] | None = None
        self._reference: _Reference | None = None

    def select(self, place: str, names: Sequence[str] | None, width: int) -> ColumnSelection:
        """Find the columns in a table, given its names or, if it has none, its width."""
        if names is not None:
            _check_distinct(place, names)
        if self._reference is None:
            return self._select_first(place, names, width)
        if names is None:
            return self._select_by_position(self._reference, place, width)
        return self._select_by_name(self._reference, place, names)

    def _select_first(self, place: str, names: Sequence[str] | None, width: int) -> ColumnSelection:
        target = None
        if self.target is not None:
            target = _position("target", self.target, place, names, width)
        if self.columns is None:
            _check_all_named(place, names)
            features = [j for j in range(width) if j != target]
        else:
            features = [_position("columns", key, place, names, width) for key in self.columns]
        _check_features(place, features, target)
        self.names = None if names is None else [names[j] for j in features]
        target_name = None if names is None or target is None else names[target]
        self._reference = _Reference(place, width, features, target, target_name)
        return _make_selection(features, target, names)

    def _select_by_position(self, first: _Reference, place: str, width: int) -> ColumnSelection:
        if self.names is not None:
            raise DataFileError(f"{place}: expected columns with names as in {first.place}.")
        if width != first.width:
            raise DataFileError(
                f"{place}: expected {first.width} columns as in {first.place}, found {width}."
            )
        return _make_selection(first.features, first.target, None)

    def _select_by_name(
        self, first: _Reference, place: str, names: Sequence[str]
    ) -> ColumnSelection:
        if self.names is None:
            raise DataFileError(f"{place}: expected columns without names as in {first.place}.")
        wanted = self.names + ([first.target_name] if first.target_name is not None else [])
        position = {name: j for j, name in enumerate(names)}
        missing = [name for name in wanted if name not in position]
        extra = set(names).difference(wanted) if self.columns is None else set()
        new = [name for name in names if name in extra]
        if missing or new:
            differences = [f"found no {listed(missing)}"] if missing else []
            differences += [f"found {listed(new)} besides"] if new else []
            raise DataFileError(
                f"{place}: expected the columns of {first.place}, {' and '.join(differences)}."
            )
        target = None if first.target_name is None else position[first.target_name]
        return _make_selection([position[name] for name in self.names], target, names)


def _make_selection(
    features: list[int], target: int | None, names: Sequence[str] | None
) -> ColumnSelection:
    def title(j: int) -> str:
        return f"column {j}" if names is None else f"column {names[j]!r}"

    target_title = "the target" if target is None else title(target)
    return ColumnSelection(features, target, [title(j) for j in features], target_title)


def _checked_key(parameter: str, key: Any) -> str | int:
    if isinstance(key, str):
        return key
    if isinstance(key, Integral) and not isinstance(key, bool):
        return int(key)
    raise ValueError(
        f"{parameter} must be the name of a column, or its position where columns have no names, "
        f"got {key!r}."
    )


def _checked_keys(columns: Any) -> list[str | int]:
    if isinstance(columns, str) or not hasattr(columns, "__iter__"):
        raise ValueError(f"columns must be a list of names, got {columns!r}.")
    keys = [_checked_key("columns", key) for key in columns]
    if not keys:
        raise ValueError("columns must name at least one column, got an empty list.")
    return keys


def _position(
    parameter: str, key: str | int, place: str, names: Sequence[str] | None, width: int
) -> int:
    if names is None:
        if isinstance(key, int) and -width <= key < width:
            return key % width
        raise DataFileError(
            f"{place}: its columns have no names, so {parameter} must hold a position below "
            f"{width}, got {key!r}."
        )
    if key and key in names:
        return names.index(key)
    close = get_close_matches(str(key), names, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    raise DataFileError(
        f"{place}: {parameter} must name one of its columns, {listed(names)}, got {key!r}.{hint}"
    )


def _check_distinct(place: str, names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if name and times > 1:
            raise DataFileError(
                f"{place}: expected distinct column names, found {name!r} {times} times."
            )


def _check_all_named(place: str, names: Sequence[str] | None) -> None:
    if names is not None and "" in names:
        # An index that was written along is not a feature, and would go unnoticed.
        raise DataFileError(
            f"{place}: expected a name for every column, found none for column "
            f"{names.index('') + 1} of {len(names)}; name it, or say in columns which to read."
        )


def _check_features(place: str, features: list[int], target: int | None) -> None:
    if not features:
        raise DataFileError(f"{place}: expected at least one column besides the target, found 0.")
    if target in features:
        raise DataFileError(f"{place}: the target must not be among columns.")
    if len(set(features)) < len(features):
        raise DataFileError(f"{place}: columns must name every column once.")
