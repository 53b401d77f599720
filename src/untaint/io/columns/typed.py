"""Columns that come with a type, as those of Parquet files do."""

from datetime import datetime
from typing import Any

import numpy as np

from ..arrow import pa, pc
from .column import Column
from .levels import as_floats, find_levels
from .typed_columns import number_column

_MICROSECONDS = 86400e6  # of a day


def is_text(cells: Any) -> bool:
    """Return whether a column is one of strings."""
    return bool(pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))


def plain(cells: Any) -> Any:
    """Return a column without an encoding: its values, and text as plain strings."""
    is_ = pa.types
    if is_.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    if is_.is_run_end_encoded(cells.type):
        cells = pc.run_end_decode(cells)
    if is_.is_string_view(cells.type) or is_.is_large_string(cells.type):
        cells = cells.cast(pa.string())
    return cells


def as_strings(cells: Any) -> Any:
    """Return a plain column of any type as one of strings, null where a value is missing."""
    return cells if is_text(cells) else pa.array(written(cells), pa.string())


def written(cells: Any) -> list[str | None]:
    """Return values as text, None where they are missing."""
    if pa.types.is_timestamp(cells.type) and cells.type.unit == "ns":
        # Python has no nanoseconds.
        cells = cells.cast(pa.timestamp("us", cells.type.tz), safe=False)
    try:
        return [None if value is None else _as_text(value) for value in cells.to_pylist()]
    except (ValueError, OverflowError):  # years that Python does not have
        return list(cells.cast(pa.string()).to_pylist())


def _as_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)


def read_typed(name: str, cells: Any) -> Column:
    """Return the kind and values of a column of numbers, booleans or dates; others are text."""
    is_ = pa.types
    kind = cells.type
    if is_.is_boolean(kind):
        values = as_floats(cells.cast(pa.int8()))
        return Column(name, "boolean", np.isnan(values), values)
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind):
        return number_column(name, as_floats(cells), {"style": (".", "", "")})
    if is_.is_duration(kind):
        return number_column(name, as_floats(cells.cast(pa.int64())), {"style": (".", "", "")})
    if is_.is_timestamp(kind) or is_.is_date(kind):
        stamps = cells.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)
        values = as_floats(stamps.cast(pa.int64())) / _MICROSECONDS
        return Column(name, "date", np.isnan(values), values, None, {"day_first": True})
    levels = find_levels(as_strings(cells))
    return Column(name, "text", levels.missing, None, levels)
