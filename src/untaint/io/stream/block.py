"""Blocks of rows, and their format, as readers pass them to the spool."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_BLOCK_CELLS = 2**20  # 8 MB of float64


class RowBlock(NamedTuple):
    """A block of checked rows.

    ``X`` holds finite numbers that fit into the requested dtype, of any numeric dtype; ``y`` is
    float64, or text as objects, or None; ``place`` is what a message calls the block.
    """

    X: NDArray[Any]
    y: NDArray[Any] | None
    place: str


@dataclass(frozen=True)
class BlockFormat:
    """The dtype of the spooled rows, and how many of them to hold at a time."""

    dtype: np.dtype[Any]
    block_rows: int | None = None

    def rows_per_block(self, width: int) -> int:
        """Return the number of rows in a block of ``width`` columns."""
        return self.block_rows or max(1, _BLOCK_CELLS // max(1, width))
