r"""Leave-one-out residuals of weighted kernel ridge, in closed form.

With M the bordered matrix of the dual system (K + alpha W^{-1} with a row and a column of ones for
the intercept) and a the dual coefficients, refitting without row i leaves the residual

.. math:: y_i - f_{-i}(x_i) = a_i / (M^{-1})_{ii},

and a row of weight zero was never fitted: its residual stands as it is.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lapack

from .._typing import FloatArray
from .ridge_exact import symmetric_part


def leave_one_out_residuals(
    K: FloatArray,
    y: FloatArray,
    weights: FloatArray,
    alpha: float,
    *,
    fit_intercept: bool = True,
) -> FloatArray:
    """Residual of each row under the fit to all others.

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n, k)
    weights : array of shape (n,)
    alpha : float, positive
    fit_intercept : bool

    Returns
    -------
    array of shape (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> K, y = np.eye(3), np.array([[1.0], [2.0], [6.0]])
    >>> leave_one_out_residuals(K, y, np.ones(3), 1.0).ravel()
    array([-3. , -1.5,  4.5])
    """
    rows = np.flatnonzero(weights > 0)
    d = np.sqrt(weights[rows])
    A = symmetric_part(np.asarray(K, dtype=float), rows, d)
    A.flat[:: len(A) + 1] += alpha
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
