"""Kernels given by a user's function, of matrices or of pairs of samples.

The matrix form is k(X, Z) -> (n, m); the pairwise form, which scikit-learn's ``pairwise_kernels``
takes, is k(x, z) -> float.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.sparse as sp

from .arrays import Array, MatrixLike, working_dtype
from .base import Kernel
from .tiles import TILE


@final
@dataclass(frozen=True)
class CallableKernel(Kernel):
    """A kernel computed by a user's function.

    The function is taken to be of matrices if it maps two rows of X and two or three of Z to a
    matrix of the right shape, and of pairs of samples otherwise. It is called from one thread only.

    Parameters
    ----------
    function : callable
        ``k(X, Z)`` returning a matrix, or ``k(x, z)`` returning a number.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[1.0], [2.0]])
    >>> CallableKernel(lambda X, Z: X @ Z.T).matrix(X)
    array([[1., 2.],
           [2., 4.]])
    >>> CallableKernel(lambda x, z: np.minimum(x, z).sum()).matrix(X)
    array([[1., 1.],
           [1., 2.]])
    """

    function: Callable[[Any, Any], Any]
    name: ClassVar[str] = "callable"

    def _matrix(
        self, X: MatrixLike, Z: MatrixLike | None, dtype: np.dtype[Any], n_threads: int | None
    ) -> Array:
        other = X if Z is None else Z
        shape = (X.shape[0], other.shape[0])
        if 0 in shape:
            return np.empty(shape, dtype)
        if self._takes_matrices(X, other):
            K = _finite(_checked(self.function(X, other), shape, dtype))
            # The function may hold a reference to its result: modify a copy only.
            return K if Z is not None or _symmetric(K) else _mirrored(K.copy())
        K = np.empty(shape, dtype)
        for i, x in enumerate(_each_row(X)):
            start = i if Z is None else 0
            K[i, start:] = [self._pair(x, z) for z in _each_row(other, start)]
        return _finite(_mirrored(K) if Z is None else K)

    def diagonal(self, X: MatrixLike) -> Array:
        """Return the entries k(x_i, x_i)."""
        n, dtype = X.shape[0], working_dtype(X)
        if n and self._takes_matrices(X, X):
            blocks = (X[i : i + 32] for i in range(0, n, 32))
            parts = [
                _checked(self.function(B, B), (B.shape[0], B.shape[0]), dtype).diagonal()
                for B in blocks
            ]
            return np.concatenate(parts)
        return np.array([self._pair(x, x) for x in _each_row(X)], dtype=dtype)

    def _takes_matrices(self, X: MatrixLike, Z: MatrixLike) -> bool:
        # Never as many rows of Z as there are features: np.dot, a valid pairwise function, would
        # then also return a matrix of the right shape, with wrong entries.
        n_columns = 3 if X.shape[1] == 2 else 2
        A, B = X[np.arange(2) % X.shape[0]], Z[np.arange(n_columns) % Z.shape[0]]
        try:
            _checked(self.function(A, B), (2, n_columns), np.dtype(np.float64))
        except Exception:  # a pairwise function may raise anything when it is given matrices
            return False
        return True

    def _pair(self, x: MatrixLike, z: MatrixLike) -> float:
        value = self.function(x, z)
        try:
            return float(value.toarray().item() if sp.issparse(value) else np.asarray(value).item())
        except (TypeError, ValueError) as error:
            raise ValueError(
                "A kernel function must map two matrices of shapes (n, d) and (m, d) to one of "
                f"shape (n, m), or two rows to a number, got {type(value).__name__}."
            ) from error


def _each_row(X: MatrixLike, start: int = 0) -> Any:
    """Return the rows from ``start`` on: vectors if dense, matrices of one row if sparse."""
    if sp.issparse(X):
        return (X[[i]] for i in range(start, X.shape[0]))
    return X[start:]


def _checked(K: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> Array:
    matrix = np.asarray(K.toarray() if sp.issparse(K) else K, dtype=dtype)
    if matrix.shape != shape:
        raise ValueError(
            f"The kernel function must return a matrix of shape {shape}, got {matrix.shape}."
        )
    return matrix


def _finite(K: Array) -> Array:
    if not np.isfinite(K).all():
        raise ValueError("The kernel function must return finite numbers, got NaN or infinity.")
    return K


def _symmetric(K: Array) -> bool:
    blocks = range(0, len(K), TILE)
    return all(np.array_equal(K[i : i + TILE], K[:, i : i + TILE].T) for i in blocks)


def _mirrored(K: Array) -> Array:
    """Copy the upper triangle of ``K`` to the lower one, block by block, and return ``K``."""
    for i in range(0, len(K), TILE):
        block = K[i : i + TILE, i : i + TILE]
        np.copyto(block, block.T.copy(), where=np.tri(len(block), k=-1, dtype=bool))
        K[i + TILE :, i : i + TILE] = K[i : i + TILE, i + TILE :].T
    return K
