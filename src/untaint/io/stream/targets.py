"""The targets y: numbers if all of them are, else text; one kind throughout.

They stay in memory. Equal labels share one object, so that text costs one pointer for each row.
"""

import numpy as np

from ..._typing import AnyArray
from ..errors import DataFileError


class TextTargetError(Exception):
    """A column that was read as numbers holds text; a file has to be read again, as text.

    Numbers cannot be turned back into what was written: "01" and "1" are two labels.
    """


class Targets:
    """The targets that have been read so far."""

    def __init__(self) -> None:
        self._blocks: list[AnyArray] = []
        self._place = ""

    def add(self, y: AnyArray | None, place: str) -> None:
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

    def result(self) -> AnyArray | None:
        """Return all targets in one array, None if there are none."""
        return np.concatenate(self._blocks) if self._blocks else None
