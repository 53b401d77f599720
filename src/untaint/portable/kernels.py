"""The formulas of :mod:`untaint.kernels`, on distances that any array library computes."""

from math import sqrt
from typing import Any

from ..kernels import Kernel, Linear, Polynomial
from ..kernels.radial import RadialKernel
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
    if isinstance(kernel, RadialKernel):
        if kernel.distance == "sqeuclidean":
            return kernel.profile(squared_distances(X, Z, sqrt(kernel.gamma)))
        summed = {"euclidean": euclidean_distances, "manhattan": manhattan_distances}
        return kernel.profile(summed[str(kernel.distance)](X, Z, kernel.gamma))
    if isinstance(kernel, Linear):
        return X.narrow() @ Z.T
    if isinstance(kernel, Polynomial):
        base = X.narrow() @ (kernel.gamma * Z.T) + kernel.coef0
        # A power that would overflow stays below the largest number.
        largest = float(base.limits.max) ** (1.0 / max(kernel.degree, 1)) * (1.0 - 1e-6)
        return kernel.profile(base.clip(largest))
    raise ValueError(
        f"the kernel must be one with a formula (linear, poly, rbf, laplacian, exponential or "
        f"rational_quadratic), got {kernel!r}."
    )
