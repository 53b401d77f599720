"""The columns themselves, centred: the features of the linear kernel."""

from __future__ import annotations

from typing import Any, final

import numpy as np

from .._typing import FloatArray
from .base import FeatureMap


@final
class IdentityMap(FeatureMap):
    """x - c.

    Parameters
    ----------
    centre : array of shape (d,)
        c, which an intercept takes up again; it keeps sums of squares accurate.
    dtype : dtype

    Examples
    --------
    >>> import numpy as np
    >>> IdentityMap(np.array([1.0, 0.0]))(np.array([[3.0, 4.0]]))
    array([[2., 4.]])
    """

    def __init__(self, centre: FloatArray, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        self.centre = centre.astype(self.dtype)
        self.raw_width = len(centre)
        self._moved = bool(centre.any())

    @property
    def cheap(self) -> bool:
        """They lie there already."""
        return True

    def raw(self, X: Any) -> FloatArray:
        """The rows, moved."""
        rows = np.asarray(X, dtype=self.dtype)
        return rows - self.centre if self._moved else rows
