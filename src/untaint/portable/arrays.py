"""Arithmetic on the arrays of libraries that follow the array API standard, on their device.

NumPy, PyTorch on a processor or a graphics card, and others: constants are moved to the device of
the rows, and everything is computed there.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from .value import Arithmetic, Term, Value


class ArrayArithmetic(Arithmetic):
    """Arrays of one library on one device.

    Parameters
    ----------
    xp : module
        The library, as the array API standard describes it.
    working : dtype
        float32 or float64, as NumPy calls it.
    device : object, optional
        As the library names it.
    widest : dtype, default=float64
        float32 for devices that have no other.

    Examples
    --------
    >>> x = ArrayArithmetic(np, np.float32).value(np.array([[1.0, 2.0]], dtype=np.float32))
    >>> (x / 4.0).sum().data
    array([[0.75]], dtype=float32)
    """

    def __init__(self, xp: Any, working: Any, device: Any = None, widest: Any = np.float64) -> None:
        self.xp, self.device = xp, device
        self.working, self.widest = np.dtype(working), np.dtype(widest)

    @classmethod
    def at(cls, namespace: Any, rows: Any) -> Self:
        """Make an arithmetic for rows of ``namespace``, which has xp, device and widest."""
        working = np.float32 if rows.dtype == namespace.xp.float32 else np.float64
        return cls(namespace.xp, working, namespace.device, namespace.widest)

    def value(self, rows: Any) -> Value:
        """Return rows as a value."""
        return Value(rows, self)

    def constant(self, values: Any, dtype: np.dtype[Any]) -> Any:
        """Return a constant as an array on the device."""
        values = np.array(values, dtype=dtype, order="C")  # a copy: a library may write into it
        if self.device is None:
            return self.xp.asarray(values)
        return self.xp.asarray(values, device=self.device)

    def dtype(self, data: Any) -> np.dtype[Any]:
        """Return the NumPy dtype of the data."""
        return np.dtype(np.float32 if data.dtype == self.xp.float32 else np.float64)

    def cast(self, data: Any, dtype: np.dtype[Any]) -> Any:
        """Return the data in another dtype."""
        return self.xp.asarray(data, dtype=getattr(self.xp, dtype.name))

    def apply(self, operation: str, *data: Any) -> Any:
        """Apply the library's function of that name."""
        return getattr(self.xp, operation)(*data)

    def reduce(self, operation: str, data: Any) -> Any:
        """Return the sum or maximum of each row, as a column."""
        return getattr(self.xp, operation)(data, axis=-1, keepdims=True)

    def argmax(self, data: Any) -> Any:
        """Return the position of the largest entry of each row."""
        return self.xp.argmax(data, axis=-1)

    def concatenate(self, parts: Sequence[Any]) -> Any:
        """Return the columns of all parts side by side."""
        return self.xp.concat(list(parts), axis=-1)

    def fold(self, data: Any, other: Any, term: Term) -> Any:
        """Sum one column at a time: memory for two arrays of n rows and m columns."""
        total = None
        for j in range(data.shape[1]):
            part = term(self.value(data[:, j : j + 1]), self.value(other[j : j + 1, :])).data
            total = part if total is None else total + part
        return total
