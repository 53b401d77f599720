r"""The surrogate kernel, whose values at noisy rows are unbiased for the kernel at clean rows.

For :math:`k(x, x') = e^{-\rho \|x - x'\|^2}` and Gaussian noise of covariance :math:`\Sigma`,

.. math:: \hat k(x, x') = R^2 e^{-(x - x')^T (I / \rho - 2 \Sigma)^{-1} (x - x')},
          \quad R^2 = \sqrt{\det(I / \rho) / \det(I / \rho - 2 \Sigma)}

has :math:`E[\hat k(a, x + n)] = k(a, x)` for every a (Cesa-Bianchi, Shalev-Shwartz and Shamir, eq.
3 and 4, here for full covariances and mixtures of Gaussian kernels). It is positive definite as a
sum of Gaussian kernels. With :math:`-\Sigma` it is the mean of k over a Gaussian x.
"""

from typing import final

import numpy as np
from scipy.spatial.distance import cdist

from .._typing import FloatArray
from ..kernels import RBF
from ..kernels.in_place import InPlace
from .fourier import normal_columns, systematic_sample
from .mixture import KernelMixture


@final
class SurrogateKernel:
    """A SurrogateKernel is the surrogate of a mixture of Gaussian kernels."""

    def __init__(self, mixture: KernelMixture, noise: FloatArray) -> None:
        variances, self._eigenvectors = np.linalg.eigh(noise)
        self.inverse_widths = 1.0 / (1.0 / mixture.rates[:, None] - 2.0 * variances)
        ratios = 1.0 - 2.0 * mixture.rates[:, None] * variances
        self.amplitudes = mixture.masses / np.sqrt(ratios.prod(axis=1))

    @property
    def diagonal(self) -> float:
        """R^2, the surrogate kernel of a row with itself."""
        return float(self.amplitudes.sum())

    def matrix(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the surrogate kernel matrix of the rows of A and B."""
        A, B = A @ self._eigenvectors, B @ self._eigenvectors
        out = np.zeros((len(A), len(B)))
        for amplitude, inverse in zip(self.amplitudes, self.inverse_widths, strict=True):
            root = np.sqrt(inverse)
            scaled = cdist(A * root, B * root, "sqeuclidean")
            out += amplitude * RBF(1.0).profile(InPlace(scaled)).data
        return out

    def sample_frequencies(self, n: int, seed: int) -> FloatArray:
        """Draw frequencies of its random features from its spectral distribution."""
        component = systematic_sample(self.amplitudes, n, seed)
        normal = normal_columns(n, len(self._eigenvectors), seed) @ self._eigenvectors
        return (np.sqrt(2.0 * self.inverse_widths[component]) * normal) @ self._eigenvectors.T
