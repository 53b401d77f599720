"""What passes from the readers to the spool: some rows, and the form they are wanted in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK_CELLS = 2**20  # 8 MB of float64


class Rows(NamedTuple):
    """A block of checked rows.

    ``X`` holds finite numbers that fit into the dtype asked for, of any numeric dtype; ``y`` is
    float64, or text as objects, or None; ``place`` is what a message calls the block.
    """

    X: NDArray[Any]
    y: NDArray[Any] | None
    place: str


@dataclass(frozen=True)
class Form:
    """The dtype of the spooled rows, and how many of them to hold at a time.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.reading.block import Form
    >>> Form(np.dtype("float32")).rows(width=16)
    65536
    """

    dtype: np.dtype[Any]
    block_rows: int | None = None

    def rows(self, width: int) -> int:
        """Rows in a block of ``width`` columns."""
        return self.block_rows or max(1, _BLOCK_CELLS // max(1, width))
