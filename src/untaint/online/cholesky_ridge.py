r"""One ridge fit to a positive definite Gram matrix, by Cholesky's factorisation.

With S and c the moments of the features and their products with the target about the means, and D
the scales of the features, :math:`w = (S + \alpha D^2)^{-1} c`, which is the fit of scaled features
in the units of the others. An eigendecomposition gives the same w at four times the cost; it is
needed where S has negative or negligible eigenvalues, which the fit replaces.
"""

from __future__ import annotations

from scipy.linalg.lapack import dposv, dpotrf

from .._typing import FloatArray

_MIN_PIVOT = 0.03  # over the root of the diagonal; below it S is left to the eigendecomposition


def solve_by_cholesky(
    gram: FloatArray, alpha: float, *, centred: bool, scales: FloatArray | None
) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept, or None if S is not well conditioned.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 3.0], [1.0, 2.0, 5.0]])
    >>> coef, intercept = solve_by_cholesky(rows.T @ rows, 0.0, centred=True, scales=None)
    >>> coef.round(6).tolist(), round(intercept, 6)
    ([2.0], 1.0)
    """
    if len(gram) == 2:  # no features
        return None
    n = gram[0, 0]
    moments, means = gram[1:, 1:] / n, gram[0, 1:] / n
    if centred:
        moments -= means[:, None] * means
    S, c = moments[:-1, :-1], moments[:-1, -1]
    diagonal = S.diagonal()
    factor, failed = dpotrf(S)
    if failed or not (factor.diagonal() ** 2 > _MIN_PIVOT**2 * diagonal.max()).all():
        return None
    S.flat[:: len(S) + 1] = diagonal + (alpha if scales is None else alpha * scales**2)
    coef = dposv(S, c)[1]
    return coef, float(means[-1] - coef @ means[:-1]) if centred else 0.0
