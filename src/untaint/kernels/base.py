"""What every kernel offers.

A kernel is a function k(x, z) of two rows, symmetric and positive semi-definite. It knows arrays
and its own parameters, nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from numbers import Real
from typing import ClassVar, SupportsFloat

import numpy as np
import numpy.typing as npt

from .arrays import Array, Design, Distance, working_dtype
from .tiles import Fill, build


class Kernel(ABC):
    """A kernel function, evaluated on all pairs of rows at once.

    Kernels are immutable values: equal when their parameters are, hashable, picklable.

    Attributes
    ----------
    name : str
        What users type.
    distance : str or None
        The distance that ``gamma`` is the inverse scale of (``"sqeuclidean"``, ``"euclidean"``
        or ``"manhattan"``, as :func:`untaint.kernels.resolve_gamma` takes it), None without one.
    """

    name: ClassVar[str]
    distance: ClassVar[Distance | None]

    @abstractmethod
    def matrix(
        self,
        X: Design,
        Z: Design | None = None,
        *,
        dtype: npt.DTypeLike | None = None,
        n_threads: int | None = None,
    ) -> Array:
        """Kernel matrix of entries k(x_i, z_j).

        Parameters
        ----------
        X : array or CSR of shape (n, d)
        Z : array or CSR of shape (m, d), optional
            None means X itself, and an exactly symmetric result at half the cost.
        dtype : dtype, optional
            Of the result; float32 if X is, else float64.
        n_threads : int, optional
            None means all cores. The result does not depend on it.

        Returns
        -------
        ndarray of shape (n, m)
        """

    @abstractmethod
    def diagonal(self, X: Design) -> Array:
        """Entries k(x_i, x_i), without the matrix.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        ndarray of shape (n,)
        """

    def __call__(self, X: Design, Z: Design | None = None) -> Array:
        """Same as :meth:`matrix`."""
        return self.matrix(X, Z)


class TiledKernel(Kernel, ABC):
    """A kernel whose matrix is built tile by tile: a subclass says how to fill one."""

    def matrix(
        self,
        X: Design,
        Z: Design | None = None,
        *,
        dtype: npt.DTypeLike | None = None,
        n_threads: int | None = None,
    ) -> Array:
        """Kernel matrix of entries k(x_i, z_j); see :meth:`Kernel.matrix`."""
        dtype = working_dtype(X, dtype)
        other = X if Z is None else Z
        K = build(
            self._tile_function(X, other, dtype),
            (X.shape[0], other.shape[0]),
            dtype,
            symmetric=Z is None,
            n_threads=n_threads,
        )
        if Z is None:
            np.fill_diagonal(K, self._finite_diagonal(X, dtype))
        return K

    def diagonal(self, X: Design) -> Array:
        """Entries k(x_i, x_i), without the matrix; see :meth:`Kernel.diagonal`."""
        return self._finite_diagonal(X, working_dtype(X))

    def _finite_diagonal(self, X: Design, dtype: npt.DTypeLike) -> Array:
        with np.errstate(over="ignore"):
            values = self._exact_diagonal(X)
        limits = np.finfo(np.dtype(dtype))
        return np.clip(values, limits.min, limits.max).astype(dtype, copy=False)

    @abstractmethod
    def _tile_function(self, X: Design, Z: Design, dtype: npt.DTypeLike) -> Fill:
        """Function that fills tiles of k(X, Z)."""

    @abstractmethod
    def _exact_diagonal(self, X: Design) -> Array:
        """Entries k(x_i, x_i) in float64."""


def positive(name: str, value: object) -> float:
    """Float of a positive, finite number; ValueError for anything else.

    Examples
    --------
    >>> positive("gamma", 2)
    2.0
    """
    number = as_number(value)
    if not 0.0 < number < np.inf:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}.")
    return number


def as_number(value: object) -> float:
    """Float of a real number, NaN for anything else.

    Examples
    --------
    >>> as_number("1")
    nan
    """
    return float(value) if isinstance(value, SupportsFloat) and _is_real(value) else np.nan


def _is_real(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
