"""What the displays have in common: they hold arrays, draw them on axes, and keep these."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray, FloatArray
from . import style
from .colors import Axes, Figure


class Display:
    """Base of the displays; ``plot`` sets ``ax_`` and ``figure_``."""

    ax_: Axes
    figure_: Figure

    def _open(self, ax: Axes | None) -> Axes:
        """Return the axes to draw on, and keep them with their figure."""
        self.ax_ = style.get_axes(ax)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        return self.ax_


def column(name: str, values: Any, n_rows: int | None = None) -> NDArray[Any]:
    """Return values as an array of one dimension, of the given length if there is one."""
    try:
        array = np.asarray(values)
    except ValueError:  # a ragged list
        raise ValueError(f"{name} should be one value a row, got a ragged list.") from None
    if array.ndim != 1 or len(array) == 0 or len(array) != (n_rows or len(array)):
        wanted = "(n,)" if n_rows is None else f"({n_rows},)"
        raise ValueError(f"{name} should be an array of shape {wanted}, got {array.shape}.")
    return array


def numbers(name: str, values: Any, n_rows: int | None = None) -> FloatArray:
    """Return values as a column of numbers, none of them missing."""
    array = column(name, values, n_rows)
    try:
        found = np.asarray(array.astype(float))
    except (TypeError, ValueError):
        raise ValueError(f"{name} should be numbers, got {array[:3].tolist()}.") from None
    check_known(name, found)
    return found


def number(name: str, value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, Real) and abs(float(value)) < np.inf:
        return float(value)
    raise ValueError(f"{name} should be a finite number, got {value!r}.")


def check_known(name: str, values: FloatArray) -> None:
    """Check that no number is missing."""
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        raise ValueError(f"{name} should be numbers, got NaN in row {missing[0][0]}.")


def check_labels(n_labels: Any) -> None:
    """Check the number of rows to label."""
    if not isinstance(n_labels, Integral) or n_labels < 0:
        raise ValueError(f"n_labels should be an integer of at least 0, got {n_labels!r}.")


def check_distinct(classes: NDArray[Any]) -> None:
    """Check that no label occurs twice."""
    labels = classes.tolist()
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise ValueError(f"classes should be distinct, got {twice!r} twice.")


def mask(name: str, values: Any, n_rows: int) -> BoolArray:
    """Return values as a mask of rows; None is an empty one."""
    return np.zeros(n_rows, bool) if values is None else column(name, values, n_rows).astype(bool)


def choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Check that a value is one of some words."""
    if not isinstance(value, str) or value not in choices:
        words = ", ".join(map(repr, choices))
        raise ValueError(f"{name} should be one of {words}, got {value!r}.")
