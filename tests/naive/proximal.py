"""Proximal points of the trimmed objective, in the papers' units of a mean over the kept rows.

Psi(f) = (1 / count) (least sum of ``count`` losses + ridge ||f||^2) is the least of convex
quadratics, one for each choice of rows: so its proximal point is the best of theirs.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from .selection import every_choice


def proximal_objective(K, y, kept, ridge, centre, inverse, coef, intercept):
    """Mean loss of given rows, ridge, and inverse / 2 times the squared way from the centre."""
    errors = y - K @ coef - intercept
    moved = coef - centre
    mean = (kept @ (errors**2).sum(axis=1) + ridge * np.sum(coef * (K @ coef))) / kept.sum()
    return float(mean + 0.5 * inverse * np.sum(moved * (K @ moved)))


def proximal_point(K, y, count, ridge, centre, inverse, fit_intercept=False):
    """Coefficients of argmin Psi(g) + inverse / 2 ||g - f||^2, f with coefficients ``centre``."""
    best = np.inf, centre
    for kept in every_choice(len(y), count):
        coef, intercept = _quadratic(K, y, kept, ridge, centre, inverse, fit_intercept)
        value = proximal_objective(K, y, kept, ridge, centre, inverse, coef, intercept)
        best = min(best, (value, coef), key=lambda pair: pair[0])
    return best[1]


def local_proximal_points(K, y, count, ridge, centre, inverse, fit_intercept=False):
    """Coefficients of every local minimum: a quadratic's least that keeps its own rows."""
    for kept in every_choice(len(y), count):
        coef, intercept = _quadratic(K, y, kept, ridge, centre, inverse, fit_intercept)
        losses = ((y - K @ coef - intercept) ** 2).sum(axis=1)
        if count == len(y) or losses[kept > 0].max() <= losses[kept == 0].min():
            yield coef


def proximal_point_in_ball(K, y, count, ridge, centre, inverse, radius):
    """The same over the ball, without an intercept, by a general optimiser."""
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0.0))  # K = root root', g = root' a
    best = np.inf, centre
    ball = {
        "type": "ineq",
        "fun": lambda g: radius**2 - g @ g,
        "jac": lambda g: -2 * g,
    }
    for kept in every_choice(len(y), count):

        def value(g, kept=kept):
            errors = y[:, 0] - root @ g
            moved = g - root.T @ centre[:, 0]
            mean = (kept @ errors**2 + ridge * g @ g) / count
            slope = (-2 * root.T @ (kept * errors) + 2 * ridge * g) / count
            return mean + 0.5 * inverse * moved @ moved, slope + inverse * moved

        found = minimize(
            value,
            root.T @ centre[:, 0],
            jac=True,
            method="SLSQP",
            constraints=[ball],
            options={"ftol": 1e-15, "maxiter": 500},
        )
        if found.fun < best[0]:
            best = found.fun, np.linalg.solve(root.T, found.x)[:, None]
    return best[1]


def _quadratic(K, y, kept, ridge, centre, inverse, fit_intercept):
    """Stationary point for given rows: one linear equation a row, one for the intercept."""
    n, count = len(y), kept.sum()
    left = np.zeros((n + 1, n + 1))
    left[:n, :n] = 2 / count * (kept[:, None] * K + ridge * np.eye(n)) + inverse * np.eye(n)
    right = np.vstack([2 / count * kept[:, None] * y + inverse * centre, np.zeros(y.shape[1])])
    if fit_intercept:
        left[:n, n] = 2 / count * kept
        left[n, :n] = kept @ K
        left[n, n] = count
        right[n] = kept @ y
    else:
        left[n, n] = 1.0
    solution = np.linalg.solve(left, right)
    return solution[:n], solution[n]
