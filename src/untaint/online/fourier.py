r"""Random Fourier features, and the correction of their moments for noise.

:math:`\phi(x) = (\cos \omega_i^T x, \sin \omega_i^T x)_i` with :math:`\omega_i` from the kernel's
spectral distribution. Noise multiplies the mean of :math:`e^{i \omega^T \tilde x}` by its
characteristic function :math:`c(\omega)`, and a product of two features is a sum of Fourier
features of the sum and of the difference of their frequencies:

.. math:: E[e^{i (\omega_i \pm \omega_j)^T \tilde x}] = c(\omega_i \pm \omega_j) \,
          e^{i (\omega_i \pm \omega_j)^T x}.

The moments of noisy rows, divided by c entry by entry, therefore estimate those of the clean rows
without bias: one noisy copy is enough, for any noise with a known c. The mean of two copies has the
characteristic function :math:`c(\omega / 2)^2`, which is larger than that of either copy.
"""

from typing import final

import numpy as np

from .._typing import FloatArray, IntArray
from .mixture import KernelMixture
from .noise import log_characteristic_function

_MIN_LOG_DAMPING = -30.0  # log c is clipped here: such a feature is pure noise


@final
class SpectralSampler:
    """A SpectralSampler draws frequencies from a kernel's spectral distribution.

    Each feature has a seed of its own, so that adding features leaves the earlier columns
    unchanged.
    """

    def __init__(self, mixture: KernelMixture, n: int, seed: int) -> None:
        self._seed = seed
        self._roots = np.sqrt(2.0 * mixture.rates[systematic_sample(mixture.masses, n, seed)])

    def sample(self, n_features: int) -> FloatArray:
        """Return frequencies of shape (n, n_features)."""
        return self._roots[:, None] * normal_columns(len(self._roots), n_features, self._seed)


def fourier_features(X: FloatArray, omega: FloatArray) -> FloatArray:
    """Return cosines and sines of the projections, an array of shape (n, 2 D)."""
    phase = X @ omega.T
    return np.concatenate([np.cos(phase), np.sin(phase)], axis=1)


def evaluate_features(
    X: FloatArray, omega: FloatArray, coef: FloatArray, input_cov: FloatArray | None
) -> FloatArray:
    """Return sums of features, or their means over Gaussian rows X, which damp each of them."""
    if input_cov is not None:
        coef = coef * np.tile(np.exp(log_characteristic_function(omega, input_cov, "gaussian")), 2)
    return fourier_features(X, omega) @ coef


@final
class FourierCorrection:
    """A correction of the Gram matrix of r = (1, cosines, sines, y) by division by c."""

    def __init__(self, omega: FloatArray, cov: FloatArray, noise: str, n_copies: int) -> None:
        self._single, self._minus, self._plus = (
            np.maximum(log, _MIN_LOG_DAMPING) for log in _log_damping(omega, cov, noise, n_copies)
        )

    def __call__(self, gram: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        """Return the Gram matrix divided by powers of the characteristic function."""
        D = len(self._single)
        single = np.exp(-share * np.concatenate([self._single, self._single]))
        minus, plus = np.exp(-share * self._minus), np.exp(-share * self._plus)
        out = gram.copy()
        for edge in (0, -1):
            out[..., edge, 1:-1] *= single
            out[..., 1:-1, edge] *= single
        cos, sin = slice(1, D + 1), slice(D + 1, 2 * D + 1)
        cc, ss, sc = gram[..., cos, cos], gram[..., sin, sin], gram[..., sin, cos]
        cs = sc.swapaxes(-1, -2)
        even_minus, even_plus = (cc + ss) * minus, (cc - ss) * plus  # cos(a - b), cos(a + b)
        odd_minus, odd_plus = (sc - cs) * minus, (sc + cs) * plus  # sin(a - b), sin(a + b)
        out[..., cos, cos] = (even_minus + even_plus) / 2
        out[..., sin, sin] = (even_minus - even_plus) / 2
        out[..., sin, cos] = (odd_plus + odd_minus) / 2
        out[..., cos, sin] = out[..., sin, cos].swapaxes(-1, -2)
        return out


def _log_damping(
    omega: FloatArray, cov: FloatArray, noise: str, n_copies: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log c at the frequencies, at their differences and at their sums."""
    if noise == "gaussian":  # a quadratic form: no need for all pairs of vectors
        products = omega @ cov @ omega.T / n_copies
        squares = np.diag(products)
        pairs = squares[:, None] + squares
        return -squares / 2, -pairs / 2 + products, -pairs / 2 - products
    return tuple(
        n_copies * log_characteristic_function(frequencies / n_copies, cov, noise)
        for frequencies in (omega, omega[:, None] - omega, omega[:, None] + omega)
    )  # type: ignore[return-value]


def normal_columns(n: int, n_features: int, seed: int) -> FloatArray:
    """Return standard normal numbers of shape (n, n_features), with one seed per column."""
    columns = [np.random.default_rng([seed, j + 1]).standard_normal(n) for j in range(n_features)]
    return np.column_stack(columns)


def systematic_sample(masses: FloatArray, n: int, seed: int) -> IntArray:
    """Draw n indices by systematic sampling: each occurs n times its mass, rounded up or down."""
    levels = (np.arange(n) + np.random.default_rng([seed, 0]).random()) / n
    return np.minimum(np.searchsorted(np.cumsum(masses) / masses.sum(), levels), len(masses) - 1)
