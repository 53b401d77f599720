r"""The surrogate kernel: noisy inner products whose mean is the clean one.

For :math:`k(x, x') = e^{-\rho \|x - x'\|^2}` and Gaussian noise of covariance :math:`\Sigma`,

.. math:: \hat k(x, x') = R^2 e^{-(x - x')^T (I / \rho - 2 \Sigma)^{-1} (x - x')},
          \quad R^2 = \sqrt{\det(I / \rho) / \det(I / \rho - 2 \Sigma)}

has :math:`E[\hat k(a, x + n)] = k(a, x)` for every a (Cesa-Bianchi, Shalev-Shwartz and Shamir,
eq. 3 and 4, here for full covariances and mixtures of widths). It is positive definite as a sum of
Gaussian kernels. With :math:`-\Sigma` it blurs instead: the mean of k over a Gaussian x.
"""

from __future__ import annotations

from typing import final

import numpy as np
from scipy.spatial.distance import cdist

from .._typing import FloatArray
from .draws import even_draw, normal_columns
from .mixture import Mixture


@final
class Surrogate:
    """Surrogate of a mixture of Gaussian kernels."""

    def __init__(self, mixture: Mixture, noise: FloatArray) -> None:
        variances, self._axes = np.linalg.eigh(noise)
        self.inverse_widths = 1.0 / (1.0 / mixture.rates[:, None] - 2.0 * variances)
        shrinking = 1.0 - 2.0 * mixture.rates[:, None] * variances
        self.amplitudes = mixture.masses / np.sqrt(shrinking.prod(axis=1))

    @property
    def peak(self) -> float:
        """R^2, the kernel of a row with itself."""
        return float(self.amplitudes.sum())

    def matrix(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """The surrogate of all pairs of rows."""
        A, B = A @ self._axes, B @ self._axes
        out = np.zeros((len(A), len(B)))
        for amplitude, inverse in zip(self.amplitudes, self.inverse_widths, strict=True):
            root = np.sqrt(inverse)
            out += amplitude * np.exp(-cdist(A * root, B * root, "sqeuclidean"))
        return out

    def draw(self, n: int, seed: int) -> FloatArray:
        """Frequencies of its random features: normal, with twice the inverse widths."""
        member = even_draw(self.amplitudes, n, seed)
        normal = normal_columns(n, len(self._axes), seed) @ self._axes
        return (np.sqrt(2.0 * self.inverse_widths[member]) * normal) @ self._axes.T
