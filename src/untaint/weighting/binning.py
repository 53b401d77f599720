r"""Numbers of bins by the leading bits of a value, for bins of any width.

The bits of positive double-precision numbers, read as integers, are in the order of the numbers. A
table maps the leading bits of a value to its bin where no edge lies between the numbers that share
them, and only the other values are searched for among the edges: the result is that of
``numpy.searchsorted``, in about a quarter of its time.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from .._typing import FloatArray, IntArray

# Trailing bits that a cell of the table ignores: at first there are 256 cells for each power of 2.
SHIFT = 44
MAX_CELLS = 1 << 15
# Fewer values are not worth a table.
MIN_VALUES = 1_000


@final
@dataclass(frozen=True)
class BinTable:
    """Bins up to and including each of some ascending edges, and one beyond the last."""

    edges: FloatArray

    def bins(self, values: FloatArray) -> IntArray:
        """Return the number of edges below each value, as ``numpy.searchsorted`` does."""
        if len(values) < MIN_VALUES or self._table is None:
            return np.searchsorted(self.edges, values)
        shift, first, cells = self._table
        places = np.ascontiguousarray(values, dtype=np.float64).view(np.int64) >> shift
        np.clip(places, first - 1, first + len(cells) - 2, out=places)
        places -= first - 1
        bins = cells[places]
        unknown = np.flatnonzero(bins < 0)
        bins[unknown] = np.searchsorted(self.edges, values[unknown])
        return bins

    @cached_property
    def _table(self) -> tuple[int, int, IntArray] | None:
        """Bits to ignore, the first cell, and the bin of each cell, -1 where an edge lies in it.

        One cell more on either side is for smaller and for larger values.
        """
        positive = self.edges[(self.edges > 0) & np.isfinite(self.edges)]
        if not len(positive):
            return None
        ends = positive[[0, -1]].view(np.int64)
        shift = SHIFT
        while (ends[1] >> shift) - (ends[0] >> shift) >= MAX_CELLS:
            shift += 1
        first, last = (int(end >> shift) for end in ends)
        starts = np.arange(first, last + 2, dtype=np.int64) << shift
        low = np.searchsorted(self.edges, starts[:-1].view(np.float64))
        high = np.searchsorted(self.edges, (starts[1:] - 1).view(np.float64))
        below = 0 if positive[0] == self.edges[0] else -1
        above = len(self.edges) if positive[-1] == self.edges[-1] else -1
        return shift, first, np.concatenate([[below], np.where(low == high, low, -1), [above]])
