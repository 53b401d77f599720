r"""Memory of a fit on explicit features, and the size of its blocks.

A fit to n samples of k outputs with r raw features takes, besides X,

.. math:: 8 n (10 + 9 k) + 8 \cdot 7 r^2 + 12\, b\, r\, s + m\, r\, s + \text{overhead}

bytes, with s the size of a raw feature: vectors of length n (targets, weights, predictions, losses
and their sorting), matrices of sums over samples, a block of b samples with the temporaries of its
products, and the cached raw features of m samples, which later passes need not compute again.
"""

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from .._policy import policy

# Numbers in double precision per sample, and per sample and output.
VALUES_PER_ROW, VALUES_PER_OUTPUT = 10, 9
# Matrices of r x r numbers in double precision.
MATRICES = 7
# Copies of a block's features: weighted products in double precision and the kernel's temporaries,
# on a few threads.
COPIES_PER_BLOCK = 12
MIN_BLOCK_ROWS = 256
# Objects of the interpreter, threads, libraries and the smallest subsample.
OVERHEAD = 50_000_000


@final
@dataclass(frozen=True)
class Plan:
    """The number of rows of a block, and the number of rows whose raw features are cached."""

    block_rows: int
    kept_rows: int


def row_bytes(n_rows: int, n_outputs: int) -> int:
    """Return the bytes of the vectors of a fit whose length is the number of samples."""
    return 8 * n_rows * (VALUES_PER_ROW + VALUES_PER_OUTPUT * n_outputs)


def min_bytes(n_rows: int, n_outputs: int, raw_width: int, dtype: Any) -> int:
    """Return the smallest memory limit of a fit on ``raw_width`` features."""
    block = COPIES_PER_BLOCK * MIN_BLOCK_ROWS * raw_width * np.dtype(dtype).itemsize
    return row_bytes(n_rows, n_outputs) + 8 * MATRICES * raw_width**2 + block + OVERHEAD


def plan_blocks(
    n_rows: int, n_outputs: int, raw_width: int, dtype: Any, limit: int, keep: bool = True
) -> Plan:
    """Return blocks for a limit of at least :func:`min_bytes`; ``keep`` allows cached features."""
    row = raw_width * np.dtype(dtype).itemsize
    free = limit - row_bytes(n_rows, n_outputs) - 8 * MATRICES * raw_width**2 - OVERHEAD
    # At most half of the remaining memory is for blocks, the rest for cached features.
    block = min(policy().block_bytes, max(free, 0) // (2 * COPIES_PER_BLOCK)) // row
    block = min(max(block, MIN_BLOCK_ROWS), n_rows)
    left = free - COPIES_PER_BLOCK * block * row
    kept = min(max(left // row, 0), n_rows) if keep else 0
    return Plan(block, int(kept))
