r"""Ridge fits to corrected moments.

With S and c the corrected moments of the features and their products with the target about the
means, and D the scales of the features, :math:`w = (S_+ + \alpha D^2)^{-1} c`, which is the fit of
scaled features in the units of the others. Where S is well conditioned, Cholesky's factorisation
gives w at a quarter of the cost of an eigendecomposition. That is needed where S has negative or
negligible eigenvalues, which are set to zero.

With a given small penalty there is a third case. Subtracting noise leaves :math:`v^T S v - share \,
v^T \Sigma v` of the variance in a direction v, whose first term is known up to a relative standard
error of :math:`\sqrt{2 / n}` only. If what remains is smaller than that, it may be zero, and
dividing by it gives coefficients of any size: such eigenvalues are raised to the standard error,
unless alpha exceeds it.
"""

import warnings

import numpy as np
from scipy.linalg.lapack import dposv, dpotrf

from .._typing import BoolArray, FloatArray
from ..exceptions import OverstatedNoiseWarning
from .correction import centred_moments

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


def solve_ridge(
    gram: FloatArray, alphas: FloatArray, *, centred: bool, scales: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return coefficients (..., alphas, d) and intercepts (..., alphas) from a Gram matrix."""
    means, moments_about_mean = centred_moments(gram, centred)
    S, c = moments_about_mean[..., :-1, :-1], moments_about_mean[..., :-1, -1]
    if scales is not None:
        S, c = S / (scales[:, None] * scales), c / scales
    values, vectors = np.linalg.eigh(S)
    projected = (vectors.swapaxes(-1, -2) @ c[..., None])[..., 0]
    damped = np.maximum(values, 0.0)[..., None, :] + alphas[:, None]
    negligible = 1e-14 * np.abs(values).max(axis=-1, initial=0.0)
    if damped.min(initial=np.inf) <= negligible.max():
        # For alpha=0 this is the pseudoinverse, that is, the least-squares fit of smallest norm.
        damped[damped <= negligible[..., None, None]] = np.inf
    coef = (projected[..., None, :] / damped) @ vectors.swapaxes(-1, -2)
    if scales is not None:
        coef = coef / scales
    return coef, means[..., None, -1] - (coef @ means[..., :-1, None])[..., 0]


def solve_floored(
    noisy: FloatArray, clean: FloatArray, alpha: float, *, centred: bool
) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept, or None if no eigenvalue needs to be raised.

    ``noisy`` and ``clean`` are Gram matrices of rows (1, z, y) before and after the correction.
    """
    means, moments = centred_moments(clean, centred)
    S = centred_moments(noisy, centred)[1][:-1, :-1]
    values, vectors = np.linalg.eigh(moments[:-1, :-1])
    variances = np.einsum("ij,ij->j", vectors, S @ vectors)
    floor = np.sqrt(2.0 / noisy[0, 0]) * variances
    raised = (np.maximum(values, 0.0) + alpha < floor) & (values < 0.99 * variances)
    if not raised.any():
        return None
    warnings.warn(
        f"the noise to remove is all of the variance of the rows in {int(raised.sum())} of "
        f"{len(values)} directions, up to its sampling error: there the variance that remains was "
        'raised to that error; share="auto" or a larger alpha is safer.',
        OverstatedNoiseWarning,
        stacklevel=2,
    )
    damped = np.where(raised, floor, np.maximum(values, 0.0) + alpha)
    coef = vectors @ ((vectors.T @ moments[:-1, -1]) / np.where(damped > 0.0, damped, np.inf))
    return coef, float(means[-1] - coef @ means[:-1])


def solve_in_ball(
    clean: FloatArray, alpha: float, bound: float, *, centred: bool, scales: FloatArray | None
) -> tuple[FloatArray, float]:
    """Return the fit of the smallest alpha, from this one on, whose norm is within a bound."""
    alphas = np.geomspace(max(alpha, 1e-9), 1e9, 2000)  # neighbours differ by 2 %
    coef, intercept = solve_ridge(clean, alphas, centred=centred, scales=scales)
    inside = np.linalg.norm(coef, axis=1) <= bound
    if inside.any():
        first = int(np.argmax(inside))
        return coef[first], float(intercept[first])
    means = centred_moments(clean, centred)[0]
    shrunk = coef[-1] * (bound / np.linalg.norm(coef[-1]))
    return shrunk, float(means[-1] - shrunk @ means[:-1])
