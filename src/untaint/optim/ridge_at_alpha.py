r"""Leave-one-out residuals of weighted ridge regression on features, at one alpha.

With the features centred by the weights and the Cholesky factor L of
:math:`\Phi^T W \Phi + \alpha I`, the rows of :math:`Z = \Phi L^{-T}` give

.. math:: f = b + Z Z^T W (y - b), \qquad q_i = 1 / \textstyle\sum w + \sum_j z_{ij}^2.

A factorisation costs about a tenth of the eigendecomposition that serves every alpha
(:mod:`.ridge_path`).
"""

from typing import Any, final

import numpy as np
from scipy.linalg import blas, lapack

from .._typing import FloatArray
from .gram import by_blocks
from .ridge_path import LooRidge, RidgePath, weighted_gram, weighted_mean, weighted_sums


@final
class RidgeAtAlpha(LooRidge):
    """Leave-one-out residuals of the fit to features (n, m), for given weights and one alpha.

    Of Z, its squared norms and the small :math:`L^{-1}` are kept: many of these objects are held,
    and memory that is used for the first time is slow.
    """

    def __init__(
        self,
        features: FloatArray,
        mean: FloatArray,
        inverse: FloatArray,
        squared_norms: FloatArray,
        weights: FloatArray,
        fit_intercept: bool,
    ) -> None:
        super().__init__(weights, fit_intercept)
        self._features, self._centre = features, mean
        self._inverse, self._squared_norms = inverse, squared_norms

    def fitted(self, weighted: FloatArray, alpha: float) -> FloatArray:
        """Return fitted values less the intercept, for weighted targets."""
        sums = weighted_sums(self._features, weighted, self.weights)
        sums -= np.outer(self._centre, weighted.sum(axis=0))
        half = blas.dtrmm(1.0, self._inverse, sums, lower=1)
        coef = blas.dtrmm(1.0, self._inverse, half, lower=1, trans_a=1)
        return self._features @ coef - self._centre @ coef

    def variances(self, alpha: float) -> FloatArray:
        """Return the variance of each fitted value less the intercept's."""
        return self._squared_norms.copy()


def ridge_at_alpha(
    features: Any, weights: FloatArray, alpha: float, fit_intercept: bool = True
) -> LooRidge:
    """Return leave-one-out fits at this alpha; a whole path if alpha is lost in rounding."""
    features = np.asarray(features, dtype=float)
    mean = weighted_mean(features, weights, fit_intercept)
    gram = weighted_gram(features, weights, mean)
    gram.flat[:: len(gram) + 1] += alpha
    factor, failed = lapack.dpotrf(gram, lower=1, clean=0)
    if failed:
        return RidgePath(features, weights, fit_intercept)
    # The product with the small inverse is faster than a triangular solve for all rows.
    inverse, _ = lapack.dtrtri(factor, lower=1, overwrite_c=1)

    def squared_norms_of(rows: slice) -> FloatArray:
        centred = features[rows] - mean
        half = blas.dtrmm(1.0, inverse, centred.T, lower=1, overwrite_b=1).T
        return np.einsum("ij,ij->i", half, half)

    squared_norms = np.concatenate(by_blocks(squared_norms_of, *features.shape))
    return RidgeAtAlpha(features, mean, inverse, squared_norms, weights, fit_intercept)
