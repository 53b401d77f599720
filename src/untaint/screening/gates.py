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
from .rows import distances_from
from .wild import Trace

BLOCK_ROWS = 50_000


class Gate(Protocol):
    """Rows to whether they are shut out."""

    def shuts_out(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Mask of some rows, by their numbers among all, or by that of the first of them."""


@final
@dataclass(frozen=True)
class Reach:
    """Everybody within a distance of a point.

    Examples
    --------
    >>> import numpy as np
    >>> Reach(np.zeros(2), 5.0).shuts_out(np.array([[3.0, 4.0], [3.0, 4.1]]))
    array([False,  True])
    """

    centre: FloatArray
    limit: float

    def shuts_out(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Rows farther away."""
        return distances_from(X, self.centre, BLOCK_ROWS) > self.limit


@final
@dataclass(frozen=True)
class Plausible:
    """Everybody within the edges that a screen found.

    Attributes
    ----------
    trace : Trace or None
        None if it found none.
    rows : array of indices, ascending
        The sample's rows among all.
    odd : array of the same length
        What the screen said of them.
    """

    trace: Trace | None
    rows: IntArray
    odd: FloatArray

    def shuts_out(self, X: Any, numbers: IntArray | int = 0) -> BoolArray:
        """Rows beyond an edge."""
        return self.oddness(X, numbers) > 1

    def oddness(self, X: Any, numbers: IntArray | int = 0) -> FloatArray:
        """Size of each row relative to the edge of plausible sizes."""
        out = np.zeros(X.shape[0])
        trace = None if self.trace is None else self.trace.elsewhere(X)
        if trace is not None:
            for start in range(0, X.shape[0], BLOCK_ROWS):
                part = slice(start, min(start + BLOCK_ROWS, X.shape[0]))
                out[part] = trace.total(part)
        if not isinstance(numbers, np.ndarray):
            first, last = np.searchsorted(self.rows, [numbers, numbers + X.shape[0]])
            own, odd = self.rows[first:last] - numbers, self.odd[first:last]
        else:
            places = np.minimum(np.searchsorted(self.rows, numbers), len(self.rows) - 1)
            own = np.flatnonzero(self.rows[places] == numbers) if len(self.rows) else numbers[:0]
            odd = self.odd[places[own]]
        out[own] = np.maximum(out[own], odd)
        return out
