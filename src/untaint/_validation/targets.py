"""Numeric targets."""

from typing import Any

import numpy as np

from .._typing import AnyArray, FloatArray

# Sizes of targets whose squares are numbers that sums can hold.
MIN_TARGET, MAX_TARGET = 1e-150, 1e150
# Typical size of targets from which on sums of squares overflow, however few they are.
TOO_LARGE = 1e152


def as_targets(y: AnyArray, dtype: Any) -> FloatArray:
    """Return the targets in the precision of X, unless that would round them."""
    same = np.asarray(y, dtype=dtype)
    exact = dtype == np.float64 or (y.dtype != np.float64 and bool((same == y).all()))
    return same if exact else np.asarray(y, dtype=np.float64)


def check_finite_targets(y: FloatArray) -> None:
    if not np.isfinite(y).all():  # None, which scikit-learn silently converts to NaN
        row = int(np.flatnonzero(~np.isfinite(y.reshape(len(y), -1)).all(axis=1))[0])
        raise ValueError(
            f"y must hold finite numbers, got none in row {row}. (Input contains NaN.)"
        )


def check_target_sizes(y: FloatArray) -> None:
    """Raise for targets of which most are too large, or all too small, to be squared."""
    sizes = np.abs(y)
    largest = float(sizes.max(initial=0.0))
    if 0.0 < largest < MIN_TARGET or (largest > TOO_LARGE and np.median(sizes) > TOO_LARGE):
        raise ValueError(
            f"y must hold numbers between {MIN_TARGET:g} and {MAX_TARGET:g} in size, whose squares "
            f"can be summed, got sizes up to {largest:.3g}: multiply them by a power of ten."
        )


def check_no_text(y: Any) -> None:
    """Raise for targets that are neither numbers nor text that represents a number."""
    if hasattr(y, "toarray"):
        raise TypeError("y must be a dense array, got a sparse matrix: pass y.toarray().")
    try:
        targets = np.asarray(y)
    except ValueError:  # a ragged list, which scikit-learn reports
        return
    if targets.dtype.kind in "mM":
        raise ValueError(f"y must hold numbers, got the type {targets.dtype}.")
    if targets.dtype.kind not in "USO" or targets.ndim == 0:
        return
    for row, values in enumerate(targets):
        for value in np.atleast_1d(values):
            if isinstance(value, str):
                try:
                    float(value)
                except ValueError:
                    raise ValueError(
                        f"y must hold numbers, got {str(value)!r} in row {row}."
                    ) from None
