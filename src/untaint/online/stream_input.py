"""Validation of single rows and frames from river, and the type of its predictions."""

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from .._typing import FloatArray
from .feature_index import sorted_names

MAX_ABS_VALUE = 1e150  # its square can still be summed over a stream
_FLOAT = np.dtype(float)


def check_row(x: Any, y: Any, x_copy: Any, gaps: bool) -> None:
    """Raise unless the row maps names to finite numbers and the target is a finite number."""
    for name, row in (("x", x), ("x_copy", x_copy)):
        if row is None and name == "x_copy":
            continue
        if not isinstance(row, Mapping):
            raise ValueError(f"{name} must be a dict of features, got {type(row).__name__}.")
        for feature, value in row.items():
            if not _is_number(value, gaps):
                raise ValueError(
                    f"{name} must hold finite numbers, got {value!r} for the feature {feature!r}."
                )
    if x_copy is not None and x.keys() != x_copy.keys():
        raise ValueError(
            f"x_copy must have the features of x, {sorted_names(x)}, got {sorted_names(x_copy)}."
        )
    if not _is_number(y, False):
        raise ValueError(f"y must be a finite number, got {y!r}.")


def _is_number(value: Any, gap: bool) -> bool:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return (
        np.ndim(value) == 0
        and not isinstance(value, (str, np.timedelta64))
        and (abs(number) < MAX_ABS_VALUE or (gap and np.isnan(number)))
    )


def frame_values(name: str, X: Any, ndim: int = 2) -> FloatArray:
    """Return the values of a frame or series, and raise unless they are numbers."""
    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    if type(values) is not np.ndarray or values.dtype is not _FLOAT:
        try:
            kind = np.asarray(values).dtype
            if kind.kind in "cmM":
                raise TypeError(f"got the type {kind}")
            values = np.asarray(values, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name} must hold numbers: {error}.") from None
    if values.ndim != ndim:
        expected = "a frame of rows" if ndim == 2 else "one column"
        raise ValueError(f"{name} must be {expected}, got the shape {values.shape}.")
    return values


def check_finite(name: str, values: FloatArray, gaps: bool) -> None:
    """Raise unless the values are finite, or NaN where gaps are allowed."""
    if not ((np.abs(values) < MAX_ABS_VALUE) | (gaps & np.isnan(values))).all():
        raise ValueError(f"{name} must hold finite numbers, and none beyond {MAX_ABS_VALUE:g}.")


def series_like(values: FloatArray, X: Any) -> Any:
    """Return predictions as a series of the library that X comes from."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        return sys.modules["pandas"].Series(values, index=X.index)
    if library == "polars":
        return sys.modules["polars"].Series(values=values)
    return values


def frame_like(columns: Mapping[Any, Any], X: Any) -> Any:
    """Return columns by name as a frame of the library that X comes from, or as they are."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas":
        return sys.modules["pandas"].DataFrame(columns, index=X.index)
    if library == "polars":
        return sys.modules["polars"].DataFrame({str(k): v for k, v in columns.items()})
    return columns
