"""Labels that a single row has: nothing can be learnt of them, and a trimmed fit refuses them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray
from .findings import Task


def alone(y: NDArray[Any], task: Task) -> BoolArray:
    """Which rows have a label that no other row has; none, if targets are amounts.

    Parameters
    ----------
    y : array of shape (n,)
    task : {"regression", "classification"}

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.rare import alone
    >>> alone(np.array(["tea", "tee", "tea"]), "classification")
    array([False,  True, False])
    """
    if task == "regression":
        return np.zeros(len(y), dtype=bool)
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return np.asarray(counts[codes] < 2)
