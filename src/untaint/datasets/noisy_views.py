"""Several noisy copies of the same rows, as instruments, forms or a privacy mechanism give them.

    view_k = X + E_k,   rows of E_k independent with mean zero and covariance noise_cov

Noise is Gaussian, or Laplace with independent coordinates of scale sqrt(variance / 2).
"""

from collections.abc import Callable
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._random_state import RandomState, as_generator

Array: TypeAlias = NDArray[np.float64]
# Draws noise of a shape with unit variance in every cell.
Draw: TypeAlias = Callable[[np.random.Generator, tuple[int, ...]], Array]

DRAWS: dict[str, Draw] = {
    "gaussian": lambda rng, shape: rng.normal(size=shape),
    "laplace": lambda rng, shape: rng.laplace(scale=np.sqrt(0.5), size=shape),
}
# Of a covariance's largest entry: what rounding may do to symmetry and to eigenvalues of zero.
ROUNDING = 1e-10


def make_noisy_views(
    X: ArrayLike,
    *,
    noise_cov: ArrayLike,
    n_views: int = 2,
    noise: str = "gaussian",
    random_state: RandomState = None,
) -> list[Array]:
    """Return ``n_views`` copies of ``X``, each with independent noise of its own.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Clean rows. Missing cells (NaN) stay missing.
    noise_cov : array-like
        One variance for all cells; (d,) variances of the features; a (d, d) covariance matrix; or
        one for each row, (n, d) variances or (n, d, d) matrices. If n = d, a (d, d) array is one
        matrix.
    n_views : int, default=2
        Number of copies.
    noise : {"gaussian", "laplace"}, default="gaussian"
        Laplace noise has independent coordinates, so its covariance must be diagonal.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    views : list of n_views ndarrays of shape (n, d)

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.datasets import make_noisy_views
    >>> X = np.zeros((10_000, 2))
    >>> A, B = make_noisy_views(X, noise_cov=[0.25, 1.0], random_state=0)
    >>> A.shape, (A.var(axis=0) * 4).round().tolist()
    ((10000, 2), [1.0, 4.0])
    >>> bool(abs(np.mean(A * B)) < 0.02)  # independent noise
    True
    """
    rows = _rows(X)
    if noise not in DRAWS:
        raise ValueError(f"noise must be one of {', '.join(map(repr, DRAWS))}, got {noise!r}.")
    if not isinstance(n_views, Integral) or isinstance(n_views, bool) or n_views < 1:
        raise ValueError(f"n_views must be a whole number of 1 or more, got {n_views!r}.")
    shape = _shape_noise(_covariance(noise_cov, rows), rows.shape, noise)
    rng = as_generator(random_state)
    if rng is not random_state:  # X itself may have been drawn with the same seed
        (rng,) = rng.spawn(1)
    return [rows + shape(DRAWS[noise](rng, rows.shape)) for _ in range(n_views)]


def _rows(X: Any) -> Array:
    if hasattr(X, "toarray"):
        raise TypeError("make_noisy_views needs a dense X, got a sparse matrix; pass X.toarray().")
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise ValueError(f"X must have two dimensions, rows and features, got {rows.ndim}.")
    return rows


def _covariance(noise_cov: ArrayLike, X: Array) -> Array:
    """Check the shape and that there are only finite numbers."""
    n, d = X.shape
    cov = np.asarray(noise_cov, dtype=np.float64)
    if cov.shape not in {(), (d,), (d, d), (n, d), (n, d, d)}:
        raise ValueError(
            f"noise_cov must be a number or have shape ({d},), ({d}, {d}), ({n}, {d}) or "
            f"({n}, {d}, {d}), got shape {cov.shape}."
        )
    if not np.isfinite(cov).all():
        raise ValueError("noise_cov must hold finite numbers only.")
    return cov


def _shape_noise(cov: Array, shape: tuple[int, ...], noise: str) -> Callable[[Array], Array]:
    """Return a function that turns cells of unit variance into rows of this covariance."""
    d = shape[1]
    matrices = cov.ndim == 3 or cov.shape == (d, d)
    variances = np.diagonal(cov, axis1=-2, axis2=-1) if matrices else cov
    if (variances < 0).any():
        raise ValueError(f"noise_cov must hold no negative variance, got {variances.min():g}.")
    if not matrices or not (cov * (1.0 - np.eye(d))).any():
        deviations = np.sqrt(variances)
        return lambda cells: cells * deviations
    if noise == "laplace":
        raise ValueError("Laplace noise has independent features: noise_cov must be diagonal.")
    roots = _square_roots(cov)
    return lambda cells: np.einsum("...ij,...j->...i", roots, cells)


def _square_roots(cov: Array) -> Array:
    """Return symmetric square roots, which also singular matrices have."""
    rounding = ROUNDING * np.abs(cov).max()
    if np.abs(cov - np.swapaxes(cov, -1, -2)).max() > rounding:
        raise ValueError("noise_cov must be symmetric, got a matrix that is not.")
    values, vectors = np.linalg.eigh(cov)
    if values.min() < -rounding:
        raise ValueError(
            "noise_cov must be positive semi-definite, got a matrix with the eigenvalue "
            f"{values.min():.3g}."
        )
    scaled = vectors * np.sqrt(np.maximum(values, 0.0))[..., np.newaxis, :]
    return scaled @ np.swapaxes(vectors, -1, -2)
