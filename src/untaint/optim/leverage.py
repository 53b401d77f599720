r"""How much each row bends its own prediction, for fits on features.

.. math:: q_i = \phi_i^T (\Phi^T W \Phi + \alpha P)^{-1} \phi_i = \|L^{-1} \phi_i\|^2,

L being the Cholesky factor. With many features the norm is estimated from a few random
combinations, :math:`\|\Omega^T L^{-1} \phi_i\|^2` with signs :math:`\Omega`, right to a tenth or
so: rows that are so many that this is worth it have small leverages.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from .._typing import FloatArray, IntArray

# Combinations that estimate a norm.
PROBES = 128
LARGEST_LEVERAGE = 1.0 - 1e-9


class Sized(Protocol):
    """Who can sum products of features, and say how large functions of them are at each row."""

    n_rows: int

    @property
    def width(self) -> int:
        """Number of columns."""

    @property
    def penalised(self) -> FloatArray:
        """Diagonal of P."""

    def gram(self, weights: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Weighted sums of products."""

    def squared_sizes(self, coef: FloatArray) -> FloatArray:
        """Sum over functions of their squared values, at each row."""


def leverages(
    features: Sized,
    weights: FloatArray,
    alpha: float,
    sample: IntArray | None = None,
    *,
    exact: bool = False,
) -> FloatArray:
    """q of every row.

    Parameters
    ----------
    features : Sized
    weights : array of shape (n,)
    alpha : float
    sample : array of indices, optional
        Rows whose sums stand for those of all.
    exact : bool
        Take the norm itself, whatever it costs.

    Examples
    --------
    >>> import numpy as np
    >>> from untaint.feature_maps import BlockedFeatures, IdentityMap, Plan
    >>> X = np.array([[1.0], [2.0]])
    >>> features = BlockedFeatures(IdentityMap(np.zeros(1)), X, False, Plan(2, 0))
    >>> leverages(features, np.ones(2), alpha=5.0)
    array([0.1, 0.4])
    """
    if sample is None:
        A = features.gram(weights)
    else:
        A = features.n_rows / len(sample) * features.gram(weights[sample], sample)
    A.flat[:: len(A) + 1] += alpha * features.penalised
    L = _factor(A)
    if exact or len(A) <= PROBES:
        probes = np.eye(len(A))
    else:
        signs = np.random.default_rng(0).integers(0, 2, (len(A), PROBES))
        probes = (2.0 * signs - 1.0) / np.sqrt(PROBES)
    return features.squared_sizes(solve_triangular(L, probes, lower=True, trans="T"))


def deletion_residuals(
    residuals: FloatArray, weights: FloatArray, sample_weight: FloatArray, q: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Residuals of fits without the row, or a copy of it, and the variances of such predictions."""
    own = weights / np.maximum(sample_weight, 1.0)
    others = 1.0 - np.minimum(own * q, LARGEST_LEVERAGE)
    return residuals / others[:, None], q / others


def _factor(A: FloatArray) -> FloatArray:
    least = 1e-12 * max(float(np.trace(A)) / len(A), np.finfo(float).tiny)
    while True:
        A.flat[:: len(A) + 1] += least
        try:
            return np.asarray(cholesky(A, lower=True, check_finite=False))
        except LinAlgError:
            least *= 100.0
