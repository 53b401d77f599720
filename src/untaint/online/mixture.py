r"""Radial kernels as mixtures of Gaussian ones (Schoenberg), their narrow members widened.

.. math:: k(x, x') = \int e^{-\rho \|x - x'\|^2} \, dF(\rho)

- rbf: all of the mass at :math:`\rho = \gamma`;
- rational quadratic: :math:`\rho = \gamma u`, u of the Gamma distribution with mean 1 and the given
  shape;
- exponential, :math:`e^{-\gamma r}`: :math:`\rho = \gamma^2 / (4 v)`, v of the Gamma distribution
  with shape 1/2.

Noise of covariance :math:`\Sigma` blurs all that is narrower than itself: a Gaussian kernel has a
surrogate only if its width :math:`1 / \rho` exceeds :math:`2 \|\Sigma\|`. The last two mixtures
hold members of any width, so they have none. Rates above the largest admissible one are set to it;
the learner uses this clamped kernel, and says which mass was moved and how far that is from the
kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.optimize import brentq
from scipy.spatial.distance import cdist
from scipy.special import gammainc, gammaincc, gammaincinv

from .._typing import FloatArray

KERNELS = ("rbf", "exponential", "rational_quadratic")
AMPLIFICATION = 10.0  # of the surrogate's diagonal, at the narrowest member of a clamped mixture
_NODES = 48
_REST = 1e-3  # mass of the narrowest members that is moved even without noise
_WIDEST = 1e-7  # mass of the widest members that is left out


@final
@dataclass(frozen=True)
class Mixture:
    """A mixture of Gaussian kernels: inverse squared widths, and masses that sum to one."""

    rates: FloatArray
    masses: FloatArray
    clamped_mass: float = 0.0
    sup_error: float = 0.0

    def matrix(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """The kernel of all pairs of rows."""
        return self.of_squares(cdist(A, B, "sqeuclidean"))

    def of_squares(self, squares: FloatArray) -> FloatArray:
        """The kernel as a function of the squared distance."""
        out = np.zeros_like(squares)
        for rate, mass in zip(self.rates, self.masses, strict=True):
            out += mass * np.exp(-rate * squares)
        return out


def make_mixture(kernel: str, gamma: float, shape: float, noise: FloatArray) -> Mixture:
    """The kernel, as far as Gaussian noise of this covariance leaves it.

    Examples
    --------
    >>> make_mixture("rational_quadratic", 1.0, 1.0, np.zeros((1, 1))).sup_error < 1e-3
    True
    >>> make_mixture("rbf", 1.0, 1.0, np.eye(1))
    Traceback (most recent call last):
        ...
    ValueError: gamma must be less than 0.5 for noise of variance 1: the kernel's width 1 / gamma
    must exceed 2, twice the largest variance of the noise, got gamma=1.
    """
    variances = np.maximum(np.linalg.eigvalsh(noise), 0.0)
    if kernel == "rbf":
        _check_width(gamma, variances[-1])
        return Mixture(np.array([gamma]), np.ones(1))
    density, below, lowest, highest, exact = _member(kernel, gamma, shape)
    highest = min(highest, _largest_rate(variances))
    inside = below(highest)
    rates, masses = _quadrature(density, min(lowest, highest / 2), highest)
    masses *= inside / max(masses.sum(), np.finfo(float).tiny)
    rates, masses = np.append(rates, highest), np.append(masses, 1.0 - inside)
    mixture = Mixture(rates, masses)
    unit = gamma**2 if kernel == "exponential" else gamma
    squares = np.concatenate([[0.0], np.geomspace(1e-8, 1e8, 4000) / unit])
    error = float(np.abs(mixture.of_squares(squares) - exact(squares)).max())
    return Mixture(rates, masses, 1.0 - inside, error)


def _check_width(gamma: float, variance: float) -> None:
    if 2.0 * variance * gamma >= 1.0:
        raise ValueError(
            f"gamma must be less than {0.5 / variance:.4g} for noise of variance {variance:.4g}: "
            f"the kernel's width 1 / gamma must exceed {2 * variance:.4g}, twice the largest "
            f"variance of the noise, got gamma={gamma:.4g}."
        )


def _largest_rate(variances: FloatArray) -> float:
    """The rate at which the surrogate's diagonal is amplified by as much as we bear."""
    if variances[-1] == 0.0:
        return np.inf

    def excess(rate: float) -> float:
        return float(-0.5 * np.log1p(-2.0 * rate * variances).sum() - np.log(AMPLIFICATION))

    limit = 0.5 / variances[-1]  # searched for as a part of it: brentq's tolerance is absolute
    return limit * float(brentq(lambda part: excess(part * limit), 0.0, 1.0 - 1e-12))


def _member(
    kernel: str, gamma: float, shape: float
) -> tuple[
    Callable[[FloatArray], FloatArray],
    Callable[[float], float],
    float,
    float,
    Callable[[FloatArray], FloatArray],
]:
    """Density of log rate (up to a factor), distribution, its ends, and the kernel itself."""
    if kernel == "rational_quadratic":
        ends = gammaincinv(shape, [_WIDEST, 1.0 - 1e-9]) / shape
        return (
            lambda s: np.exp(shape * (s - np.log(gamma)) - shape * np.exp(s) / gamma),
            lambda rate: float(gammainc(shape, shape * rate / gamma)),
            gamma * float(ends[0]),
            gamma * float(ends[1]),
            lambda squares: (1.0 + gamma * squares / shape) ** -shape,
        )
    ends = gamma**2 / (4.0 * gammaincinv(0.5, np.array([1.0 - _WIDEST, _REST])))
    return (
        lambda s: np.exp(-0.5 * s - gamma**2 / 4.0 * np.exp(-s)),
        lambda rate: float(gammaincc(0.5, gamma**2 / (4.0 * rate))),
        float(ends[0]),
        float(ends[1]),
        lambda squares: np.exp(-gamma * np.sqrt(squares)),
    )


def _quadrature(
    density: Callable[[FloatArray], FloatArray], lowest: float, highest: float
) -> tuple[FloatArray, FloatArray]:
    """Gauss-Legendre nodes in log rate, which the densities are smooth in."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    low, high = np.log(lowest), np.log(highest)
    s = low + (high - low) * (nodes + 1.0) / 2.0
    return np.exp(s), weights * density(s)
