r"""How much memory a fit on features takes, and how many rows it works on at a time.

A fit of n rows, k outputs, r raw and p mixed features holds, besides the rows themselves,

* so many numbers a row: targets, weights, predictions, losses, verdicts, room to sort them;
* a few matrices of r x r: sums over rows, their factors;
* a block of raw features, with copies that products make of it;
* if there is room, raw features of all rows, or of as many as fit: later passes need not make them
  again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from .._policy import policy

# Numbers in double precision that a row takes: some for itself, and some for each output.
NUMBERS_A_ROW, NUMBERS_AN_OUTPUT = 10, 9
# Matrices of the raw features' number squared.
MATRICES = 7
# A block's features, their product with weights in double precision, and the kernel's own work: on
# two threads or a few more.
COPIES_OF_A_BLOCK = 12
FEWEST_ROWS = 256
# What the interpreter's own objects, threads, libraries and the smallest pilot take on the way.
OVERHEAD = 50_000_000


@final
@dataclass(frozen=True)
class Plan:
    """Rows of a block, and how many of all rows have their features kept."""

    block_rows: int
    kept_rows: int


def row_bytes(n_rows: int, n_outputs: int) -> int:
    """Bytes that a fit needs for the rows' own numbers."""
    return 8 * n_rows * (NUMBERS_A_ROW + NUMBERS_AN_OUTPUT * n_outputs)


def least_bytes(n_rows: int, n_outputs: int, raw_width: int, dtype: Any) -> int:
    """The smallest memory that a fit on so many features works in."""
    block = COPIES_OF_A_BLOCK * FEWEST_ROWS * raw_width * np.dtype(dtype).itemsize
    return row_bytes(n_rows, n_outputs) + 8 * MATRICES * raw_width**2 + block + OVERHEAD


def plan_blocks(
    n_rows: int, n_outputs: int, raw_width: int, dtype: Any, limit: int, keep: bool = True
) -> Plan:
    """Blocks that fit into a limit which is at least :func:`least_bytes`.

    Parameters
    ----------
    n_rows, n_outputs, raw_width : int
    dtype : dtype
        Of the raw features.
    limit : int
        Bytes.
    keep : bool
        Whether features are worth keeping.

    Examples
    --------
    >>> import numpy as np
    >>> plan_blocks(1000, 1, 10, np.float64, 10**9)
    Plan(block_rows=1000, kept_rows=1000)
    >>> plan_blocks(10**6, 1, 1000, np.float32, 10**9)
    Plan(block_rows=1000, kept_rows=173500)
    """
    row = raw_width * np.dtype(dtype).itemsize
    room = limit - row_bytes(n_rows, n_outputs) - 8 * MATRICES * raw_width**2 - OVERHEAD
    # Blocks take half of what is left at most: the rest keeps features.
    block = min(policy().block_bytes, max(room, 0) // (2 * COPIES_OF_A_BLOCK)) // row
    block = min(max(block, FEWEST_ROWS), n_rows)
    left = room - COPIES_OF_A_BLOCK * block * row
    kept = min(max(left // row, 0), n_rows) if keep else 0
    return Plan(block, int(kept))
