"""Products of a matrix in single precision and vectors in double precision.

A vector is measured in a power of two near its largest entry, since numbers beyond 1e38 or below
1e-45 have no representation in single precision. Such a unit leaves no rounding errors.
"""

from typing import Any

import numpy as np

from .._typing import FloatArray


def product(A: Any, v: FloatArray) -> FloatArray:
    """Return A v in double precision, computed in the precision of A, dense or sparse.

    Examples
    --------
    >>> import numpy as np
    >>> product(np.ones((1, 2), dtype=np.float32), np.array([1e200, 2e200]))
    array([3.e+200])
    """
    if A.dtype == np.float64:
        return _times(A, v)
    unit = unit_of(v)
    return _times(A, (v / unit).astype(A.dtype)).astype(float) * unit


def _times(A: Any, v: FloatArray) -> FloatArray:
    """Return A v, for a transposed matrix in the order in which BLAS copies less."""
    if v.ndim == 2 and isinstance(A, np.ndarray) and A.flags.f_contiguous:
        return (v.T @ A.T).T
    return np.asarray(A @ v)


def unit_of(v: FloatArray) -> float:
    """Return a power of two near the largest entry, 1 if that is zero or no number."""
    largest = float(np.abs(v).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if 0.0 < largest < np.inf else 1.0
