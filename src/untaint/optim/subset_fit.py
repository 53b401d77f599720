r"""Ridge regression on some of the rows, and the outlier statistic of each row, kept or not.

With :math:`e_i` the residual of row i under the fit to the other kept rows and :math:`v_i` the
variance of that prediction in units of the noise, the penalised sum of squares J rises by

.. math:: z_i^2 = e_i^2 / (1 + v_i)

when the row joins, or falls by it when the row leaves. If all rows have the same noise, z has its
standard deviation. A fit of m rows has :math:`\nu = m - \mathrm{tr} H` degrees of freedom left.
"""

from typing import NamedTuple

import numpy as np

from .._typing import BoolArray, FloatArray
from .ridge_path import RidgePath


class SubsetFit(NamedTuple):
    """Deletion residuals z of all rows, (n,), and J, tr H and m of the fit to the kept rows."""

    residuals: FloatArray
    squares: float
    effective_dof: float
    size: int

    @property
    def residual_dof(self) -> float:
        """Degrees of freedom that the fit leaves for the noise."""
        return self.size - self.effective_dof


def fit_subset(
    features: FloatArray, y: FloatArray, kept: BoolArray, alpha: float, fit_intercept: bool
) -> SubsetFit:
    """Fit features, (n, m), to the targets, (n,), of the kept rows."""
    path = RidgePath(features, kept.astype(float), fit_intercept)
    deleted, variances = path.leave_one_out(y[:, None], alpha, np.ones(len(y)))
    residuals, shrinkage = deleted[:, 0] / np.sqrt(1.0 + variances), 1.0 / (1.0 + variances[kept])
    # The residual of a kept row is e / (1 + v), and its leverage v / (1 + v).
    squares = float(np.sum(y[kept] * deleted[kept, 0] * shrinkage))
    return SubsetFit(residuals, squares, float(np.sum(1.0 - shrinkage)), int(kept.sum()))
