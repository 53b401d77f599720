r"""Radial kernels as mixtures of Gaussian kernels (Schoenberg), with a bound on their rates.

.. math:: k(x, x') = \int e^{-\rho \|x - x'\|^2} \, dF(\rho)

- rbf: all of the mass is at :math:`\rho = \gamma`;
- rational quadratic: :math:`\rho = \gamma u` with u from the Gamma distribution with mean 1 and the
  given shape;
- exponential, :math:`e^{-\gamma r}`: :math:`\rho = \gamma^2 / (4 v)` with v from the Gamma
  distribution with shape 1/2.

With noise of covariance :math:`\Sigma` a Gaussian kernel has a surrogate only if its width :math:`1
/ \rho` exceeds :math:`2 \|\Sigma\|`. The last two mixtures have mass at every rate, so they have no
surrogate. Rates above the largest admissible one are clamped to it; the learner uses the clamped
kernel and reports the clamped mass and the distance to the requested kernel.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from scipy.special import gammainc, gammaincc, gammaincinv

from .._typing import FloatArray
from ..kernels import RBF, Exponential, RationalQuadratic
from ..kernels.in_place import InPlace

KERNELS = ("rbf", "exponential", "rational_quadratic")
Function = Callable[[FloatArray], FloatArray]
MAX_AMPLIFICATION = 10.0  # of the surrogate's diagonal at the largest rate of a clamped mixture
_NODES = 48
_CLAMPED_TAIL = 1e-3  # mass of the largest rates, clamped even without noise
_DROPPED_TAIL = 1e-7  # mass of the smallest rates, left out of the quadrature


class KernelMixture(NamedTuple):
    """A KernelMixture is a mixture of Gaussian kernels exp(-rate r^2) whose masses sum to one."""

    rates: FloatArray
    masses: FloatArray
    clamped_mass: float = 0.0
    sup_error: float = 0.0

    def matrix(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return the kernel matrix of the rows of A and B."""
        return self.of_squared_distances(cdist(A, B, "sqeuclidean"))

    def of_squared_distances(self, squares: FloatArray) -> FloatArray:
        """Evaluate the kernel at squared distances."""
        out = np.zeros_like(squares)
        for rate, mass in zip(self.rates, self.masses, strict=True):
            out += mass * RBF(rate).profile(InPlace(rate * squares)).data
        return out


def make_mixture(kernel: str, gamma: float, shape: float, noise: FloatArray) -> KernelMixture:
    """Return the kernel as a mixture whose rates Gaussian noise of this covariance admits."""
    variances = np.maximum(np.linalg.eigvalsh(noise), 0.0)
    if kernel == "rbf":
        _check_width(gamma, variances[-1])
        return KernelMixture(np.array([gamma]), np.ones(1))
    density, below, lowest, highest, exact = _mixing_distribution(kernel, gamma, shape)
    highest = min(highest, _largest_rate(variances))
    inside = below(highest)
    rates, masses = _quadrature(density, min(lowest, highest / 2), highest)
    masses *= inside / max(masses.sum(), np.finfo(float).tiny)
    rates, masses = np.append(rates, highest), np.append(masses, 1.0 - inside)
    mixture = KernelMixture(rates, masses)
    unit = gamma**2 if kernel == "exponential" else gamma
    squares = np.concatenate([[0.0], np.geomspace(1e-8, 1e8, 4000) / unit])
    error = float(np.abs(mixture.of_squared_distances(squares) - exact(squares)).max())
    return KernelMixture(rates, masses, 1.0 - inside, error)


def _check_width(gamma: float, variance: float) -> None:
    if 2.0 * variance * gamma >= 1.0:
        raise ValueError(
            f"gamma must be less than {0.5 / variance:.4g} for noise of variance {variance:.4g}: "
            f"the kernel's width 1 / gamma must exceed {2 * variance:.4g}, twice the largest "
            f"variance of the noise, got gamma={gamma:.4g}."
        )


def _largest_rate(variances: FloatArray) -> float:
    """Return the rate at which the surrogate's diagonal reaches ``MAX_AMPLIFICATION``."""
    if variances[-1] == 0.0:
        return np.inf

    def excess(rate: float) -> float:
        return float(-0.5 * np.log1p(-2.0 * rate * variances).sum() - np.log(MAX_AMPLIFICATION))

    limit = 0.5 / variances[-1]  # brentq's tolerance is absolute, so search for a fraction of it
    return limit * float(brentq(lambda fraction: excess(fraction * limit), 0.0, 1.0 - 1e-12))


def _mixing_distribution(
    kernel: str, gamma: float, shape: float
) -> tuple[Function, Callable[[float], float], float, float, Function]:
    """Return the mixing distribution of the rates, and the kernel itself.

    These are the density of log rate (up to a factor), the distribution function, the lower and the
    upper end of the quadrature, and the kernel as a function of the squared distance.
    """
    if kernel == "rational_quadratic":
        ends = gammaincinv(shape, [_DROPPED_TAIL, 1.0 - 1e-9]) / shape
        return (
            lambda s: np.exp(shape * (s - np.log(gamma)) - shape * np.exp(s) / gamma),
            lambda rate: float(gammainc(shape, shape * rate / gamma)),
            gamma * float(ends[0]),
            gamma * float(ends[1]),
            lambda squares: RationalQuadratic(gamma, shape).profile(InPlace(gamma * squares)).data,
        )
    ends = gamma**2 / (4.0 * gammaincinv(0.5, np.array([1.0 - _DROPPED_TAIL, _CLAMPED_TAIL])))
    return (
        lambda s: np.exp(-0.5 * s - gamma**2 / 4.0 * np.exp(-s)),
        lambda rate: float(gammaincc(0.5, gamma**2 / (4.0 * rate))),
        float(ends[0]),
        float(ends[1]),
        lambda squares: Exponential(gamma).profile(InPlace(gamma * np.sqrt(squares))).data,
    )


def _quadrature(density: Function, lowest: float, highest: float) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes in log rate, where the densities are smooth, and their masses."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    low, high = np.log(lowest), np.log(highest)
    s = low + (high - low) * (nodes + 1.0) / 2.0
    return np.exp(s), weights * density(s)
