r"""Sums that do not depend on the order of their terms.

A sum is kept as two numbers, :math:`s + e`, of which e has what rounding took from s (Knuth's
two-sum, Dekker's double-double). That is accurate to about 32 digits, so that the nearest number in
double precision is the same in whatever order and groups terms are added, but for coincidences of
one in :math:`10^{15}`: blocks of rows may be summed on one machine or on many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from ._typing import FloatArray


@final
@dataclass(frozen=True)
class Sum:
    """A sum of arrays or numbers.

    Examples
    --------
    >>> terms = [1e16, 1.0, -1e16, 1.0]
    >>> float(sum(map(Sum, terms[1:]), Sum(terms[0])).value)
    2.0
    >>> sum(terms)
    1.0
    """

    high: Any
    low: Any = 0.0

    @classmethod
    def of(cls, terms: Sequence[Sum]) -> Sum:
        """Return the sum of sums, in pairs: many small sums take little longer than one.

        Examples
        --------
        >>> import numpy as np
        >>> Sum.of([Sum(np.ones(2)), Sum(np.zeros(2)), Sum(np.ones(2))]).value
        array([2., 2.])
        """
        high = np.array([each.high for each in terms])
        low = np.array([np.broadcast_to(each.low, high.shape[1:]) for each in terms])
        while (half := len(high) // 2) > 0:
            rest = slice(2 * half, None)
            ones, others = (
                cls(high[own], low[own]) for own in (slice(half), slice(half, 2 * half))
            )
            both = ones + others
            high, low = (
                np.concatenate([new, old[rest]])
                for new, old in ((both.high, high), (both.low, low))
            )
        return cls(high[0], low[0])

    def __add__(self, other: Sum) -> Sum:
        """Of the terms of both."""
        with np.errstate(invalid="ignore", over="ignore"):
            s, e = _two_sum(self.high, other.high)
            t, f = _two_sum(self.low, other.low)
            s, e = _two_sum(s, e + t)
            s, e = _two_sum(s, e + f)
        return Sum(s, e)

    @property
    def value(self) -> FloatArray:
        """The nearest number."""
        return np.asarray(self.high + self.low)


def _two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b as rounded, and what rounding took; called where overflow is no error."""
    s = a + b
    part = s - a
    rest = (a - (s - part)) + (b - part)
    if not np.isfinite(rest).all():  # sums beyond all bounds have no rest
        rest = np.where(np.isfinite(rest), rest, 0.0)
    return s, rest


def total(weights: FloatArray) -> Any:
    """Sum of weights, with digits to spare: parts of them add up to the same number."""
    return np.sum(weights, dtype=np.longdouble)
