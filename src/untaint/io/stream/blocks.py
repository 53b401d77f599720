"""Blocks that the caller makes: arrays, data frames, or pairs (X, y).

A data frame is whatever has columns and turns them into arrays, as those of pandas and polars do;
neither library is imported.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import DataFileError
from .block import BlockFormat, RowBlock
from .checks import check_matrix, value_error
from .selection import ColumnSelection, ColumnSelector
from .targets import as_targets

_EXPECTED = "expected a 2-d array, a data frame or a pair (X, y)"


def read_blocks(
    blocks: Iterable[Any], columns: ColumnSelector, block_format: BlockFormat
) -> Iterator[RowBlock]:
    """Check blocks one after the other."""
    paired = None
    for number, block in enumerate(blocks, 1):
        place = f"block {number}"
        pair = isinstance(block, tuple) and len(block) == 2
        if paired is not None and pair != paired:
            expected = "a pair (X, y)" if paired else "rows alone"
            raise DataFileError(f"{place}: expected {expected} as in block 1.")
        paired = pair
        yield (
            _read_pair(block, columns, block_format, place)
            if pair
            else read_block(block, columns, block_format, place)
        )


def _read_pair(
    block: tuple[Any, Any], columns: ColumnSelector, block_format: BlockFormat, place: str
) -> RowBlock:
    if columns.target is not None:
        raise DataFileError(
            f"{place}: the second of a pair (X, y) is the target, so target must be None, got "
            f"{columns.target!r}."
        )
    X, values = block
    rows = read_block(X, columns, block_format, place)
    y = np.asarray(values)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.shape != (len(rows.X),):
        raise DataFileError(
            f"{place}: expected one target for each of {len(rows.X)} rows, found an array of shape "
            f"{y.shape}."
        )
    return rows._replace(y=as_targets(y, "the target", place))


def read_block(
    block: Any, columns: ColumnSelector, block_format: BlockFormat, place: str, first_row: int = 0
) -> RowBlock:
    """Select features and target of one array or data frame."""
    if is_frame(block):
        names = _names(block)
        selection = columns.select(place, names, len(block.columns))
        series = [_column(block, j) for j in selection.features]
        target = None if selection.target is None else _column(block, selection.target)
        X = stack(series, selection.titles, block_format, place, first_row)
    else:
        array = _as_array(block, place)
        selection = columns.select(place, None, array.shape[1])
        target = None if selection.target is None else array[:, selection.target]
        X = _from_array(array, selection, block_format, place, first_row)
    y = None if target is None else as_targets(target, selection.target_title, place, first_row)
    return RowBlock(X, y, place)


def is_frame(block: Any) -> bool:
    """Return whether a block is a data frame of pandas or polars, or the like."""
    return hasattr(block, "columns") and hasattr(block, "to_numpy")


def _names(frame: Any) -> list[str] | None:
    """Return the names of a frame's columns, None where pandas has only numbered them."""
    names = list(frame.columns)
    return None if names == list(range(len(names))) else [str(name) for name in names]


def _column(frame: Any, j: int) -> NDArray[Any]:
    # pandas looks columns up by position with iloc, polars with to_series.
    series = frame.iloc[:, j] if hasattr(frame, "iloc") else frame.to_series(j)
    return np.asarray(series)


def _as_array(block: Any, place: str) -> NDArray[Any]:
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


def _from_array(
    array: NDArray[Any],
    selection: ColumnSelection,
    block_format: BlockFormat,
    place: str,
    first_row: int,
) -> NDArray[Any]:
    if array.dtype.kind not in "biuf":
        series = [array[:, j] for j in selection.features]
        return stack(series, selection.titles, block_format, place, first_row)
    everything = selection.features == list(range(array.shape[1]))
    X = array if everything else array[:, selection.features]
    check_matrix(X, block_format.dtype, selection.titles, place, first_row)
    return X


def stack(
    series: Sequence[NDArray[Any]],
    titles: Sequence[str],
    block_format: BlockFormat,
    place: str,
    first_row: int,
) -> NDArray[Any]:
    """Put columns side by side, as numbers."""
    X = np.empty((len(series[0]), len(series)))
    for j, (values, title) in enumerate(zip(series, titles, strict=True)):
        if values.dtype.kind == "O":
            _check_objects(values, title, block_format, place, first_row)
        elif values.dtype.kind not in "biuf":
            found = "text" if values.dtype.kind in "UT" else values.dtype.name
            raise DataFileError(f"{place}: {title} should hold numbers, found {found}.")
        X[:, j] = values
    check_matrix(X, block_format.dtype, titles, place, first_row)
    return X


def _check_objects(
    values: NDArray[Any], title: str, block_format: BlockFormat, place: str, first_row: int
) -> None:
    for row, value in enumerate(values.tolist(), first_row):
        fault = value_error(value, block_format.dtype)
        if fault:
            raise DataFileError(f"{place}, row {row}: {title} {fault}.")
