r"""Nystroem features, a low-rank approximation of the kernel matrix.

.. math:: \Phi = K_{nm} L^{-T}, \quad L L^T = K_{mm} + \delta I, \qquad \Phi \Phi^T \approx K

for m landmark rows. The approximation is exact on their span, up to the jitter delta; if all rows
are landmarks, it is L.
"""

from contextlib import nullcontext

import numpy as np
from scipy.linalg import LinAlgError, cholesky, get_blas_funcs, lapack

from .._threads import all_blas_threads
from .._typing import FloatArray, IntArray

# Multiplications from which several threads of BLAS are faster than one.
LARGE = 10**9


def nystroem_features(columns: FloatArray, landmarks: IntArray) -> FloatArray:
    """Return features (n, m) of all rows from their kernel values (m, n) with the landmark rows."""
    K_mm = columns[:, landmarks].astype(float)
    scale = max(float(np.trace(K_mm)) / len(landmarks), np.finfo(float).tiny)
    jitter = 10.0 * np.finfo(columns.dtype).eps * scale
    L = None
    while L is None:
        K_mm.flat[:: len(landmarks) + 1] += jitter
        try:
            L = cholesky(K_mm, lower=True, check_finite=False)
        except LinAlgError:
            jitter *= 10.0
            if jitter > scale:  # not positive semi-definite: use the diagonal
                L = np.diag(np.sqrt(np.maximum(np.diag(K_mm), scale)))
    if len(landmarks) == columns.shape[1] and np.isfinite(L).all():
        return np.ascontiguousarray(L, dtype=columns.dtype)
    # A product with the inverse takes a third of the time of a triangular solve.
    inverse = lapack.dtrtri(L, lower=1)[0].astype(columns.dtype)
    times_triangular = get_blas_funcs("trmm", (columns,))
    with all_blas_threads() if columns.size * len(landmarks) > LARGE else nullcontext():
        return np.asarray(times_triangular(1.0, inverse, columns, lower=1).T)
