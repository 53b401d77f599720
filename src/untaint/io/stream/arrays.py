"""Arrays in .npy files: mapped as they are where that serves, else read a block at a time."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataFileError, reason, unreadable
from .block import BlockFormat, RowBlock
from .blocks import read_block
from .rows_table import Table
from .selection import ColumnSelector

_WIDEST = 2**20


def map_array(path: Path, block_format: BlockFormat) -> Table | None:
    """Return a table on the file itself if it holds rows of the requested dtype, else None.

    The rows are checked once, as those of other sources are.
    """
    array = _open(path)
    if not array.flags.c_contiguous or array.dtype != block_format.dtype or len(array) == 0:
        return None
    for _ in read_array(path, ColumnSelector(None, None), block_format):
        pass
    return Table(array, None, None)


def read_array(
    path: Path, columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Read the rows of a file; their columns have no names."""
    array = _open(path)
    step = block_format.rows_per_block(array.shape[1])
    for start in range(0, max(1, len(array)), step):
        block = np.asarray(array[start : start + step])
        yield read_block(block, columns, block_format, str(path), start)


def count_array_rows(path: Path) -> int:
    """Return the number of rows of a file, from its header."""
    return len(_open(path))


def _open(path: Path) -> np.memmap[Any, Any]:
    try:
        with np.errstate(over="ignore"), warnings.catch_warnings():
            # A header may state an absurd size, and one in an old format is still valid.
            warnings.simplefilter("ignore")
            _check_sizes(path)
            array: np.memmap[Any, Any] = np.lib.format.open_memmap(path, mode="r")
    except OSError as error:
        raise unreadable(path, error) from error
    except Exception as error:
        # The format is another one, has objects, or is too short; or the header is malformed.
        raise DataFileError(
            f"{path}: expected a whole .npy file of numbers, found none ({reason(error)})."
        ) from error
    # Only an array without rows can claim any number of columns.
    boundless = array.ndim == 2 and len(array) == 0 and array.shape[1] > _WIDEST
    if array.ndim != 2 or array.dtype.kind not in "biuf" or boundless:
        raise DataFileError(
            f"{path}: expected a 2-d array of numbers, found one of shape {array.shape} and type "
            f"{array.dtype}."
        )
    return array


def _check_sizes(path: Path) -> None:
    """Refuse a header whose sizes NumPy would divide by, which ends the whole process."""
    with path.open("rb") as file:
        version = np.lib.format.read_magic(file)
        # Headers of version 3 differ in the letters that names of fields may have.
        first = version == (1, 0)
        read = np.lib.format.read_array_header_1_0 if first else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    if dtype.itemsize == 0 or min(shape, default=0) < 0:
        raise ValueError(f"a type {dtype} and a shape {shape} that no array has")
