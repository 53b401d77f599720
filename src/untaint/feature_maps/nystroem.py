r"""Nystroem features: whitened kernel values with m landmarks.

.. math:: r(x) = (k(x, z_1), \dots, k(x, z_m)), \qquad M = U \Lambda^{-1/2}, \qquad
          K_{zz} = U \Lambda U^T

so that :math:`\phi(x)^T \phi(z) = k_x^T K_{zz}^{-1} k_z`, which is exact on the span of the
landmarks. Eigenvalues that are rounding errors are omitted. A function with coefficients c is
:math:`\sum_j (M c)_j k(z_j, x)`, an ordinary kernel expansion in the landmarks.
"""

from __future__ import annotations

from copy import copy
from typing import Any, final

import numpy as np
from scipy.linalg import eigh

from .._typing import FloatArray
from ..kernels import Kernel
from ..kernels.base import TiledKernel
from .base import FeatureMap


def rounding(count: int, size: float, dtype: Any) -> float:
    """Return the error of the eigenvalues of ``count`` samples by rounding values of a size."""
    return max(4.0 * float(np.finfo(dtype).eps) * np.sqrt(count) * size, np.finfo(float).tiny)


@final
class NystroemMap(FeatureMap):
    """Whitened kernel values with landmarks, an array or CSR of shape (m, d)."""

    def __init__(
        self, kernel: Kernel, landmarks: Any, dtype: Any = np.float64, n_threads: int | None = None
    ) -> None:
        self.kernel, self.landmarks = kernel, landmarks
        self.dtype = np.dtype(dtype)
        self.raw_width = landmarks.shape[0]
        K = kernel.matrix(landmarks, dtype=np.float64, n_threads=n_threads)
        values, vectors = eigh(K, driver="evd", check_finite=False)
        self.size = float(np.diag(K).max())
        decomposing = len(values) * np.finfo(float).eps * max(float(values[-1]), 0.0)
        clear = values > max(decomposing, rounding(len(values), self.size, self.dtype))
        if not clear.any():  # not positive semi-definite: keep the largest direction only
            clear[-1] = True
        self.values = values[clear]
        self.whitening = vectors[:, clear] / np.sqrt(np.maximum(self.values, np.finfo(float).tiny))

    def in_single(self, sample: Any, each: float, alpha: float) -> NystroemMap | None:
        """Return this map in single precision, None if it would lose a direction that matters.

        Each row of ``sample`` represents ``each`` samples. A direction whose features have a sum of
        squares below ``alpha`` is shrunk by more than half, and may be lost.
        """
        assert self.whitening is not None
        clear = self.values > rounding(self.raw_width, self.size, np.float32)
        lost = self.raw(sample) @ self.whitening[:, ~clear]
        if (each * np.einsum("ij,ij->j", lost, lost) > alpha).any() or not clear.any():
            return None
        single = copy(self)
        single.dtype = np.dtype(np.float32)
        single.whitening, single.values = self.whitening[:, clear], self.values[clear]
        return single

    def raw(self, X: Any) -> FloatArray:
        """Return the kernel values k(x, z_j), on one thread since callers thread over blocks."""
        return self.kernel.matrix(X, self.landmarks, dtype=self.dtype, n_threads=1)

    def raw_into(self, X: Any, out: FloatArray) -> None:
        """Write the kernel values into an array, without a copy where the kernel can do so."""
        if isinstance(self.kernel, TiledKernel):
            self.kernel.matrix_into(X, self.landmarks, out)
        else:
            super().raw_into(X, out)
