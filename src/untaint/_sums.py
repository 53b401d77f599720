r"""Sums that do not depend on the order of their terms.

A sum is kept as two numbers, :math:`s + e`, of which e has what rounding took from s (Knuth's
two-sum, Dekker's double-double). That is accurate to about 32 digits, so that the nearest number in
double precision is the same in whatever order and groups terms are added, but for coincidences of
one in :math:`10^{15}`: blocks of rows may be summed on one machine or on many.
"""

from __future__ import annotations

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
    """a + b as rounded, and what rounding took."""
    s = a + b
    with np.errstate(invalid="ignore"):
        part = s - a
        rest = (a - (s - part)) + (b - part)
    return s, np.where(np.isfinite(rest), rest, 0.0)  # sums beyond all bounds have no rest


def total(weights: FloatArray) -> Any:
    """Sum of weights, with digits to spare: parts of them add up to the same number."""
    return np.sum(weights, dtype=np.longdouble)
