"""The targets y: numbers if all of them are, else text; one kind throughout.

They stay in memory. Equal labels share one object, so that text costs one pointer for each row.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataFileError, shortened
from .checks import FLOAT64, check_matrix, is_missing, value_error


class TextTargetError(Exception):
    """A column that was read as numbers holds text; a file has to be read again, as text.

    Numbers cannot be turned back into what was written: "01" and "1" are two labels.
    """


class Targets:
    """The targets that have been read so far."""

    def __init__(self) -> None:
        self._blocks: list[NDArray[Any]] = []
        self._place = ""

    def add(self, y: NDArray[Any] | None, place: str) -> None:
        """Append the targets of a block; an empty one does not determine their kind."""
        if y is None or len(y) == 0:
            return
        if not self._blocks:
            self._place = place
        elif self._blocks[0].dtype != y.dtype:
            kinds = {"f": "numbers", "O": "text"}
            raise DataFileError(
                f"{place}: expected targets that are {kinds[self._blocks[0].dtype.kind]} as in "
                f"{self._place}, found {kinds[y.dtype.kind]}."
            )
        self._blocks.append(y)

    def result(self) -> NDArray[Any] | None:
        """Return all targets in one array, None if there are none."""
        return np.concatenate(self._blocks) if self._blocks else None


def as_targets(values: NDArray[Any], title: str, place: str, first_row: int = 0) -> NDArray[Any]:
    """Return a column of targets as float64 or, if it is text, as objects."""
    kind = values.dtype.kind
    if kind in "biuf":
        check_matrix(values[:, np.newaxis], FLOAT64, [title], place, first_row)
        return values.astype(np.float64)
    if kind not in "UTO":
        raise DataFileError(
            f"{place}: {title} should hold numbers or text, found {values.dtype.name}."
        )
    return _convert_objects(values.tolist(), title, place, first_row)


def _convert_objects(values: list[Any], title: str, place: str, first_row: int) -> NDArray[Any]:
    """Convert objects that are all text, or all numbers."""
    text = bool(values) and isinstance(values[0], str)
    fault: str | None
    for row, value in enumerate(values, first_row):
        if text and not isinstance(value, str):
            missing = is_missing(value) or value != value
            fault = "is empty" if missing else f"should be text, found {shortened(value)}"
        elif text:
            fault = None if value.strip() else "is empty"
        else:
            fault = value_error(value, FLOAT64)
        if fault:
            raise DataFileError(f"{place}, row {row}: {title} {fault}.")
    return shared_labels(values) if text else np.array(values, dtype=np.float64)


def shared_labels(values: list[str]) -> NDArray[Any]:
    """Return text as an object array in which equal labels are one object."""
    seen: dict[str, str] = {}
    labels = np.empty(len(values), dtype=object)
    labels[:] = [seen.setdefault(value, value) for value in values]
    return labels
