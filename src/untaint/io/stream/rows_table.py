"""The result of `read_rows`: rows mapped from disk, targets in memory, names."""

import os
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from ..._typing import AnyArray


class Table:
    """Rows on disk and their targets.

    A context manager: leaving the ``with`` block closes it, and so removes its temporary file.
    Without one, the file goes when neither the table nor a view of its rows is held any more, and
    at the latest when Python exits.

    Attributes
    ----------
    X : numpy.memmap of shape (n, d)
        The rows, read-only and row by row, float32 or float64.
    y : numpy.ndarray of shape (n,) or None
        The targets, float64 or text (objects); None if there is no target.
    names : list of str or None
        Names of the columns of X; None if they have none.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.io import read_rows
    >>> with read_rows([np.eye(3), np.ones((2, 3))], target=-1) as table:
    ...     table
    ...     table.X.shape, table.y.tolist()
    Table(5 rows, 2 columns, float64, y of numbers)
    ((5, 2), [0.0, 0.0, 1.0, 1.0, 1.0])
    """

    def __init__(
        self,
        X: np.memmap[Any, Any],
        y: AnyArray | None,
        names: list[str] | None,
        remove: Callable[[], object] | None = None,
    ) -> None:
        self._X: np.memmap[Any, Any] | None = X
        self.y = y
        self.names = names
        self._remove = remove

    @property
    def X(self) -> np.memmap[Any, Any]:
        """The rows, mapped from disk."""
        if self._X is None:
            raise ValueError("the table is closed, and its rows are gone.")
        return self._X

    def close(self) -> None:
        """Release the rows and remove their file; a second call does nothing.

        Views that were taken before stay valid: the system keeps the rows until the last one goes.
        """
        self._X = None
        # Windows does not remove a file that is mapped; there it goes with the last view.
        if self._remove is not None and os.name != "nt":
            self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._X is None:
            return "Table(closed)"
        n, d = self._X.shape
        kind = (
            "no y" if self.y is None else f"y of {'text' if self.y.dtype == object else 'numbers'}"
        )
        return f"Table({n} rows, {d} columns, {self._X.dtype.name}, {kind})"
