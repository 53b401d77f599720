r"""Inverses of a low-rank matrix plus a ridge, by Woodbury's identity.

With :math:`S = \Phi^T H \Phi + \rho I`, of p unknowns for each of k outputs,

.. math:: (H \Phi\Phi^T + \rho I)^{-1} v
          = \tfrac1\rho \bigl(v - H \Phi S^{-1} \Phi^T v\bigr), \qquad
          (D \Phi\Phi^T D + \rho I)^{-1} v
          = \tfrac1\rho \bigl(v - D \Phi S^{-1} \Phi^T D v\bigr),

the second for a diagonal :math:`H = D^2`. Of many coupled outputs only the diagonal of H is used.
"""

from itertools import chain
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from .._threads import map_blocks
from .._typing import FloatArray
from ..losses import Hessian
from ..losses.hessian import DiagonalHessian
from .base import Precondition, by_output
from .gram import LARGE, IncrementalGram, weighted_gram
from .mixed_precision import product

# Unknowns beyond which a joint factorisation costs more than the iterations that it saves.
MOST_COUPLED = 1500


def symmetric_inverse(gram: IncrementalGram, weights: FloatArray, alpha: float) -> Precondition:
    """Return the map v -> (D Phi Phi^T D + alpha I)^{-1} v of (n, k) arrays."""
    features, d = gram.features, np.sqrt(weights)[:, None]
    solve, shift = _factorised(gram.at(weights).copy(), alpha)
    return lambda v: (v - d * _through(features, solve, d * v)) / shift


def newton_inverse(features: Any, hessian: Hessian, n_outputs: int, alpha: float) -> Precondition:
    """Return the map v -> (H Phi Phi^T + alpha I)^{-1} v of (n, k) arrays."""
    if n_outputs * features.shape[1] <= MOST_COUPLED:
        solve, shift = _joint(features, hessian, n_outputs, alpha)
    else:
        entries = [hessian.entry(j, j) for j in range(n_outputs)]
        factors = [_factorised(weighted_gram(features, entry), alpha) for entry in entries]
        solve, shift = by_output([factor for factor, _ in factors]), max(own for _, own in factors)
        # The full H around the inverse of its diagonal would not be positive definite.
        hessian = DiagonalHessian(np.column_stack(entries))
    return lambda v: (v - hessian.times(_through(features, solve, v))) / shift


def _through(features: Any, solve: Precondition, v: FloatArray) -> FloatArray:
    """Return Phi S^{-1} Phi^T v."""
    return product(features, solve(product(features.T, v)))


def _joint(
    features: Any, hessian: Hessian, n_outputs: int, alpha: float
) -> tuple[Precondition, float]:
    """Factorise S for all outputs together."""
    p, whole = features.shape[1], hessian.sums_to_zero
    A = np.zeros((n_outputs * p, n_outputs * p))  # the lower half suffices
    of = [slice(j * p, (j + 1) * p) for j in range(n_outputs)]
    # If the entries sum to zero, the blocks on the diagonal follow from the others.
    pairs = [(j, k) for j in range(n_outputs) for k in range(j if whole else j + 1)]

    def grams(some: slice) -> list[FloatArray]:
        return [weighted_gram(features, hessian.entry(*pair)) for pair in pairs[some]]

    at_once = 1 if features.shape[0] * p**2 > LARGE else len(pairs)
    blocks = chain.from_iterable(map_blocks(grams, len(pairs), at_once))
    for (j, k), sums in zip(pairs, blocks, strict=True):
        A[of[j], of[k]] = sums
        if whole:
            A[of[j], of[j]] -= sums
            A[of[k], of[k]] -= sums
    solve, shift = _factorised(A, alpha)
    return lambda v: solve(v.T.ravel()).reshape(n_outputs, -1).T, shift


def _factorised(A: FloatArray, alpha: float) -> tuple[Precondition, float]:
    """Return a solver of (A + shift I) x = v, overwriting A, and the shift: alpha or a jitter."""
    shift = max(alpha, 1e-10 * float(np.trace(A)) / len(A), np.finfo(float).tiny)
    A.flat[:: len(A) + 1] += shift
    try:
        factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.zeros_like, shift
    return lambda v: cho_solve(factor, v, check_finite=False), shift
