"""Blocks that the caller makes: arrays, data frames, or pairs (X, y).

A data frame is whatever has columns and turns them into arrays, as those of pandas and polars do;
neither library is imported.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ..._typing import AnyArray
from ..errors import DataFileError
from .block import BlockFormat, Converter, RowBlock
from .checks import FLOAT64
from .selection import ColumnSelection, ColumnSelector

_EXPECTED = "expected a 2-d array, a data frame or a pair (X, y)"


def read_blocks(
    blocks: Iterable[Any], columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Check blocks one after the other."""
    paired = None
    for number, block in enumerate(blocks, 1):
        place, pair = f"block {number}", isinstance(block, tuple) and len(block) == 2
        if paired not in (None, pair):
            expected = "a pair (X, y)" if paired else "rows alone"
            raise DataFileError(f"{place}: expected {expected} as in block 1.")
        paired = pair
        yield (_read_pair if pair else read_block)(block, columns, block_format, place)


def _read_pair(
    block: tuple[Any, Any], columns: ColumnSelector, block_format: BlockFormat, place: str
) -> RowBlock:
    if columns.target is not None:
        raise DataFileError(
            f"{place}: the second of a pair (X, y) is the target, so target must be None, got "
            f"{columns.target!r}."
        )
    rows, y = read_block(block[0], columns, block_format, place), np.asarray(block[1])
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (len(rows.X),):
        raise DataFileError(
            f"{place}: expected one target for each of {len(rows.X)} rows, found an array of shape "
            f"{y.shape}."
        )
    no_features = ColumnSelection([], None, [], "the target")
    return rows._replace(y=Converter(no_features, FLOAT64, place).targets(y))


def read_block(
    block: Any, columns: ColumnSelector, block_format: BlockFormat, place: str, first_row: int = 0
) -> RowBlock:
    """Select features and target of one array or data frame."""
    array = None if is_frame(block) else _as_array(block, place)
    named = (_names(block), len(block.columns)) if array is None else (None, array.shape[1])
    selection = columns.select(place, *named)
    convert = Converter(selection, block_format.dtype, place, first_row)
    if array is None:
        return convert.from_columns([_column(block, j) for j in selection.positions])
    if array.dtype.kind not in "biuf":
        return convert.from_columns([array[:, j] for j in selection.positions])
    everything = selection.features == list(range(array.shape[1]))
    X = array if everything else array[:, selection.features]
    return convert.from_matrix(X, None if selection.target is None else array[:, selection.target])


def is_frame(block: Any) -> bool:
    """Return whether a block is a data frame of pandas or polars, or the like."""
    return hasattr(block, "columns") and hasattr(block, "to_numpy")


def _names(frame: Any) -> list[str] | None:
    """Return the names of a frame's columns, None where pandas has only numbered them."""
    names = list(frame.columns)
    return None if names == list(range(len(names))) else [str(name) for name in names]


def _column(frame: Any, j: int) -> AnyArray:
    # pandas looks columns up by position with iloc, polars with to_series.
    return np.asarray(frame.iloc[:, j] if hasattr(frame, "iloc") else frame.to_series(j))


def _as_array(block: Any, place: str) -> AnyArray:
    if hasattr(block, "tocsr"):
        raise DataFileError(f"{place}: {_EXPECTED}, found a sparse matrix; use its toarray().")
    if np.ma.is_masked(block):
        raise DataFileError(f"{place}: {_EXPECTED}, found an array with masked cells.")
    try:
        array = np.asarray(block)
    except ValueError:  # a ragged list
        raise DataFileError(f"{place}: {_EXPECTED}, found rows of different lengths.") from None
    if array.ndim != 2:
        found = f"an array of shape {array.shape}" if array.ndim else type(block).__name__
        raise DataFileError(f"{place}: {_EXPECTED}, found {found}.")
    return array
