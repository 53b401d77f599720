r"""Base class of the explicit feature maps.

.. math:: k(x, z) \approx \phi(x)^T \phi(z), \qquad \phi(x) = M^T r(x)

with raw features r and a small whitening matrix M. M is applied to coefficients and to sums over
samples rather than to the raw features of every sample, which saves half of the work for a full M.
"""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from .._typing import FloatArray


class FeatureMap(ABC):
    """A map from samples to features whose inner products approximate a kernel.

    ``whitening`` is the matrix M of shape (raw_width, width), None for the identity; ``cacheable``
    says whether raw features are expensive enough to be kept between passes over the data.
    """

    raw_width: int
    whitening: FloatArray | None = None
    cacheable: ClassVar[bool] = True

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of the raw features."""
        # Stored as a scalar type, which model files can hold without trusted types.
        return np.dtype(self._precision)

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self._precision = np.dtype(dtype).type

    @abstractmethod
    def raw(self, X: Any) -> FloatArray:
        """Return the raw features of the rows of X, shape (n, raw_width)."""

    def raw_into(self, X: Any, out: FloatArray) -> None:
        """Write the raw features of the rows of X into a C-contiguous array."""
        out[:] = self.raw(X)

    @property
    def width(self) -> int:
        """The number of features."""
        return self.raw_width if self.whitening is None else int(self.whitening.shape[1])

    def __call__(self, X: Any) -> FloatArray:
        """Return the features of the rows of X, shape (n, width)."""
        raw = self.raw(X)
        return raw if self.whitening is None else raw @ self.whitening.astype(raw.dtype)

    def unwhiten_coef(self, coef: FloatArray) -> FloatArray:
        """Return the coefficients of the raw features, M c, from those of the features."""
        return coef if self.whitening is None else self.whitening @ coef

    def whiten_gradient(self, sums: FloatArray) -> FloatArray:
        """Return sums of features over samples, M^T s, from sums of raw features."""
        return sums if self.whitening is None else self.whitening.T @ sums
