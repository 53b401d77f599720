r"""Leverages of fits on features.

.. math:: q_i = \phi_i^T (\Phi^T W \Phi + \alpha P)^{-1} \phi_i = \|L^{-1} \phi_i\|^2,

with L the Cholesky factor. With many features :math:`\|\Omega^T L^{-1} \phi_i\|^2` with
random signs :math:`\Omega` estimates the norm to a tenth: where it pays, leverages are small.
"""

import numpy as np
from scipy.linalg import solve_triangular

from .._typing import FloatArray, IntArray
from .feature_newton import BlockFeatures
from .gram import MIN_JITTER, jittered_cholesky

# Random directions that estimate a norm.
PROBES = 128


def leverages(
    features: BlockFeatures,
    weights: FloatArray,
    alpha: float,
    sample: IntArray | None = None,
    *,
    exact: bool = False,
) -> FloatArray:
    """Return the leverage q of every row, per unit of weight, projected unless ``exact``.

    The Gram matrix of the rows ``sample`` stands for that of all.
    """
    scale = 1.0 if sample is None else features.n_rows / len(sample)
    A = scale * features.gram(weights if sample is None else weights[sample], sample)
    A.flat[:: len(A) + 1] += alpha * features.penalised
    jitter = MIN_JITTER * max(float(np.trace(A)) / len(A), np.finfo(float).tiny)
    L, _ = jittered_cholesky(A, 0.0, jitter)
    if exact or len(A) <= PROBES:
        probes = np.eye(len(A))
    else:
        signs = np.random.default_rng(0).integers(0, 2, (len(A), PROBES))
        probes = (2.0 * signs - 1.0) / np.sqrt(PROBES)
    return features.squared_sizes(solve_triangular(L, probes, lower=True, trans="T"))
