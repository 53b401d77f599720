"""The identity map, phi(x) = x - c: features of the linear kernel."""

from typing import Any, ClassVar, final

import numpy as np

from .._typing import FloatArray
from .base import FeatureMap


@final
class IdentityMap(FeatureMap):
    """The columns of X minus a centre, (d,), which keeps sums accurate; an intercept absorbs it."""

    cacheable: ClassVar[bool] = False

    def __init__(self, centre: FloatArray, dtype: Any = np.float64) -> None:
        self.dtype = np.dtype(dtype)
        self.centre = centre.astype(self.dtype)
        self.raw_width = len(centre)
        self._centred = bool(centre.any())

    def raw(self, X: Any) -> FloatArray:
        """Return the rows of X minus the centre."""
        rows = np.asarray(X, dtype=self.dtype)
        return rows - self.centre if self._centred else rows
