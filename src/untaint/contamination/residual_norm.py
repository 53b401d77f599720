r"""One signed number for the residual of each row, also where there are several outputs.

The squared norm of Gaussian residuals of k outputs is approximately :math:`v\,\chi^2_m`, with m
between 1 (perfectly correlated outputs) and k (independent ones). Its quantile is mapped to that
of one Gaussian residual of variance v, so that a single mixture model serves any k.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.stats import chi2

from .._typing import FloatArray
from ..screening.radius import weighted_median


@final
@dataclass(frozen=True)
class ResidualNorm:
    """Maps residuals of shape (n, k) to signed norms of shape (n,); m and v above."""

    dof: float = 1.0
    variance: float = 1.0

    def signed(self, residuals: FloatArray) -> FloatArray:
        """Return the signed norm of each row; the sign is that of the summed residuals."""
        if residuals.shape[1] == 1:
            return residuals[:, 0]
        ratio = _squared_norms(residuals) / self.variance
        beyond = chi2.sf(ratio, self.dof)
        sizes = np.where(beyond > 1e-300, chi2.isf(np.maximum(beyond, 1e-300), 1), ratio)
        return np.where(residuals.sum(axis=1) < 0, -1.0, 1.0) * np.sqrt(sizes * self.variance)


def fit_residual_norm(residuals: FloatArray, weights: FloatArray) -> ResidualNorm:
    """Estimate the norm from residuals of rows with these weights."""
    if residuals.shape[1] == 1:
        return ResidualNorm()
    inside = weights > 0
    middle = float(weighted_median(_squared_norms(residuals[inside]), weights[inside]))
    dof = _effective_outputs(residuals[inside], weights[inside])
    return ResidualNorm(dof, max(middle / float(chi2.ppf(0.5, dof)), np.finfo(float).tiny))


def signed_norms(residuals: FloatArray, weights: FloatArray) -> FloatArray:
    """Return signed norms under the norm that these residuals themselves determine."""
    return fit_residual_norm(residuals, weights).signed(residuals)


def _squared_norms(residuals: FloatArray) -> FloatArray:
    return np.nan_to_num(np.einsum("ij,ij->i", residuals, residuals), nan=np.inf)


def _effective_outputs(residuals: FloatArray, weights: FloatArray) -> float:
    """Return the participation ratio of the residual covariance: between 1 and k."""
    products = (residuals * weights[:, None]).T @ residuals
    size = float(np.trace(products))
    if not 0 < size < np.inf:
        return float(residuals.shape[1])
    return size**2 / float(np.sum(products**2))
