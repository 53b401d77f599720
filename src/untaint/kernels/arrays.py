"""Conversions of the two matrix types that kernels accept: dense arrays and SciPy CSR."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]
Distance = Literal["sqeuclidean", "euclidean", "manhattan"]
MatrixLike = Any  # ndarray of shape (n, d), or a SciPy CSR matrix or array of that shape


def as_dense(X: MatrixLike) -> Array:
    """Return X as a C-ordered float64 array, without a copy if it is one.

    Examples
    --------
    >>> as_dense(np.ones((1, 2), dtype=np.float32)).dtype
    dtype('float64')
    """
    return np.ascontiguousarray(X, dtype=np.float64)


def as_csr(X: MatrixLike) -> Any:
    """Return X as a float64 CSR array in canonical form, without modifying ``X``.

    Examples
    --------
    >>> as_csr(np.eye(2)).nnz
    2
    """
    rows = sp.csr_array(X, dtype=np.float64)
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def either_sparse(X: MatrixLike, Z: MatrixLike) -> bool:
    """Return whether X or Z is sparse, so that both should be handled as CSR.

    Examples
    --------
    >>> either_sparse(np.eye(2), sp.csr_array(np.eye(2)))
    True
    """
    return bool(sp.issparse(X) or sp.issparse(Z))


def working_dtype(X: MatrixLike, dtype: npt.DTypeLike | None = None) -> np.dtype[Any]:
    """Return ``dtype`` if given, else float32 for float32 X and float64 for any other.

    Examples
    --------
    >>> working_dtype(np.ones((1, 1), dtype=np.float32))
    dtype('float32')
    """
    if dtype is not None:
        return np.dtype(dtype)
    return np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
