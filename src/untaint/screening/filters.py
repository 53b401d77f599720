r"""Who is not heard at all, told from each row by itself.

What is plausible was found from a sample; a gate applies it to any part of the rows, wherever that
is.

* :class:`Reach`: rows no farther than so far from a centre.
* :class:`Plausible`: rows within the edges of a screen (:mod:`.wild`), feature by feature and all
  features together. Rows of the sample keep the verdict that the screen gave them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from .._typing import BoolArray, FloatArray, IntArray
from .radius import distances_from
from .screen import ScreenModel

BLOCK_ROWS = 50_000


class SampleFilter(Protocol):
    """Rows to whether they are shut out."""

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Mask of some rows, by their numbers among all, or by that of the first of them."""


@final
@dataclass(frozen=True)
class RadiusFilter:
    """Everybody within a distance of a point.

    Examples
    --------
    >>> import numpy as np
    >>> RadiusFilter(np.zeros(2), 5.0).excluded_mask(np.array([[3.0, 4.0], [3.0, 4.1]]))
    array([False,  True])
    """

    centre: FloatArray
    limit: float

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Rows farther away."""
        return distances_from(X, self.centre, BLOCK_ROWS) > self.limit


@final
@dataclass(frozen=True)
class OutlyingnessFilter:
    """Everybody within the edges that a screen found.

    Attributes
    ----------
    screen_model : Trace or None
        None if it found none.
    rows : array of indices, ascending
        The sample's rows among all.
    outlying : array of the same length
        What the screen said of them.
    """

    screen_model: ScreenModel | None
    rows: IntArray
    outlying: FloatArray

    def excluded_mask(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Rows beyond an edge."""
        return self.outlyingness(X, numbers) > 1

    def outlyingness(self, X: Any, numbers: IntArray | int = 0) -> FloatArray:
        """Size of each row relative to the edge of plausible sizes."""
        out = np.zeros(X.shape[0])
        screen_model = None if self.screen_model is None else self.screen_model.for_samples(X)
        if screen_model is not None:
            for start in range(0, X.shape[0], BLOCK_ROWS):
                part = slice(start, min(start + BLOCK_ROWS, X.shape[0]))
                out[part] = screen_model.total(part)
        if not isinstance(numbers, np.ndarray):
            first, last = np.searchsorted(self.rows, [numbers, numbers + X.shape[0]])
            own, outlying = self.rows[first:last] - numbers, self.outlying[first:last]
        else:
            places = np.minimum(np.searchsorted(self.rows, numbers), len(self.rows) - 1)
            own = np.flatnonzero(self.rows[places] == numbers) if len(self.rows) else numbers[:0]
            outlying = self.outlying[places[own]]
        out[own] = np.maximum(out[own], outlying)
        return out
