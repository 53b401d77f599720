r"""What every feature map offers.

.. math:: k(x, z) \approx \phi(x)^T \phi(z), \qquad \phi(x) = M^T r(x)

with raw features r that are cheap to compute, and a small matrix M that is applied to coefficients
and to sums over rows, never to the rows themselves: that saves half of the work where M is full.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from .._typing import FloatArray


class FeatureMap(ABC):
    """Rows to features.

    Attributes
    ----------
    dtype : dtype
        Of the raw features.
    raw_width : int
        Number of raw features.
    whitening : array of shape (raw_width, width), or None
        M; None is the identity.
    """

    raw_width: int
    whitening: FloatArray | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the raw features; kept as a type, which files of models hold without being trusted."""
        return np.dtype(self._precision)

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self._precision = np.dtype(dtype).type

    @abstractmethod
    def raw(self, X: Any) -> FloatArray:
        """Raw features of some rows, shape (n, raw_width)."""

    @property
    def cheap(self) -> bool:
        """Whether raw features are not worth keeping, for they take no time to make."""
        return False

    @property
    def width(self) -> int:
        """Number of features."""
        return self.raw_width if self.whitening is None else int(self.whitening.shape[1])

    def __call__(self, X: Any) -> FloatArray:
        """Features of some rows, shape (n, width)."""
        raw = self.raw(X)
        return raw if self.whitening is None else raw @ self.whitening.astype(raw.dtype)

    def unwhiten_coef(self, coef: FloatArray) -> FloatArray:
        """Coefficients of the raw features, from those of the features."""
        return coef if self.whitening is None else self.whitening @ coef

    def whiten_gradient(self, sums: FloatArray) -> FloatArray:
        """Sums of features over rows, from sums of raw features."""
        return sums if self.whitening is None else self.whitening.T @ sums
