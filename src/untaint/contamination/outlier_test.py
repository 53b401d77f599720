r"""Outliers among few rows: one test of all rows together, then a test of each row.

A mixture model needs some hundred residuals. Fewer rows are first tested for any outlier.
With :math:`S_k` the least sum of squares of n - k rows and p coefficients,

.. math:: G_k = \log (S_0 / S_k), \qquad T = \max_k \frac{G_k - \mu_k(n, p)}{\sigma_k(n, p)}

is large if some k rows disagree with the others, however they mask one another. In Gaussian samples
without outliers the distribution of :math:`G_k` is nearly the same for all positions of the rows.
Its mean and its deviation, and the quantiles of T, are formulas fitted to simulations
(``make bench ARGS=outlier-test-null``).

If T exceeds its quantile, the rows are tested one by one. At first those are kept that lie within
2.5 deviations of the fit of the largest k; then, until nothing changes, those whose deletion
residual has a p-value above max(0.1, 0.02 f) / n by Student's distribution, with f the number of
rows flagged so far. A clean sample loses rows only if the first test errs, so that the second need
not be as strict as it would have to be alone.

References
----------
Rousseeuw & Leroy (1987), Robust regression and outlier detection.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtr, chdtri, stdtr

from .._typing import BoolArray, FloatArray, IntArray
from ..optim.subset_fit import SubsetFit

# Fewest degrees of freedom that a fit leaves, and the largest ratio p / n of the formulas.
MIN_RESIDUAL_DOF, MAX_DOF_RATIO = 4.0, 0.5
# Probability that T rejects a clean sample; of fewer than twenty rows, this for each of them.
LEVEL, LEVEL_FOR_EACH_ROW = 0.1, 0.005
# Good rows that the tests of single rows may flag in expectation: in all, or for each flagged row.
ROW_LEVEL, FALSE_DISCOVERIES = 0.1, 0.02
# Deviations within which rows are kept at first.
FIRST_CUT = 2.5
MAX_ITER = 20
# Fits to simulations: quantiles of T, and the coefficients of log(mean) and log(deviation).
QUANTILE, QUANTILE_SLOPE = 2.15, 0.73
LOG_MEAN = (-0.019, -0.065, 0.259, 0.757, 1.043, 0.025, -0.054)
LOG_DEVIATION = (0.417, 0.531, -0.930, 0.455, 0.291)


class RowTests(NamedTuple):
    """The mask of the rows that the tests keep, the fit to them, and its noise scale."""

    kept: BoolArray
    fit: SubsetFit
    scale: float


def can_test(n_rows: float, dof: float) -> bool:
    """Return whether a fit of so many degrees of freedom leaves enough to test its rows."""
    return n_rows - dof >= MIN_RESIDUAL_DOF and dof <= MAX_DOF_RATIO * n_rows


def find_outliers(
    fit: Callable[[BoolArray], SubsetFit],
    trimmed: IntArray,
    squares: FloatArray,
    kept: BoolArray,
    least_scale: float = 0.0,
    n_outputs: int = 1,
) -> RowTests:
    """Test all rows together, and if there are outliers each row.

    Parameters
    ----------
    fit : callable
        Fits the rows of a mask.
    trimmed, squares : arrays of shape (m,)
        Ascending numbers k of trimmed rows, the first of which is zero, and the sums S_k.
    kept : array of shape (n,)
        The rows of the last sum.
    least_scale : float
        Lower bound of the noise scale.
    n_outputs : int
        Number of outputs that are tested in this way and share the levels.
    """
    n, everything = len(kept), fit(np.ones(len(kept), dtype=bool))
    p = everything.effective_dof
    if is_contaminated(trimmed, squares, n, p, n_outputs, least_scale):
        kept = _first_kept(fit(kept), int(trimmed[-1]), p, least_scale)
        kept = _keep(fit, kept, least_scale, n_outputs)
    else:
        kept = np.ones(n, dtype=bool)
    found = fit(kept)
    return RowTests(kept, found, _scale(found, least_scale))


def is_contaminated(
    trimmed: IntArray,
    squares: FloatArray,
    n: int,
    p: float,
    n_outputs: int = 1,
    least_scale: float = 0.0,
) -> bool:
    """Return whether T rejects that all n rows are clean, given fits of p coefficients."""
    squares = squares + (n - trimmed) * least_scale**2
    if squares[0] <= 0 or len(squares) == 1 or not can_test(n, p):
        return False
    mean, deviation = gain_of_trimming(trimmed[1:], n, p)
    gains = np.log(squares[0] / np.maximum(squares[1:], np.finfo(float).tiny * squares[0]))
    level = min(LEVEL, LEVEL_FOR_EACH_ROW * n) / n_outputs
    quantile = QUANTILE + QUANTILE_SLOPE * np.log(LEVEL / level)
    return bool(np.max((gains - mean) / deviation) > quantile)


def gain_of_trimming(k: ArrayLike, n: float, p: float) -> tuple[FloatArray, FloatArray]:
    r"""Return mean and standard deviation of the gain :math:`G_k` in clean samples.

    Without coefficients the mean tends to :math:`-\log F_3(F_1^{-1}(1 - k / n))`, with F the
    distribution functions of chi-squared: the largest residuals are trimmed.

    Examples
    --------
    >>> mean, deviation = gain_of_trimming([1, 4], 21, 4)
    >>> mean.round(1).tolist(), deviation.round(1).tolist()
    ([0.3, 1.2], [0.1, 0.3])
    """
    limit, mean_terms, deviation_terms = gain_terms(k, n, p)
    mean = limit * np.exp(np.tensordot(LOG_MEAN, mean_terms, 1))
    return mean, np.exp(np.tensordot(LOG_DEVIATION, deviation_terms, 1))


def gain_terms(k: ArrayLike, n: float, p: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the limit of the mean gain, and the terms of log(mean / limit) and log(deviation)."""
    k, left = np.asarray(k, dtype=float), n - p
    one, part, ratio = np.ones_like(k), k / left, p / left
    root, log_left = np.sqrt(part), np.log(left)
    limit = -np.log(chdtr(3, chdtri(1, k / (left + 1.0))))
    mean_terms = [one, 1 / k, part**2, np.sqrt(ratio) * part, ratio * part**2]
    mean_terms += [root * log_left, part * log_left]
    deviation_terms = [one, root, log_left * one, np.log(k), np.sqrt(ratio) * one]
    return limit, np.array(mean_terms), np.array(deviation_terms)


def _first_kept(fit: SubsetFit, n_trimmed: int, p: float, least_scale: float) -> BoolArray:
    """Return the rows within 2.5 deviations of the fit that trims most rows.

    The scale of that fit is too small, because it was chosen among many: the mean gain corrects it.
    """
    n = len(fit.residuals)
    mean, _ = gain_of_trimming(n_trimmed, n, p)
    scale = max(float(np.sqrt(fit.squares * np.exp(mean) / (n - p))), least_scale)
    return np.asarray(np.abs(fit.residuals) <= FIRST_CUT * scale)


def _keep(
    fit: Callable[[BoolArray], SubsetFit], kept: BoolArray, least_scale: float, n_outputs: int
) -> BoolArray:
    """Return the rows whose deletion residuals have larger p-values than the level of a row."""
    for _ in range(MAX_ITER):
        level = max(ROW_LEVEL, FALSE_DISCOVERIES * float(np.sum(~kept))) / (len(kept) * n_outputs)
        previous, kept = kept, p_values(fit(kept), kept, least_scale) > level
        if np.array_equal(previous, kept):
            break
    return kept


def p_values(fit: SubsetFit, kept: BoolArray, least_scale: float = 0.0) -> FloatArray:
    """Return two-sided p-values of the deletion residuals, by Student's distribution.

    The noise of a kept row is that of the other kept rows.
    """
    own = kept.astype(float)
    dof = np.maximum(fit.residual_dof - own, 1.0)
    squares = np.maximum(fit.squares - own * fit.residuals**2, 0.0)
    scale = np.maximum(np.sqrt(squares / dof), max(least_scale, np.finfo(float).tiny))
    return np.asarray(2.0 * stdtr(dof, -np.abs(fit.residuals) / scale))


def _scale(fit: SubsetFit, least_scale: float) -> float:
    scale = float(np.sqrt(max(fit.squares, 0.0) / max(fit.residual_dof, 1.0)))
    return max(scale, least_scale, float(np.finfo(float).tiny))
