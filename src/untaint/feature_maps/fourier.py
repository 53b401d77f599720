r"""Random Fourier features, for kernels of the difference of two samples.

.. math:: \phi(x) = \sqrt{2 / m}\, (\cos \omega_i^T x, \sin \omega_i^T x)_{i \le m / 2}

A kernel of :math:`x - z` is the mean of :math:`\cos \omega^T (x - z)` over its spectral
distribution. With g a standard normal vector and h a standard normal number, it is

* Gaussian: :math:`\omega = \sqrt{2 \gamma}\, g`;
* Laplacian: each coordinate is :math:`\gamma` times a Cauchy variable;
* exponential: :math:`\omega = \gamma g / |h|`, a multivariate Cauchy distribution;
* rational quadratic :math:`(1 + \gamma r^2 / s)^{-s}`: a Gaussian whose :math:`\gamma` has a Gamma
  distribution of shape s and mean :math:`\gamma`.

For kernels of the Euclidean distance, groups of frequencies are made orthogonal, which leaves the
distribution of each unchanged and reduces the variance of the approximation.

Subquantile Minimization, first version, eqs. (86) and (87), where the frequencies of the Gaussian
kernel have the variance :math:`2 / \gamma` in print; :math:`2 \gamma` is right.
"""

from typing import Any, final

import numpy as np

from .._typing import FloatArray
from ..kernels import RBF, Exponential, Kernel, Laplacian, RationalQuadratic
from .base import FeatureMap

#: Names of the kernels that have random Fourier features.
FOURIER_KERNELS = ("rbf", "laplacian", "exponential", "rational_quadratic")


@final
class FourierFeatures(FeatureMap):
    """Cosines and sines of random frequencies from the kernel's spectral distribution.

    ``n_components`` is the number of cosines and sines together, an odd number being rounded up.
    ``centre``, of shape (n_features,), is subtracted from the samples, so that phases stay small.
    """

    def __init__(
        self,
        kernel: Kernel,
        n_features: int,
        n_components: int,
        rng: np.random.Generator,
        centre: FloatArray | None = None,
        dtype: Any = np.float64,
    ) -> None:
        half = (n_components + 1) // 2
        self.dtype = np.dtype(dtype)
        self.raw_width = 2 * half
        self.omega = draw_frequencies(kernel, n_features, half, rng)
        self.centre = np.zeros(n_features) if centre is None else centre

    def raw(self, X: Any) -> FloatArray:
        """Return the cosines, then the sines, of the phases of the rows of X."""
        # Phases are computed in double precision, since they are large for feature outliers.
        with np.errstate(over="ignore", invalid="ignore"):
            phase = np.asarray(X @ self.omega) - self.centre @ self.omega
        phase[~np.isfinite(phase)] = 0.0
        half = self.raw_width // 2
        out = np.empty((X.shape[0], self.raw_width), dtype=self.dtype)
        # Reduced before rounding to single precision, which a large phase would not survive.
        np.remainder(phase, 2.0 * np.pi, out=phase)
        angles = phase.astype(self.dtype, copy=False)
        np.cos(angles, out=out[:, :half])
        np.sin(angles, out=out[:, half:])
        out *= np.sqrt(1.0 / half)
        return out


def draw_frequencies(
    kernel: Kernel, n_features: int, count: int, rng: np.random.Generator
) -> FloatArray:
    """Draw frequencies from the spectral distribution of a kernel, shape (n_features, count)."""
    if isinstance(kernel, Laplacian):
        return kernel.gamma * rng.standard_cauchy((n_features, count))
    directions = _orthogonal_normals(n_features, count, rng)
    if isinstance(kernel, RBF):
        return np.sqrt(2.0 * kernel.gamma) * directions
    if isinstance(kernel, Exponential):
        return kernel.gamma * directions / np.abs(rng.standard_normal(count))
    if isinstance(kernel, RationalQuadratic):
        scales = rng.gamma(kernel.shape, kernel.gamma / kernel.shape, count)
        return np.sqrt(2.0 * scales) * directions
    raise ValueError(
        f"approximation='rff' needs a kernel of the difference of two rows, one of "
        f"{', '.join(FOURIER_KERNELS)}, got {kernel!r}: use approximation='nystroem'."
    )


def _orthogonal_normals(n_features: int, count: int, rng: np.random.Generator) -> FloatArray:
    """Draw normal vectors that are orthogonal within groups of ``n_features``."""
    groups = []
    for _ in range(-(-count // n_features)):
        square, _ = np.linalg.qr(rng.standard_normal((n_features, n_features)))
        lengths = np.sqrt(rng.chisquare(n_features, n_features))
        groups.append(square * lengths)
    return np.concatenate(groups, axis=1)[:, :count]
