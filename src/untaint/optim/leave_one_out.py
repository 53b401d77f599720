r"""Leave-one-out residuals of weighted ridge regression, in closed form.

With :math:`q_i` the leverage of row i per unit of weight (the variance of its prediction in units
of the noise), refitting without the row gives the residual and the variance

.. math:: y_i - f_{-i}(x_i) = \frac{y_i - f_i}{1 - w_i q_i}, \qquad \frac{q_i}{1 - w_i q_i}.

In the dual, with M the bordered matrix of the system (K + alpha W^{-1} with a row and a column of
ones for the intercept) and a the dual coefficients, that residual is :math:`a_i / (M^{-1})_{ii}`,
which keeps its digits where the leverage is nearly one. A row of weight zero keeps its residual.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from .._typing import FloatArray
from .definite import scaled_matrix

# Bound on the leverage: a row of leverage one has no leave-one-out residual.
MAX_LEVERAGE = 1.0 - 1e-9


def deletion_residuals(
    residuals: FloatArray,
    weights: FloatArray,
    sample_weight: FloatArray,
    leverage: FloatArray,
    max_leverage: float = MAX_LEVERAGE,
) -> tuple[FloatArray, FloatArray]:
    """Return the residuals (n, k) of fits without the row, and the variances of such predictions.

    One copy is left out of a row whose sample weight is that of several copies. The leverage q is
    per unit of weight, and bounded for one copy.
    """
    copy = weights / np.maximum(sample_weight, 1.0)
    others = 1.0 - np.minimum(copy * leverage, max_leverage)
    return residuals / others[:, None], leverage / others


def leave_one_out_residuals(
    K: FloatArray, y: FloatArray, weights: FloatArray, alpha: float, *, fit_intercept: bool = True
) -> FloatArray:
    """Return the residual (n, k) of each row under the kernel ridge fit to all others."""
    rows = np.flatnonzero(weights > 0)
    if fit_intercept:  # which takes up any constant
        y = y - weights[rows] @ y[rows] / weights[rows].sum()
    d = np.sqrt(weights[rows])
    A = scaled_matrix(np.asarray(K, dtype=float), rows, d, alpha)
    factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    both = cho_solve(factor, np.column_stack([d[:, None] * y[rows], d]), check_finite=False)
    u, v = both[:, :-1], both[:, -1]
    inverse, _ = lapack.dpotri(factor[0], lower=1)
    diagonal = np.diag(inverse).copy()
    intercept = np.zeros(y.shape[1])
    if fit_intercept:
        intercept = d @ u / (d @ v)
        u = u - v[:, None] * intercept
        diagonal -= v**2 / (d @ v)
    residuals = y - K[:, rows] @ (d[:, None] * u) - intercept
    # In the scaled system coefficient and diagonal are a / d and d^2 (M^{-1})_{ii}.
    residuals[rows] = (u / d[:, None]) / diagonal[:, None]
    return residuals
