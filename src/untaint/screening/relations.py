r"""Linear relations between features, and samples that violate them.

With :math:`\mu` and :math:`\Sigma` robust mean and covariance of the features, the residual of
feature j of a sample x in the regression on the other features is

.. math:: e_j = \frac{(\Sigma^{-1} (x - \mu))_j}{(\Sigma^{-1})_{jj}},

and the coordinates :math:`\Lambda^{-1/2} V' (x - \mu)`, with :math:`\Sigma = V \Lambda V'`, are
uncorrelated. Mean and covariance are those of the three quarters of the samples that are nearest to
them, found by concentration steps from the samples nearest to the centre.

Only features of many distinct values take part: a rare category would violate any relation that
holds among the common ones.

References
----------
Rousseeuw and Van Driessen (1999), A fast algorithm for the minimum covariance determinant.
"""

from dataclasses import dataclass
from itertools import islice

import numpy as np

from .._typing import FloatArray, IntArray
from .scales import centre_of, centres_of, quantile, scale_of, scales_of

SUPPORT_FRACTION = 0.75
C_STEPS = 4
# Samples that are needed for each feature.
MIN_ROWS_PER_FEATURE = 10
# Largest frequency of a single value of a feature.
MAX_FREQUENCY = 0.2
# Largest ratio of a feature's 0.9 quantile to its scale: heavier tails have no linear relation.
MAX_TAIL_RATIO = 20.0
# Squared scale of the residuals, relative to the feature, below which a relation is strong.
MAX_RESIDUAL_VARIANCE = 0.1
# Lower bound of the eigenvalues of the covariance, relative to the largest.
MIN_EIGENVALUE = 1e-4
# Residuals, relative to the feature's scale, that are ignored however exact a relation is.
RESIDUAL_FLOOR = 0.1


@dataclass(frozen=True)
class Relations:
    """Fitted linear relations between c features, the ``columns``.

    ``strong`` holds the indices of the s features that are nearly determined by the others, and
    ``scale`` their scales. Deviations from the mean are mapped to uncorrelated coordinates of scale
    one by ``whitener``, (c, c), and to the residuals of the strong ones by ``residual``, (c, s).
    """

    columns: IntArray
    mean: FloatArray
    whitener: FloatArray
    strong: IntArray
    residual: FloatArray
    scale: FloatArray

    def coordinates(self, X: FloatArray) -> FloatArray:
        """Return the uncorrelated coordinates of the samples, of scale one."""
        return np.asarray((X[:, self.columns] - self.mean) @ self.whitener)

    def violations(self, X: FloatArray) -> FloatArray:
        """Return the absolute residuals of the strong features, plus a tenth of their scales."""
        residuals = (X[:, self.columns] - self.mean) @ self.residual
        return np.asarray(np.abs(residuals) + RESIDUAL_FLOOR * self.scale)


def relations(X: FloatArray, weights: FloatArray, radius: FloatArray) -> Relations | None:
    """Fit relations, from the samples of smallest radius; None for too few samples or features."""
    most = int(weights.sum() / MIN_ROWS_PER_FEATURE)
    # One column too many decides, however many there are.
    suited = (j for j in range(X.shape[1]) if _takes_part(X[:, j], weights))
    columns = np.fromiter(islice(suited, most + 1), dtype=int)
    if len(columns) < 2 or len(columns) > most:
        return None
    A = X[:, columns]
    unit = scales_of(A - centres_of(A, weights), weights)
    A = A / unit
    support = radius <= quantile(radius, weights, SUPPORT_FRACTION)
    for _ in range(C_STEPS):
        mean = np.average(A[support], axis=0, weights=weights[support])
        B = A[support] - mean
        eigenvalues, V = np.linalg.eigh((B * weights[support, None]).T @ B / weights[support].sum())
        eigenvalues = np.maximum(eigenvalues, MIN_EIGENVALUE * eigenvalues[-1])
        Y = (A - mean) @ (V / np.sqrt(eigenvalues))
        size = np.einsum("ij,ij->i", Y, Y)
        support = size <= quantile(size, weights, SUPPORT_FRACTION)
    precision = (V / eigenvalues) @ V.T
    residual = precision / np.diag(precision)
    left = scales_of((A - mean) @ residual, weights)
    strong = np.flatnonzero(left**2 < MAX_RESIDUAL_VARIANCE)
    spread = np.maximum(scales_of(Y[support], weights[support]), 0.5)
    whitener = V / np.sqrt(eigenvalues) / spread / unit[:, None]
    residual = residual[:, strong] / unit[:, None] * unit[strong]
    return Relations(columns, mean * unit, whitener, columns[strong], residual, unit[strong])


def _takes_part(column: FloatArray, weights: FloatArray) -> bool:
    """Return whether a feature has many distinct values and no very heavy tail."""
    if not _many_values(column, weights):
        return False
    distances = np.abs(column - centre_of(column, weights))
    return scale_of(distances, weights, 0.9) < MAX_TAIL_RATIO * scale_of(distances, weights)


def _many_values(column: FloatArray, weights: FloatArray) -> bool:
    if np.all(weights == weights[0]):
        values = np.sort(column)
        lag = int(MAX_FREQUENCY * len(values))
        return lag > 0 and not bool(np.any(values[lag:] == values[:-lag]))
    order = np.argsort(column)
    values, own = column[order], weights[order]
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    return float(np.add.reduceat(own, starts).max()) <= MAX_FREQUENCY * float(weights.sum())
