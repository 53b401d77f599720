"""Tables of numbers whose arithmetic somebody else does.

A :class:`Value` stands for a table of n rows, n unknown to the formula. Formulas combine values
with one another and with constants, which are NumPy's; an :class:`Arithmetic` carries it out, or
writes it down. Names of operations are those of the array API standard.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Term = Callable[["Value", "Value"], "Value"]


class Arithmetic(ABC):
    """What a formula is made of.

    Attributes
    ----------
    working : dtype
        float32 or float64: of what is as large as rows times landmarks.
    widest : dtype
        float64, or the best that there is: of what takes little work and must be exact.
    """

    working: np.dtype[Any]
    widest: np.dtype[Any]

    @abstractmethod
    def constant(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Data of numbers that are known."""

    @abstractmethod
    def dtype(self, data: Any) -> np.dtype[Any]:
        """NumPy's name for the numbers' type."""

    @abstractmethod
    def cast(self, data: Any, dtype: np.dtype[Any]) -> Any:
        """The same numbers in another type."""

    @abstractmethod
    def apply(self, operation: str, *data: Any) -> Any:
        """An operation on each entry or on each pair of entries, or a matrix product."""

    @abstractmethod
    def reduce(self, operation: str, data: Any) -> Any:
        """Sum or maximum of each row, as a column."""

    @abstractmethod
    def argmax(self, data: Any) -> Any:
        """Place of the largest entry of each row, the first of several."""

    @abstractmethod
    def concatenate(self, parts: Sequence[Any]) -> Any:
        """Columns side by side."""

    @abstractmethod
    def fold(self, data: Any, other: Any, term: Term) -> Any:
        """Sum over j of term(column j of data, row j of other), never all terms at a time."""


class Value:
    """A table of numbers, or of what will be numbers.

    Parameters
    ----------
    data : object
        As ``arithmetic`` takes it.
    arithmetic : Arithmetic

    Examples
    --------
    >>> from untaint.portable import ArrayArithmetic
    >>> x = ArrayArithmetic(np, np.float64).value(np.array([[1.0, 2.0]]))
    >>> (2.0 * x + np.array([1.0, 0.0])).exp().data.round(2)
    array([[20.09, 54.6 ]])
    """

    __array_ufunc__ = None  # NumPy's constants leave the arithmetic to us

    def __init__(self, data: Any, arithmetic: Arithmetic) -> None:
        self.data = data
        self.arithmetic = arithmetic

    @property
    def limits(self) -> np.finfo[Any]:
        """Of the numbers' type."""
        return np.finfo(self.arithmetic.dtype(self.data))

    def wide(self) -> Value:
        """In the best precision that there is."""
        return self.cast(self.arithmetic.widest)

    def narrow(self) -> Value:
        """In the precision that large tables are computed in."""
        return self.cast(self.arithmetic.working)

    def cast(self, dtype: np.dtype[Any]) -> Value:
        """In a given precision."""
        if self.arithmetic.dtype(self.data) == dtype:
            return self
        return self._new(self.arithmetic.cast(self.data, dtype))

    def __add__(self, other: Any) -> Value:
        return self._apply("add", self, other)

    def __sub__(self, other: Any) -> Value:
        return self._apply("subtract", self, other)

    def __mul__(self, other: Any) -> Value:
        return self._apply("multiply", self, other)

    def __truediv__(self, other: Any) -> Value:
        return self._apply("divide", self, other)

    def __matmul__(self, other: Any) -> Value:
        return self._apply("matmul", self, other)

    def __neg__(self) -> Value:
        return self._apply("negative", self)

    def __radd__(self, other: Any) -> Value:
        return self._apply("add", other, self)

    def __rmul__(self, other: Any) -> Value:
        return self._apply("multiply", other, self)

    def __rtruediv__(self, other: Any) -> Value:
        return self._apply("divide", other, self)

    def exp(self) -> Value:
        """Exponential of each entry."""
        return self._apply("exp", self)

    def log(self) -> Value:
        """Natural logarithm of each entry."""
        return self._apply("log", self)

    def sqrt(self) -> Value:
        """Square root of each entry."""
        return self._apply("sqrt", self)

    def abs(self) -> Value:
        """Size of each entry."""
        return self._apply("abs", self)

    def cos(self) -> Value:
        """Cosine of each entry."""
        return self._apply("cos", self)

    def sin(self) -> Value:
        """Sine of each entry."""
        return self._apply("sin", self)

    def floor(self) -> Value:
        """Whole number below each entry."""
        return self._apply("floor", self)

    def clip(self, largest: float) -> Value:
        """Entries no larger in size than this."""
        return self._apply("minimum", self._apply("maximum", self, -largest), largest)

    def sum(self) -> Value:
        """Sum of each row, as a column."""
        return self._new(self.arithmetic.reduce("sum", self.data))

    def max(self) -> Value:
        """Largest entry of each row, as a column."""
        return self._new(self.arithmetic.reduce("max", self.data))

    def argmax(self) -> Value:
        """Place of the largest entry of each row."""
        return self._new(self.arithmetic.argmax(self.data))

    def beside(self, other: Value) -> Value:
        """Columns of both."""
        return self._new(self.arithmetic.concatenate([self.data, other.data]))

    def fold(self, Z: Any, term: Term) -> Value:
        """Sum over columns j of term(x_j, z_j), for all rows x and all rows z of the constant Z.

        The term is given a column of n rows and a row of m entries.
        """
        other = self._data(np.asarray(Z).T)
        return self._new(self.arithmetic.fold(self.data, other, term))

    def _apply(self, operation: str, *operands: Any) -> Value:
        return self._new(self.arithmetic.apply(operation, *map(self._data, operands)))

    def _data(self, operand: Any) -> Any:
        if isinstance(operand, Value):
            return operand.data
        return self.arithmetic.constant(operand, self.arithmetic.dtype(self.data))

    def _new(self, data: Any) -> Value:
        return Value(data, self.arithmetic)
