"""Arrays whose arithmetic is carried out by a backend.

A :class:`Value` stands for an array of n rows, n unknown to the formula. Formulas combine values
with one another and with NumPy constants; an :class:`Arithmetic` carries the operations out, or
records them. Names of operations are those of the array API standard.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Term = Callable[["Value", "Value"], "Value"]


class Arithmetic(ABC):
    """The operations that formulas use.

    Attributes
    ----------
    working : dtype
        float32 or float64: type of arrays as large as rows times landmarks.
    widest : dtype
        float64, or the widest available: type of small arrays that must be exact.
    """

    working: np.dtype[Any]
    widest: np.dtype[Any]

    @abstractmethod
    def constant(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Return a constant as data of the backend."""

    @abstractmethod
    def dtype(self, data: Any) -> np.dtype[Any]:
        """Return the NumPy dtype of the data."""

    @abstractmethod
    def cast(self, data: Any, dtype: np.dtype[Any]) -> Any:
        """Return the data in another dtype."""

    @abstractmethod
    def apply(self, operation: str, *data: Any) -> Any:
        """Apply an operation to each entry or pair of entries, or a matrix product."""

    @abstractmethod
    def reduce(self, operation: str, data: Any) -> Any:
        """Return the sum or maximum of each row, as a column."""

    @abstractmethod
    def argmax(self, data: Any) -> Any:
        """Return the position of the largest entry of each row, the first of several."""

    @abstractmethod
    def concatenate(self, parts: Sequence[Any]) -> Any:
        """Return the columns of all parts side by side."""

    @abstractmethod
    def fold(self, data: Any, other: Any, term: Term) -> Any:
        """Sum term(column j of data, row j of other) over j, without storing all terms."""


def _operator(operation: str, *, swapped: bool = False) -> Callable[[Value, Any], Value]:
    """Return an operation of a value and a value or a constant, the latter first if swapped."""

    def apply(self: Value, other: Any) -> Value:
        return self._apply(operation, *((other, self) if swapped else (self, other)))

    return apply


def _function(operation: str) -> Callable[[Value], Value]:
    """Return an operation on each entry of a value."""
    return lambda self: self._apply(operation, self)


class Value:
    """An array of numbers, or a symbol for one.

    Parameters
    ----------
    data : object
        Data of the backend ``arithmetic``.
    arithmetic : Arithmetic

    Examples
    --------
    >>> from untaint.portable import ArrayArithmetic
    >>> x = ArrayArithmetic(np, np.float64).value(np.array([[1.0, 2.0]]))
    >>> (2.0 * x + np.array([1.0, 0.0])).exp().data.round(2)
    array([[20.09, 54.6 ]])
    """

    __array_ufunc__ = None  # operators with NumPy arrays call ours

    def __init__(self, data: Any, arithmetic: Arithmetic) -> None:
        self.data = data
        self.arithmetic = arithmetic

    @property
    def limits(self) -> np.finfo[Any]:
        """The limits of the dtype."""
        return np.finfo(self.arithmetic.dtype(self.data))

    def wide(self) -> Value:
        """Return the value in the widest precision."""
        return self.cast(self.arithmetic.widest)

    def narrow(self) -> Value:
        """Return the value in the working precision."""
        return self.cast(self.arithmetic.working)

    def cast(self, dtype: np.dtype[Any]) -> Value:
        """Return the value in a given precision."""
        if self.arithmetic.dtype(self.data) == dtype:
            return self
        return self._new(self.arithmetic.cast(self.data, dtype))

    __add__, __radd__ = _operator("add"), _operator("add", swapped=True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", swapped=True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", swapped=True)
    __sub__, __matmul__ = _operator("subtract"), _operator("matmul")
    __neg__, abs = _function("negative"), _function("abs")
    exp, log, sqrt = _function("exp"), _function("log"), _function("sqrt")
    cos, sin, floor = _function("cos"), _function("sin"), _function("floor")

    def log1p(self) -> Value:
        """Return the natural logarithm of 1 plus each entry."""
        return (1.0 + self).log()

    def copy(self) -> Value:
        """Return the value itself, which no operation changes."""
        return self

    def ones(self) -> Value:
        """Return ones of the same shape."""
        return self * 0.0 + 1.0

    def clip(self, largest: Any) -> Value:
        """Clip entries to an absolute value, or to one for each column."""
        return self._apply("minimum", self._apply("maximum", self, -largest), largest)

    def sum(self) -> Value:
        """Return the sum of each row, as a column."""
        return self._new(self.arithmetic.reduce("sum", self.data))

    def max(self) -> Value:
        """Return the largest entry of each row, as a column."""
        return self._new(self.arithmetic.reduce("max", self.data))

    def argmax(self) -> Value:
        """Return the position of the largest entry of each row."""
        return self._new(self.arithmetic.argmax(self.data))

    def hstack(self, other: Value) -> Value:
        """Return the columns of both side by side."""
        return self._new(self.arithmetic.concatenate([self.data, other.data]))

    def fold(self, Z: Any, term: Term) -> Value:
        """Sum term(x_j, z_j) over columns j, for all rows x and all rows z of the constant Z.

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
