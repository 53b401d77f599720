"""CRR by plain loops, without an intercept: Bhatia et al. (2017), Algorithm 1."""

from __future__ import annotations

import numpy as np

from .least_squares import ridge_solution


def hard_threshold(values, count):
    """The ``count`` largest by size, all others zero."""
    kept = np.zeros(len(values))
    for i in sorted(range(len(values)), key=lambda i: -abs(values[i]))[:count]:
        kept[i] = values[i]
    return kept


def consistent_regression(X, y, count, n_iter, ridge=0.0):
    """Coefficients, corruption and objective after so many corrections of ``count`` rows."""
    corruption, path = np.zeros(len(y)), []
    for _ in range(n_iter):
        w = ridge_solution(X, y - corruption, np.ones(len(y)), ridge)
        left = y - corruption - X @ w
        path.append(float(left @ left + ridge * w @ w))
        corruption = hard_threshold(y - X @ w, count)
    return w, corruption, path
