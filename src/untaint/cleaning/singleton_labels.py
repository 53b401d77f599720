"""Labels that occur once: nothing can be learnt of them, and a trimmed fit refuses them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._typing import BoolArray
from .findings import Task


def singleton_label(y: NDArray[Any], task: Task) -> BoolArray:
    """Return which rows have a label that no other row has; none, for a numeric target.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.cleaning.singleton_labels import singleton_label
    >>> singleton_label(np.array(["tea", "tee", "tea"]), "classification")
    array([False,  True, False])
    """
    if task == "regression":
        return np.zeros(len(y), dtype=bool)
    _, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    return np.asarray(counts[codes] < 2)
