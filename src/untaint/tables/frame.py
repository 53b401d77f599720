"""Data frames of any library as tables, through narwhals and Arrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import narwhals.stable.v1 as nw

from .arrow import arrow
from .dialect import PARQUET, Dialect
from .table import RawTable
from .typed_table import TypedTable


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame.

    Examples
    --------
    >>> import numpy as np, pandas
    >>> is_frame(np.ones((2, 2))), is_frame(pandas.DataFrame({"a": [1]}))
    (False, True)
    """
    return nw.dependencies.is_into_dataframe(X)


def is_numeric(frame: Any) -> bool:
    """Return whether all columns of a frame hold numbers, or true and false."""
    schema = nw.from_native(frame, eager_only=True).schema
    return all(kind.is_numeric() or kind == nw.Boolean for kind in schema.values())


def frame_table(frame: Any, name: str = "X") -> RawTable:
    """Return a frame as a table with types.

    Examples
    --------
    >>> import pandas
    >>> frame_table(pandas.DataFrame({"a": [1.5, None], "b": ["x", "y"]})).row_cells(1)
    ['', 'y']
    """
    native = nw.from_native(frame, eager_only=True)
    names = [str(column) for column in native.columns]
    cells = [_arrow(native.get_column(column)) for column in native.columns]
    table = arrow().table(cells, names=names)
    visible = list(range(len(names)))
    return TypedTable(name, names, Dialect(typed=PARQUET), [], table=table, visible=visible)


def frame_rows(frame: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a frame."""
    return iter(nw.from_native(frame, eager_only=True).iter_rows())


def _arrow(column: Any) -> Any:
    """Return a column as an Arrow array; cells of several types, and categories, become text."""
    pa = arrow()
    try:
        if column.dtype in (nw.Categorical, nw.Enum):
            raise pa.ArrowTypeError("levels may be of any type")
        return pa.array(column.to_arrow())
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        cells = column.to_list()
        return pa.array([None if cell is None or cell != cell else str(cell) for cell in cells])
