r"""A ridge fit with a given small penalty, where corrected moments are hardly positive.

Subtracting noise leaves :math:`v^T S v - share \, v^T \Sigma v` of the variance in a direction v.
The first term is known up to a relative standard error of :math:`\sqrt{2 / n}` only. What remains
is indistinguishable from zero if it is smaller than that, and dividing by it gives coefficients of
any size. Such eigenvalues are raised to the standard error, unless alpha exceeds it.
"""

import warnings

import numpy as np

from .._typing import FloatArray
from ..exceptions import OverstatedNoiseWarning
from .correction import centred_moments


def solve_floored(
    noisy: FloatArray, clean: FloatArray, alpha: float, *, centred: bool
) -> tuple[FloatArray, float] | None:
    """Return coefficients and intercept, or None if no eigenvalue needs to be raised.

    ``noisy`` and ``clean`` are Gram matrices of rows (1, z, y) before and after the correction.

    Examples
    --------
    >>> import numpy as np
    >>> noisy = np.diag([100.0, 100.0, 100.0])
    >>> noisy[1, 2] = noisy[2, 1] = 1.0
    >>> clean = noisy - np.diag([0.0, 101.0, 0.0])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     coef, _ = solve_floored(noisy, clean, 1e-8, centred=True)
    >>> bool(abs(coef[0]) < 0.1)
    True
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
