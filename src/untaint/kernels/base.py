"""Base classes of the kernels.

A kernel is a symmetric, positive semi-definite function k(x, z) of two samples. It knows arrays and
its own parameters, nothing else.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from .arrays import Array, Distance, MatrixLike, either_sparse, working_dtype
from .tiles import Fill, build


class Kernel(ABC):
    """A kernel function, evaluated on all pairs of samples at once.

    Kernels are immutable values: equal when their parameters are, hashable, picklable.

    Attributes
    ----------
    name : str
        The name that :func:`untaint.kernels.make_kernel` accepts.
    distance : {"sqeuclidean", "euclidean", "manhattan"} or None
        The distance of which ``gamma`` is the inverse scale; None for a kernel without gamma.
    """

    name: ClassVar[str]
    distance: ClassVar[Distance | None] = None

    def matrix(
        self,
        X: MatrixLike,
        Z: MatrixLike | None = None,
        *,
        dtype: npt.DTypeLike | None = None,
        n_threads: int | None = None,
    ) -> Array:
        """Return the kernel matrix of entries k(x_i, z_j).

        Parameters
        ----------
        X : array or CSR of shape (n, d)
        Z : array or CSR of shape (m, d), optional
            Second set of samples. None means X itself; the result is then exactly symmetric, at
            half the cost.
        dtype : dtype, optional
            Precision of the result; by default float32 if X is, else float64.
        n_threads : int, optional
            Number of threads; None means all cores. The result does not depend on it.

        Returns
        -------
        ndarray of shape (n, m)
        """
        return self._matrix(X, Z, working_dtype(X, dtype), n_threads)

    @abstractmethod
    def _matrix(
        self, X: MatrixLike, Z: MatrixLike | None, dtype: np.dtype[Any], n_threads: int | None
    ) -> Array: ...

    @abstractmethod
    def diagonal(self, X: MatrixLike) -> Array:
        """Return the entries k(x_i, x_i), shape (n,), without computing the matrix."""

    def __call__(self, X: MatrixLike, Z: MatrixLike | None = None) -> Array:
        """Return the kernel matrix, as :meth:`matrix` does."""
        return self.matrix(X, Z)


class TiledKernel(Kernel, ABC):
    """A kernel whose matrix is computed tile by tile, by a function that subclasses provide."""

    def _matrix(
        self, X: MatrixLike, Z: MatrixLike | None, dtype: np.dtype[Any], n_threads: int | None
    ) -> Array:
        other = X if Z is None else Z
        K = self._build(X, other, dtype, symmetric=Z is None, n_threads=n_threads)
        if Z is None:
            np.fill_diagonal(K, self._finite_diagonal(X, dtype))
        return K

    def matrix_into(self, X: MatrixLike, Z: MatrixLike, out: Array) -> None:
        """Write the entries k(x_i, z_j) into a C-contiguous array, on one thread."""
        self._build(X, Z, out.dtype, symmetric=False, n_threads=1, out=out)

    def _build(self, X: MatrixLike, Z: MatrixLike, dtype: np.dtype[Any], **options: Any) -> Array:
        tiles, shape = self._tile_function(X, Z, dtype), (X.shape[0], Z.shape[0])
        return build(tiles, shape, dtype, strips=not either_sparse(X, Z), **options)

    def diagonal(self, X: MatrixLike) -> Array:
        """Return the entries k(x_i, x_i) without computing the matrix."""
        return self._finite_diagonal(X, working_dtype(X))

    def _finite_diagonal(self, X: MatrixLike, dtype: npt.DTypeLike) -> Array:
        with np.errstate(over="ignore"):
            values = self._exact_diagonal(X)
        limits = np.finfo(np.dtype(dtype))
        return np.clip(values, limits.min, limits.max).astype(dtype, copy=False)

    @abstractmethod
    def _tile_function(self, X: MatrixLike, Z: MatrixLike, dtype: npt.DTypeLike) -> Fill:
        """Return the function that computes tiles of k(X, Z)."""

    @abstractmethod
    def _exact_diagonal(self, X: MatrixLike) -> Array:
        """Return the entries k(x_i, x_i) in float64."""


def checked_number(name: str, value: object, good: Callable[[float], bool], expected: str) -> float:
    """Return a real number as float; raise ValueError for anything else, or if it is not good.

    Examples
    --------
    >>> checked_number("degree", 2, float.is_integer, "an integer")
    2.0
    """
    real = isinstance(value, Real) and not isinstance(value, bool)
    number = float(value) if real else np.nan  # type: ignore[arg-type]
    if not good(number):
        raise ValueError(f"{name} must be {expected}, got {value!r}.")
    return number


def positive(name: str, value: object, otherwise: str = "") -> float:
    """Return a positive, finite number as float; raise ValueError for anything else."""
    expected = f"a positive finite number{otherwise}"
    return checked_number(name, value, lambda number: 0.0 < number < np.inf, expected)
