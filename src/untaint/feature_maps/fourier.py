r"""Random Fourier features: waves whose frequencies the kernel draws.

.. math:: \phi(x) = \sqrt{2 / m}\, (\cos \omega_i^T x, \sin \omega_i^T x)_{i \le m / 2}

A kernel of :math:`x - z` is the mean of :math:`\cos \omega^T (x - z)` over its spectral
distribution: Gaussian, :math:`\omega = \sqrt{2 \gamma}\, g`; Laplacian, each coordinate
:math:`\gamma` times a Cauchy number; exponential, :math:`\gamma g / |h|` with one more normal
number h (a multivariate Cauchy); rational quadratic :math:`(1 + \gamma r^2 / s)^{-s}`, a Gaussian
whose :math:`\gamma` is drawn from a Gamma distribution of shape s and mean :math:`\gamma`.

Frequencies of pairs of draws are made orthogonal where the kernel is a function of the Euclidean
distance: it leaves each frequency's distribution alone and takes away some of the chance.

Subquantile Minimization, first version, eqs. (86) and (87), where the Gaussian kernel's frequencies
have the variance :math:`2 / \gamma` in print; :math:`2 \gamma` is right.
"""

from __future__ import annotations

from typing import Any, final

import numpy as np

from .._typing import FloatArray
from ..kernels import RBF, Exponential, Kernel, Laplacian, RationalQuadratic
from .base import FeatureMap

#: Kernels that have waves.
FOURIER_KERNELS = ("rbf", "laplacian", "exponential", "rational_quadratic")


@final
class FourierFeatures(FeatureMap):
    """Cosines and sines of random frequencies.

    Parameters
    ----------
    kernel : RBF, Laplacian, Exponential or RationalQuadratic
    n_features : int
        Columns of X.
    n_components : int
        Cosines and sines together; an odd number is rounded up.
    rng : Generator
    centre : array of shape (n_features,), optional
        Subtracted from the rows, so that phases stay small.
    dtype : dtype

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.kernels import RBF
    >>> X = np.array([[0.0], [0.5]])
    >>> phi = FourierFeatures(RBF(gamma=1.0), 1, 4000, np.random.default_rng(0))(X)
    >>> bool(abs(phi[0] @ phi[1] - np.exp(-0.25)) < 0.03)
    True
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
        """Cosines, then sines."""
        # Phases in double precision: wild rows have many turns.
        with np.errstate(over="ignore", invalid="ignore"):
            phase = np.asarray(X @ self.omega) - self.centre @ self.omega
        phase[~np.isfinite(phase)] = 0.0
        half = self.raw_width // 2
        out = np.empty((X.shape[0], self.raw_width), dtype=self.dtype)
        # Turns beyond counting carry no information, and no cosine either.
        np.remainder(phase, 2.0 * np.pi, out=phase)
        angles = phase.astype(self.dtype, copy=False)
        np.cos(angles, out=out[:, :half])
        np.sin(angles, out=out[:, half:])
        out *= np.sqrt(1.0 / half)
        return out


def draw_frequencies(
    kernel: Kernel, n_features: int, count: int, rng: np.random.Generator
) -> FloatArray:
    """Frequencies of a kernel, shape (n_features, count)."""
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
    """Normal vectors, orthogonal within groups of as many as there are features."""
    groups = []
    for _ in range(-(-count // n_features)):
        square, _ = np.linalg.qr(rng.standard_normal((n_features, n_features)))
        lengths = np.sqrt(rng.chisquare(n_features, n_features))
        groups.append(square * lengths)
    return np.concatenate(groups, axis=1)[:, :count]
