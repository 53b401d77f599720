"""Kernels as formulas: those of :mod:`untaint.kernels`, for any array library."""

from __future__ import annotations

from math import sqrt
from typing import Any

from ..kernels import RBF, Exponential, Kernel, Laplacian, Linear, Polynomial, RationalQuadratic
from .distances import euclidean_distances, manhattan_distances, squared_distances
from .value import Value


def kernel_values(kernel: Kernel, X: Value, Z: Any) -> Value:
    """Return the kernel k(x, z) of new rows x and constant rows z.

    Parameters
    ----------
    kernel : Kernel
        Any but a callable or a precomputed one.
    X : Value of shape (n, d)
    Z : array of shape (m, d), float64

    Returns
    -------
    Value of shape (n, m)
        In the working precision.
    """
    if isinstance(kernel, RBF):
        return (-squared_distances(X, Z, sqrt(kernel.gamma))).exp()
    if isinstance(kernel, Exponential):
        return (-euclidean_distances(X, Z, kernel.gamma)).exp()
    if isinstance(kernel, Laplacian):
        return (-manhattan_distances(X, Z, kernel.gamma)).exp()
    if isinstance(kernel, RationalQuadratic):
        return _heavy_tail(squared_distances(X, Z, sqrt(kernel.gamma)), kernel.shape)
    if isinstance(kernel, Linear):
        return X.narrow() @ Z.T
    if isinstance(kernel, Polynomial):
        base = X.narrow() @ (kernel.gamma * Z.T) + kernel.coef0
        return _power(base, kernel.degree)
    raise ValueError(
        f"the kernel must be one with a formula (linear, poly, rbf, laplacian, exponential or "
        f"rational_quadratic), got {kernel!r}."
    )


def _heavy_tail(t: Value, shape: float) -> Value:
    """Return (1 + t / shape) ** -shape."""
    base = 1.0 + t * (1.0 / shape)
    return 1.0 / base if shape == 1.0 else (-shape * base.log()).exp()


def _power(base: Value, degree: int) -> Value:
    """Return a power by squaring; one that would overflow stays below the largest number."""
    if degree == 0:
        return base * 0.0 + 1.0
    base = base.clip(float(base.limits.max) ** (1.0 / degree) * (1.0 - 1e-6))
    power = base
    for bit in f"{degree:b}"[1:]:
        power = power * power
        if bit == "1":
            power = power * base
    return power
