"""What the displays have in common: they hold arrays, draw them on axes, and keep these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray
from . import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    array = np.asarray(values)
    if array.ndim != 1 or len(array) == 0 or len(array) != (n_rows or len(array)):
        wanted = "(n,)" if n_rows is None else f"({n_rows},)"
        raise ValueError(f"{name} should be an array of shape {wanted}, got {array.shape}.")
    return array


def mask(name: str, values: Any, n_rows: int) -> BoolArray:
    """Return values as a mask of rows; None is an empty one."""
    return np.zeros(n_rows, bool) if values is None else column(name, values, n_rows).astype(bool)


def choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Check that a value is one of some words."""
    if value not in choices:
        words = ", ".join(map(repr, choices))
        raise ValueError(f"{name} should be one of {words}, got {value!r}.")
