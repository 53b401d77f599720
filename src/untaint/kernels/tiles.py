"""A kernel matrix built tile by tile, on several threads.

A tile is small enough to stay in a core's L2 cache while it is multiplied, mapped and written, so
that the n x m result is the only large array and is touched once. A symmetric matrix costs its
upper triangle only; the rest is a transposed copy of tiles that are still in cache. A matrix of few
columns is computed in strips of whole rows, which need not be copied to their place.

The tiles do not depend on the number of threads and each is computed by one thread with
single-threaded BLAS, so the result is the same to the last bit for any number of threads.
"""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from .._threads import available_cores, single_threaded_blas
from .arrays import Array

# fill(rows, cols, out, work) writes the tile K[rows, cols] into ``out``; ``work`` is a float64
# scratch array of the same shape whose contents are free to use.
Fill = Callable[[slice, slice, Array, Array], None]

# Eight times an odd number: rows of a float64 tile then start in all different cache sets, which
# makes the transposed copy three times faster than with the power of two next to it.
TILE = 248
# Columns up to which tiles are strips of whole rows.
STRIP_COLUMNS = 8 * TILE
# Below this many entries starting a thread costs more than it saves.
SERIAL = 1 << 18


def build(
    fill: Fill,
    shape: tuple[int, int],
    dtype: npt.DTypeLike,
    *,
    symmetric: bool,
    n_threads: int | None = None,
    strips: bool = False,
    out: Array | None = None,
) -> Array:
    """Return the matrix of the given shape and dtype whose tiles ``fill`` computes.

    Parameters
    ----------
    fill : callable
        ``fill(rows, cols, out, work)`` writes one tile; it is called from several threads.
    shape : (int, int)
        Shape of the matrix.
    dtype : dtype
    symmetric : bool
        Whether to compute the upper triangle only and mirror it.
    n_threads : int or None
        None means every core this process may use.
    strips : bool
        Whether ``fill`` accepts strips of whole rows in place of square tiles.
    out : array, optional
        C-contiguous array of the shape and dtype that receives the matrix.
    """
    K = np.empty(shape, dtype) if out is None else out
    tasks = deque(_tiles(shape, symmetric, strips and not symmetric))
    n_workers = min(n_threads or available_cores(), len(tasks))
    if len(tasks) <= 2:
        _compute_tiles(tasks, fill, K, symmetric)
        return K
    with single_threaded_blas():
        if n_workers <= 1 or K.size <= SERIAL:
            _compute_tiles(tasks, fill, K, symmetric)
            return K
        with ThreadPoolExecutor(n_workers - 1) as pool:
            helpers = [
                pool.submit(_compute_tiles, tasks, fill, K, symmetric) for _ in range(n_workers - 1)
            ]
            _compute_tiles(tasks, fill, K, symmetric)
        for helper in helpers:
            helper.result()
    return K


def _tiles(shape: tuple[int, int], symmetric: bool, strips: bool) -> Iterator[tuple[slice, slice]]:
    n, m = shape
    height = width = TILE
    if strips and m <= STRIP_COLUMNS:
        height, width = max(TILE * TILE // max(m, 1), 1), m
    for i in range(0, n, height):
        for j in range(i if symmetric else 0, m, max(width, 1)):
            yield slice(i, min(i + height, n)), slice(j, min(j + width, m))


def _compute_tiles(
    tasks: deque[tuple[slice, slice]], fill: Fill, K: Array, symmetric: bool
) -> None:
    """Compute tiles until none is left."""
    size = min(TILE * TILE, K.size)
    out, work = np.empty(size, K.dtype), np.empty(size)
    try:
        with np.errstate(all="ignore"):  # features of 1e150 overflow on their way to a value of 0
            for rows, cols in _taken(tasks):
                p, q = rows.stop - rows.start, cols.stop - cols.start
                place, scratch = K[rows, cols], work[: p * q].reshape(p, q)
                if not symmetric and place.flags.c_contiguous:
                    fill(rows, cols, place, scratch)
                    continue
                tile = out[: p * q].reshape(p, q)
                fill(rows, cols, tile, scratch)
                _store(tile, K, rows, cols, symmetric)
    except BaseException:
        tasks.clear()  # let the other threads stop too
        raise


def _taken(tasks: deque[tuple[slice, slice]]) -> Iterator[tuple[slice, slice]]:
    while True:
        try:
            yield tasks.popleft()
        except IndexError:  # none left
            return


def _store(tile: Array, K: Array, rows: slice, cols: slice, symmetric: bool) -> None:
    if symmetric and rows == cols:
        np.copyto(tile, tile.T.copy(), where=_below_diagonal()[: len(tile), : len(tile)])
    elif symmetric:
        K[cols, rows] = tile.T
    K[rows, cols] = tile


@lru_cache(maxsize=1)
def _below_diagonal() -> npt.NDArray[np.bool_]:
    return np.tri(TILE, k=-1, dtype=bool)
