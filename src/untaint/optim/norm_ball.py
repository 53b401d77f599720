r"""Fits within a ball of the kernel's space.

The papers keep :math:`\|f\| \le R`. A gradient step is projected by scaling (Lemma 18 of the second
version):

.. math:: \mathrm{Proj}(f) = \min(1, R / \|f\|)\, f.

The minimiser of a ridge problem over the ball is that of a larger penalty alpha + mu: the
multiplier mu >= 0 is the root of :math:`1/\|f_\mu\| = 1/R`, whose left side is nearly linear in mu.
"""

from collections.abc import Callable

from .base import Fit

MAX_ITER = 60


def project(fit: Fit, norm_bound: float | None) -> Fit:
    """Return the nearest function within the ball, with the same intercept (Lemma 18)."""
    if norm_bound is None or fit.squared_norm <= norm_bound**2:
        return fit
    shrink = norm_bound / fit.squared_norm**0.5
    predictions = shrink * (fit.predictions - fit.intercept) + fit.intercept
    dual = None if fit.dual is None else shrink * fit.dual
    return Fit(shrink * fit.coef, fit.intercept, predictions, norm_bound**2, dual)


def solve_in_ball(
    solve: Callable[[float, Fit | None, float], Fit],
    alpha: float,
    norm_bound: float | None,
    start: Fit | None = None,
    tol: float = 1e-8,
) -> Fit:
    """Return the minimiser of a problem with a ridge penalty over the ball of radius R.

    ``solve`` is the minimiser without the ball, for any (alpha, start, tol).
    """
    fit = solve(alpha, start, tol)
    if norm_bound is None or fit.squared_norm <= norm_bound**2:
        return fit
    goal = max(1e-12, 1e-2 * tol)
    low, low_gap = 0.0, _gap(fit, norm_bound)
    high, high_gap = max(alpha, 1e-3), -1.0
    while high_gap < 0:  # widen until the fit is within the ball
        high *= 8.0
        fit = solve(alpha + high, fit, tol)
        high_gap = _gap(fit, norm_bound)
    for _ in range(MAX_ITER):
        fraction = -low_gap / (high_gap - low_gap)
        mu = low + min(max(fraction, 0.02), 0.98) * (high - low)
        fit = solve(alpha + mu, fit, tol)
        gap = _gap(fit, norm_bound)
        if abs(gap) <= goal or high - low <= 1e-14 * high:
            break
        if gap < 0:
            low, low_gap = mu, gap
        else:
            high, high_gap = mu, gap
    return project(fit, norm_bound)


def _gap(fit: Fit, norm_bound: float) -> float:
    """Return R / ||f|| - 1, which is negative outside of the ball."""
    return norm_bound / max(fit.squared_norm, 1e-300) ** 0.5 - 1.0
