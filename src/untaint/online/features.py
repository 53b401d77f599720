r"""Random Fourier features, and their moments freed of noise.

:math:`\phi(x) = (\cos \omega_i^T x, \sin \omega_i^T x)_i` with :math:`\omega_i` from the kernel's
spectral distribution. Noise multiplies the mean of :math:`e^{i \omega^T \tilde x}` by its
characteristic function :math:`c(\omega)`, and products of two features are waves of the sum and the
difference of their frequencies:

.. math:: E[e^{i (\omega_i \pm \omega_j)^T \tilde x}] = c(\omega_i \pm \omega_j) \,
          e^{i (\omega_i \pm \omega_j)^T x}.

So the sums over noisy rows, divided by c entry by entry, have the clean rows' sums as their mean:
one noisy copy is enough, and any noise with a known c will do. The mean of two copies has the noise
:math:`c(\omega / 2)^2`, which leaves more than either copy.
"""

from __future__ import annotations

from typing import final

import numpy as np

from .._typing import FloatArray
from .draws import even_draw, normal_columns
from .mixture import Mixture
from .noise import log_characteristic

_FAINTEST = -30.0  # log c below which a wave is lost anyway


@final
class Frequencies:
    """Frequencies of a kernel; each feature's column has a seed of its own."""

    def __init__(self, mixture: Mixture, n: int, seed: int) -> None:
        self._seed = seed
        self._roots = np.sqrt(2.0 * mixture.rates[even_draw(mixture.masses, n, seed)])

    def matrix(self, n_features: int) -> FloatArray:
        """Shape (n, n_features); the first columns stay what they were for fewer features."""
        return self._roots[:, None] * normal_columns(len(self._roots), n_features, self._seed)


def waves(X: FloatArray, omega: FloatArray) -> FloatArray:
    """Cosines and sines, shape (n, 2 D)."""
    phase = X @ omega.T
    return np.concatenate([np.cos(phase), np.sin(phase)], axis=1)


@final
class WaveCorrection:
    """Divides sums of r r', r = (1, cosines, sines, y), by what noise left of them."""

    def __init__(self, omega: FloatArray, cov: FloatArray, noise: str, n_copies: int) -> None:
        single, minus, plus = _log_left(omega, cov, noise, n_copies)
        self._single = np.maximum(single, _FAINTEST)
        self._minus = np.maximum(minus, _FAINTEST)
        self._plus = np.maximum(plus, _FAINTEST)

    def __call__(self, second: FloatArray, noise: FloatArray, share: float) -> FloatArray:
        """Sums of r r' with a share of the noise removed, as a power of c."""
        D = len(self._single)
        single = np.exp(-share * np.concatenate([self._single, self._single]))
        minus, plus = np.exp(-share * self._minus), np.exp(-share * self._plus)
        out = second.copy()
        for edge in (0, -1):
            out[..., edge, 1:-1] *= single
            out[..., 1:-1, edge] *= single
        cos, sin = slice(1, D + 1), slice(D + 1, 2 * D + 1)
        cc, ss, sc = second[..., cos, cos], second[..., sin, sin], second[..., sin, cos]
        cs = sc.swapaxes(-1, -2)
        even_minus, even_plus = (cc + ss) * minus, (cc - ss) * plus  # cos(a - b), cos(a + b)
        odd_minus, odd_plus = (sc - cs) * minus, (sc + cs) * plus  # sin(a - b), sin(a + b)
        out[..., cos, cos] = (even_minus + even_plus) / 2
        out[..., sin, sin] = (even_minus - even_plus) / 2
        out[..., sin, cos] = (odd_plus + odd_minus) / 2
        out[..., cos, sin] = out[..., sin, cos].swapaxes(-1, -2)
        return out


def _log_left(
    omega: FloatArray, cov: FloatArray, noise: str, n_copies: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of c for the frequencies, their differences and their sums."""
    if noise == "gaussian":  # a quadratic form: no need for all pairs of vectors
        products = omega @ cov @ omega.T / n_copies
        squares = np.diag(products)
        pairs = squares[:, None] + squares
        return -squares / 2, -pairs / 2 + products, -pairs / 2 - products
    return tuple(
        n_copies * log_characteristic(frequencies / n_copies, cov, noise)
        for frequencies in (omega, omega[:, None] - omega, omega[:, None] + omega)
    )  # type: ignore[return-value]
