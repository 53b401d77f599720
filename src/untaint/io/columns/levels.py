"""The distinct texts of a column, trimmed, with how often they occur and which of them say nothing.

What a column holds is found out from these: a text is looked at once, however often it occurs.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._typing import BoolArray, FloatArray, IntArray
from ..arrow import pa, pc

MISSING: tuple[str, ...] = ("", "na", "n/a", "nan", "null", "none", "-", "--", "?", ".", "missing")
MISSING += ("#n/a", "nat", "<na>", "#na", "-nan")


class Levels(NamedTuple):
    """Distinct texts of a column, in the order in which they first occur.

    Parameters
    ----------
    texts : Arrow array of k strings
    codes : int array of shape (n,)
        Which of them each row has, -1 for none.
    counts : array of shape (k,)
    present : bool array of shape (k,)
        Whether a text says something, rather than that a value is missing.
    """

    texts: Any
    codes: NDArray[np.int32]
    counts: IntArray
    present: BoolArray

    @property
    def n_present(self) -> int:
        """The number of cells that have a value."""
        return int(self.counts[self.present].sum())

    @property
    def missing(self) -> BoolArray:
        """Which rows have no value."""
        return self.spread(~self.present, True)

    def spread(self, by_level: NDArray[Any], absent: Any) -> NDArray[Any]:
        """Return values by level as an array over rows."""
        return np.append(by_level, np.array(absent, by_level.dtype))[self.codes]

    def first_row(self, which: BoolArray) -> int:
        """Return the first row that has one of some levels."""
        return int(np.flatnonzero(self.spread(which, False))[0])

    def fraction(self, which: BoolArray) -> float:
        """Return the fraction of the cells with a value that has one of some levels."""
        return float(self.counts[which & self.present].sum()) / max(self.n_present, 1)


def find_levels(column: Any) -> Levels:
    """Find the distinct texts of an Arrow array of strings.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from untaint.io.columns.levels import find_levels
    >>> levels = find_levels(pa.array(["a", "n/a", " a", None]))
    >>> levels.texts.to_pylist(), levels.missing.tolist()
    (['a', 'n/a'], [False, True, False, True])
    """
    encoded = _combined(column).dictionary_encode()
    codes = np.asarray(pc.fill_null(encoded.indices, -1), np.int32)
    # Texts that differ by spaces only are one.
    trimmed = pc.utf8_trim_whitespace(encoded.dictionary).dictionary_encode()
    codes = np.append(np.asarray(trimmed.indices, np.int32), np.int32(-1))[codes]
    texts = trimmed.dictionary
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    nothing = pc.is_in(pc.utf8_lower(texts), value_set=pa.array(MISSING, texts.type))
    return Levels(texts, codes, counts, ~as_bool(nothing))


def as_bool(array: Any) -> BoolArray:
    """Return an Arrow array of booleans, false where it is null."""
    return np.asarray(pc.fill_null(array, False), bool)


def as_floats(array: Any) -> FloatArray:
    """Return an Arrow array of numbers, NaN where it is null."""
    return np.array(array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False))


def _combined(column: Any) -> Any:
    """Return a column in one piece, with 64-bit offsets beyond 2 GB."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    column = column.cast(pa.large_string()) if column.nbytes >= 2**31 else column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)
