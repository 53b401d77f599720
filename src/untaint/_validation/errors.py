"""Errors of scikit-learn and of arithmetic, explained in terms of the arguments."""

import reprlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse

from .arrays import to_numpy

# How the types of columns of numbers begin, and those of dates and durations, in any library.
NUMBERS = ("int", "uint", "float", "double", "bool", "decimal", "complex", "sparse")
DATES = ("date", "time", "duration", "period", "interval")
TAKE_ALL = "RobustRegressor and RobustClassifier take such columns as they are"


@contextmanager
def name_argument_in_errors(X: Any, *, numbers: bool = True) -> Iterator[None]:
    """Name the argument in errors where scikit-learn does not, and silence its overflows.

    Columns of frames have to be numbers, unless ``numbers`` is False.
    """
    if hasattr(X, "collect_schema") and not hasattr(X, "__len__"):
        raise TypeError("X must be a table in memory, got a lazy frame: call its collect() first.")
    if numbers and hasattr(X, "columns") and hasattr(X, "dtypes"):
        _check_columns(X)
    try:
        # scikit-learn tests finiteness by a sum, which may overflow.
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except ValueError as error:
        explained = _explained(str(error), X)
        if explained is None:
            raise
        raise ValueError(explained) from None
    except OverflowError as error:  # whole numbers of any length
        raise ValueError(f"X and y must hold numbers of at most 1.8e308: {error}.") from None


def _explained(complaint: str, X: Any) -> str | None:
    """Return a complaint of scikit-learn with the name of the argument, None if it has one."""
    if complaint.startswith("could not convert string"):
        return f"X must hold numbers: {complaint}."
    if complaint.startswith("Input X contains") and not sparse.issparse(X):
        return _first_missing(X, complaint)
    if complaint.startswith("Expected 2D array"):
        found, advice = complaint.split(":")[0], complaint[complaint.rindex("Reshape") :]
        shape = np.shape(to_numpy(X))
        return f"X must have rows and columns, got the shape {shape}. ({found}. {advice})"
    if complaint.startswith("Found input variables with inconsistent numbers"):
        counted = complaint[complaint.index("inconsistent") :]
        rows, targets = counted[counted.rindex("[") + 1 : -1].split(", ")
        return f"y must have {rows} rows like X, got {targets} ({counted})."
    if complaint.startswith("Complex data not supported"):
        found = "X" if np.iscomplexobj(X) else "y"
        return f"{found} must hold real numbers. (Complex data not supported.)"
    if complaint.startswith("fill value must be 0"):
        return f"X must have sparse columns whose fill value is 0, or dense ones ({complaint})."
    if complaint.startswith("Expected unique column names"):
        twice = [repr(name) for name, count in Counter(X.columns).items() if count > 1]
        listed = ", ".join(twice[:5])
        return f"X must have column names that are all different, got {listed} more than once."
    return None


def _check_columns(X: Any) -> None:
    """Raise for the first column of a frame that is no number."""
    for j, (name, kind) in enumerate(zip(X.columns, X.dtypes, strict=True)):
        found = _no_number(X, j, str(kind).lower())
        if found:
            raise ValueError(
                f"X must hold numbers, got {found} in column {name!r}: turn the column into "
                f"numbers, or leave it out; {TAKE_ALL}."
            )


def _no_number(X: Any, j: int, kind: str) -> str:
    """Return what a column holds that is no number, or nothing."""
    if kind.startswith(NUMBERS):
        return ""
    if kind.startswith(DATES):
        return f"the type {kind}"
    for cell in np.asarray(X.iloc[:, j] if hasattr(X, "iloc") else X[:, j], dtype=object):
        try:
            float("nan" if cell is None else cell)
        except (TypeError, ValueError):
            return reprlib.repr(cell)
    return ""


def _first_missing(X: Any, complaint: str) -> str:
    """Return the complaint about a missing or an infinite cell, with its place."""
    names = getattr(X, "columns", None)
    parts = {"dtype": float, "na_value": np.nan} if hasattr(X, "iloc") else {}
    cells = np.asarray(X.to_numpy(**parts) if names is not None else to_numpy(X), dtype=float)
    row, column = np.argwhere(~np.isfinite(cells))[0].tolist()
    name = column if names is None else repr(list(names)[column])
    value, first = cells[row, column], complaint.splitlines()[0]
    others = "; RobustRegressor and RobustClassifier take missing cells" if value != value else ""
    return (
        f"X must hold finite numbers, got {value} in column {name} of row {row}: fill such cells "
        f"in, or leave out their rows or columns{others}. ({first})"
    )


@contextmanager
def overflow_guard() -> Iterator[None]:
    """Allow overflows of losses, whose samples are trimmed, and explain errors that they cause."""
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            yield
    except (ArithmeticError, np.linalg.LinAlgError) as error:
        raise ValueError(
            "X, y and sample_weight must hold values whose squares are numbers, got some too large "
            f"or too small to compute with ({error}): scale them, or leave such rows out."
        ) from error
