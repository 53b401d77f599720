"""Data frames of any library as tables, through narwhals and Arrow."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import narwhals.stable.v1 as nw

from .arrow import pa
from .dialect import FRAME, Dialect
from .errors import listed
from .table import RawTable
from .typed_table import TypedTable


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame."""
    return nw.dependencies.is_into_dataframe(X)


def is_numeric(frame: Any) -> bool:
    """Return whether all columns of a frame hold numbers, or true and false."""
    schema = _native(frame, "X").schema
    return all(kind.is_numeric() or kind == nw.Boolean for kind in schema.values())


def frame_table(frame: Any, name: str = "X") -> RawTable:
    """Return a frame as a table with types."""
    native = _native(frame, name)
    names = [str(column) for column in native.columns]
    for text in names:
        _check_encodable(text, f"{name}: expected names of columns that UTF-8 can encode")
    cells = [_arrow(native.get_column(column), name) for column in native.columns]
    table = pa.table(cells, names=names)
    return TypedTable(name, names, Dialect(typed=FRAME), [], table=table)


def frame_rows(frame: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a frame."""
    return iter(_native(frame, "X").iter_rows())


def _native(frame: Any, name: str) -> Any:
    """Return a frame as narwhals has it, if its columns have different names."""
    # Arrow's tables have columns in place of their names.
    names: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())
    twice = [text for text, count in Counter(map(str, names)).items() if count > 1]
    if twice:
        raise ValueError(
            f"{name}: expected column names that are all different, found {listed(twice)} more "
            "than once."
        )
    return nw.from_native(frame, eager_only=True)


def _arrow(column: Any, name: str) -> Any:
    """Return a column as an Arrow array; some become text.

    These are cells of several types, categories, and whole numbers of more than 64 bits.
    """
    refusals = (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError)
    if column.dtype not in (nw.Categorical, nw.Enum):  # their levels may be of any type
        with suppress(*refusals, OverflowError, UnicodeEncodeError):  # Python's are passed on
            return pa.array(column.to_arrow())
    return _as_text(column, name)


def _as_text(column: Any, name: str) -> Any:
    cells = column.to_list()
    texts = [None if cell is None or cell != cell else str(cell) for cell in cells]
    for text in texts:
        if text is not None:
            what = f"{name}: expected text that UTF-8 can encode in column {column.name!r}"
            _check_encodable(text, what)
    return pa.array(texts)


def _check_encodable(text: str, expected: str) -> None:
    """Raise for a character that is half of a pair, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{expected}, found the lone surrogate in {text!r}.") from None
