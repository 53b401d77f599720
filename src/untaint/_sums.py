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


def added(ones: Sequence[Sum], others: Sequence[Sum]) -> list[Sum]:
    """Return the sums of pairs of sums, added as one vector: small sums take as long as large ones.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = [Sum(np.ones(2)), Sum(np.ones((1, 3)))]
    >>> [each.value.tolist() for each in added(pairs, pairs)]
    [[2.0, 2.0], [[2.0, 2.0, 2.0]]]
    """
    both, parts, start = _joined(ones) + _joined(others), [], 0
    for each in ones:
        own = slice(start, start + each.high.size)
        shape, start = each.high.shape, own.stop
        parts.append(Sum(both.high[own].reshape(shape), both.low[own].reshape(shape)))
    return parts


def _joined(sums: Sequence[Sum]) -> Sum:
    """Return the numbers of some sums as one vector."""
    low, start = np.zeros(sum(each.high.size for each in sums)), 0
    for each in sums:
        own = slice(start, start + each.high.size)
        low[own] = each.low if np.ndim(each.low) == 0 else each.low.ravel()
        start = own.stop
    return Sum(np.concatenate([each.high.ravel() for each in sums]), low)


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
