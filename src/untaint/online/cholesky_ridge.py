r"""Ridge fits to positive definite Gram matrices, by Cholesky's factorisation.

With S and c the corrected moments of the features and their products with the target about the
means, and D the scales of the features, :math:`w = (S + \alpha D^2)^{-1} c`, which is the fit of
scaled features in the units of the others. An eigendecomposition gives the same w at four times the
cost; it is needed where S has negative or negligible eigenvalues, which the fit replaces.
"""

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf

from .._typing import BoolArray, FloatArray

_MIN_PIVOT = 0.03  # over the root of the diagonal; below it S is left to the eigendecomposition


def solve_by_cholesky(
    gram: FloatArray,
    alpha: float,
    *,
    centred: bool,
    penalties: FloatArray | float | None = None,
    removed: FloatArray | None = None,
) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept, or None if S is not well conditioned.

    ``gram`` (d + 2, d + 2) holds sums over rows (1, z, y); ``removed`` is subtracted from those of
    the features. The penalty of a coefficient is alpha times its entry of ``penalties``, by default
    the variance of the feature before that.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 3.0], [1.0, 2.0, 5.0]])
    >>> coef, intercept = solve_by_cholesky(rows.T @ rows, 0.0, penalties=1.0, centred=True)
    >>> coef.round(6).tolist(), round(intercept, 6)
    ([2.0], 1.0)
    """
    if len(gram) == 2:  # no features
        return None
    # The sums are not centred: factorising the row of the constant first does that.
    n, first = gram[0, 0], 0 if centred else 1
    sums = gram[first:-1, first:-1].copy()
    of_features = sums[1 - first :, 1 - first :]
    diagonal = sums.reshape(-1)[(1 - first) * (len(sums) + 1) :: len(sums) + 1]  # a view
    variances = diagonal - gram[0, 1:-1] ** 2 / n if centred else diagonal.copy()  # times n
    weights = variances if penalties is None else n * penalties
    if removed is not None:
        of_features -= removed
        variances = variances - removed.diagonal()
    factor, failed = dpotrf(sums)
    pivots = factor.diagonal()[1 - first :].tolist()
    if failed or min(pivots) ** 2 <= _MIN_PIVOT**2 * max(variances.tolist()):
        return None
    diagonal += alpha * weights
    solution = dposv(sums, gram[first:-1, -1])[1]
    return (solution[1:], float(solution[0])) if centred else (solution, 0.0)


def solve_many_by_cholesky(
    gram: FloatArray, alpha: FloatArray, *, penalties: FloatArray | float, centred: bool
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return coefficients (k, d), intercepts (k,), and which of k fits are well conditioned.

    ``gram`` (k, d + 2, d + 2) holds sums over rows (1, z, y), less those of the noise. The penalty
    of a coefficient is alpha (k,) times its entry of ``penalties``, (d,) or (k, d).

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 0.0, 1.0], [1.0, 1.0, 3.0], [1.0, 2.0, 5.0]])
    >>> gram, alpha = (rows.T @ rows)[None], np.zeros(1)
    >>> coef, intercept, _ = solve_many_by_cholesky(gram, alpha, penalties=1.0, centred=True)
    >>> coef.round(6).tolist(), intercept.round(6).tolist()
    ([[2.0]], [1.0])
    """
    per_row = 1.0 / gram[:, :1, :1]
    moments, means = gram[:, 1:, 1:] * per_row, gram[:, 0, 1:] * per_row[:, 0]
    if centred:
        moments -= means[:, :, None] * means[:, None, :]
    S = moments[:, :-1, :-1]
    diagonal = np.einsum("kii->ki", S)  # a view, to which the penalty is added
    well_conditioned = _well_conditioned(S, diagonal)
    diagonal += alpha[:, None] * penalties
    if not well_conditioned.all():
        S[~well_conditioned] = np.eye(S.shape[-1])
    coef = np.linalg.solve(S, moments[:, :-1, -1:])[..., 0]
    if not centred:
        return coef, np.zeros(len(coef)), well_conditioned
    return coef, means[:, -1] - (coef * means[:, :-1]).sum(axis=1), well_conditioned


def _well_conditioned(S: FloatArray, diagonal: FloatArray) -> BoolArray:
    """Return which matrices are positive definite by a margin."""
    try:
        pivots = np.einsum("kii->ki", np.linalg.cholesky(S))
    except np.linalg.LinAlgError:
        factors = [dpotrf(matrix) for matrix in S]
        pivots = np.array([f.diagonal() if not failed else 0.0 * f[0] for f, failed in factors])
    limits = _MIN_PIVOT**2 * diagonal.max(axis=1, initial=0.0)
    return (pivots**2).min(axis=1, initial=np.inf) > limits
