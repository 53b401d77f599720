"""Products of a large matrix and a few columns.

A general product copies the matrix into the layout of its inner loop, which takes longer than the
multiplications if the columns are few. Up to a million multiplications BLAS has a loop without such
a copy: the product is computed by blocks of as many rows as that allows.
"""

import numpy as np

from .._threads import available_cores, map_blocks
from .._typing import FloatArray

# Multiplications of a product up to which BLAS copies nothing.
SMALL = 10**6
# Rows of a block below which the calls cost more than the copy.
MIN_ROWS = 8
# Multiplications from which several threads pay.
LARGE = 3 * 10**7


def tall_product(K: FloatArray, v: FloatArray) -> FloatArray:
    """Return K v for K of shape (n, m), C-contiguous, and v of shape (m, k)."""
    n, step = len(K), SMALL // max(v.size, 1)
    if step < MIN_ROWS or n <= step:
        return K @ v
    out = np.empty((n, v.shape[1]), dtype=np.result_type(K, v))

    def multiply(rows: slice) -> None:
        for row in range(rows.start, rows.stop, step):
            end = min(row + step, rows.stop)
            # Threads may run side by side in dot, but not in matmul.
            np.dot(K[row:end], v, out=out[row:end])

    # Every thread has whole blocks: their number changes no digit.
    n_threads = available_cores() if n * v.size > LARGE else 1
    map_blocks(multiply, n, step * -(-n // (step * n_threads)))
    return out
