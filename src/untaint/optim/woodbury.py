r"""Inverses of a low-rank matrix plus a ridge.

With :math:`S = \Phi^T H \Phi + \rho I`, of p unknowns for each of k outputs,

.. math:: (H \Phi\Phi^T + \rho I)^{-1} v
          = \tfrac1\rho \bigl(v - H \Phi S^{-1} \Phi^T v\bigr), \qquad
          (D \Phi\Phi^T D + \rho I)^{-1} v
          = \tfrac1\rho \bigl(v - D \Phi S^{-1} \Phi^T D v\bigr),

the second for :math:`H = D^2`, one number a row. The outputs are coupled through H, exactly, unless
they are too many for it.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._typing import FloatArray
from ..losses import Hessian
from ..losses.hessian import DiagonalHessian
from .base import Precondition
from .gram import IncrementalGram

# Unknowns beyond which a joint factorisation costs more than the iterations that it saves.
MOST_COUPLED = 1500


def symmetric_inverse(gram: IncrementalGram, weights: FloatArray, alpha: float) -> Precondition:
    """The map v -> (D Phi Phi^T D + ridge I)^{-1} v of (n, k) arrays, all columns alike.

    Examples
    --------
    >>> import numpy as np
    >>> inverse = symmetric_inverse(IncrementalGram(np.array([[1.0], [0.0]])), np.ones(2), 1.0)
    >>> inverse(np.array([[2.0], [2.0]])).ravel()
    array([1., 2.])
    """
    features, d = gram.features, np.sqrt(weights)[:, None]
    solve, shift = _factorised(gram.at(weights)[0].copy(), alpha)
    return lambda v: (v - d * _through(features, solve, d * v)) / shift


def newton_inverse(
    gram: IncrementalGram, hessian: Hessian, n_outputs: int, alpha: float
) -> Precondition:
    """The map v -> (H Phi Phi^T + ridge I)^{-1} v of (n, k) arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.losses.hessian import DiagonalHessian
    >>> gram, hessian = IncrementalGram(np.array([[1.0], [0.0]])), DiagonalHessian(np.ones((2, 1)))
    >>> newton_inverse(gram, hessian, 1, alpha=1.0)(np.array([[2.0], [2.0]])).ravel()
    array([1., 2.])
    """
    features = gram.features
    if n_outputs * features.shape[1] <= MOST_COUPLED:
        solve, shift = _joint(gram, hessian, n_outputs, alpha)
    else:
        # All of H around the inverse of its diagonal would not be definite.
        hessian = DiagonalHessian(np.column_stack([hessian.entry(j, j) for j in range(n_outputs)]))
        solve, shift = _separate(gram, hessian, n_outputs, alpha)
    return lambda v: (v - hessian.times(_through(features, solve, v))) / shift


def _through(features: FloatArray, solve: Precondition, v: FloatArray) -> FloatArray:
    """Phi S^{-1} Phi^T v."""
    projection = np.asarray(features.T @ v.astype(features.dtype), dtype=float)
    return np.asarray(features @ solve(projection).astype(features.dtype))


def _joint(
    gram: IncrementalGram, hessian: Hessian, n_outputs: int, alpha: float
) -> tuple[Precondition, float]:
    """One factorisation of all outputs."""
    p = gram.features.shape[1]
    A = np.zeros((n_outputs * p, n_outputs * p))  # its lower half suffices
    for j in range(n_outputs):
        for k in range(j + 1):
            block = gram.fresh(hessian.entry(j, k))
            A[j * p : (j + 1) * p, k * p : (k + 1) * p] = block
    solve, shift = _factorised(A, alpha)
    return lambda v: solve(v.T.ravel()).reshape(n_outputs, -1).T, shift


def _separate(
    gram: IncrementalGram, hessian: Hessian, n_outputs: int, alpha: float
) -> tuple[Precondition, float]:
    """One factorisation an output, as if the others stood still."""
    parts = [_factorised(gram.fresh(hessian.entry(j, j)), alpha) for j in range(n_outputs)]

    def solve(v: FloatArray) -> FloatArray:
        return np.column_stack([part(x) for (part, _), x in zip(parts, v.T, strict=True)])

    return solve, max(shift for _, shift in parts)


def _factorised(A: FloatArray, alpha: float) -> tuple[Precondition, float]:
    """Solver of (A + ridge I) x = v, overwriting A, and the ridge that it took."""
    # Without a ridge nothing is to be inverted beyond the features: any small one will do.
    shift = max(alpha, 1e-10 * float(np.trace(A)) / len(A), np.finfo(float).tiny)
    A.flat[:: len(A) + 1] += shift
    try:
        factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.zeros_like, shift
    return lambda v: cho_solve(factor, v, check_finite=False), shift
