"""Symmetric systems of kernel matrices: weighted, factored, or solved with least norm."""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, eigh, get_lapack_funcs

from .._typing import FloatArray, IntArray


def scaled_matrix(K: FloatArray, rows: IntArray, d: FloatArray, alpha: float) -> FloatArray:
    """Return D K D + alpha I restricted to some rows, as a new array."""
    A: FloatArray = K.copy() if len(rows) == len(K) else K[rows].take(rows, axis=1)
    if not (d == 1).all():
        A *= d
        A *= d[:, None]
    A.flat[:: len(A) + 1] += alpha
    return A


def definite_factor(A: FloatArray) -> tuple[FloatArray, bool]:
    """Return the Cholesky factor; raise LinAlgError if A is singular to rounding."""
    factor = cho_factor(A, lower=True, check_finite=False)
    pocon = get_lapack_funcs("pocon", (A,))
    reciprocal_condition, _ = pocon(factor[0], np.abs(A).sum(axis=0).max(), uplo="L")
    if reciprocal_condition <= np.finfo(A.dtype).eps:
        raise LinAlgError("singular to rounding")
    return factor


def least_norm(A: FloatArray, right: FloatArray) -> FloatArray:
    """Solve A x = right with least norm; A may be singular, or indefinite by rounding."""
    values, vectors = eigh(A, check_finite=False)
    limits = np.finfo(A.dtype)
    floor = len(A) * float(limits.eps) * max(float(np.abs(values).max()), float(limits.tiny))
    inverse = np.where(values > floor, 1.0 / np.where(values > floor, values, 1.0), 0.0)
    return vectors @ (inverse[:, None].astype(A.dtype) * (vectors.T @ right))
