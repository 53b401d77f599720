"""Weighted kernel ridge by its stationary equations, solved as they stand."""

from __future__ import annotations

import numpy as np


def weighted_ridge(K, y, weights, ridge, fit_intercept=True):
    """Coefficients and intercept that minimise sum w (y - K a - b)^2 + ridge a'Ka.

    Rows with a weight obey K a + b + ridge a / w = y and, with an intercept, sum a = 0.
    """
    rows = np.flatnonzero(weights)
    n, k = len(rows), y.shape[1]
    left = np.zeros((n + 1, n + 1))
    left[:n, :n] = K[np.ix_(rows, rows)] + ridge * np.diag(1 / weights[rows])
    left[:n, n] = left[n, :n] = 1.0 if fit_intercept else 0.0
    left[n, n] = 0.0 if fit_intercept else 1.0
    right = np.vstack([y[rows], np.zeros((1, k))])
    solution = np.linalg.solve(left, right)
    coef = np.zeros(y.shape)
    coef[rows] = solution[:n]
    return coef, solution[n]


def objective(K, y, weights, ridge, coef, intercept):
    """Weighted squared errors plus the ridge."""
    errors = y - K @ coef - intercept
    return float(weights @ (errors**2).sum(axis=1)) + ridge * float(np.sum(coef * (K @ coef)))


def leave_one_out(K, y, weights, ridge, fit_intercept=True):
    """Residual of each row under a fit that never saw it."""
    residuals = np.empty(y.shape)
    for i in range(len(y)):
        others = weights.copy()
        others[i] = 0.0
        coef, intercept = weighted_ridge(K, y, others, ridge, fit_intercept)
        residuals[i] = y[i] - K[i] @ coef - intercept
    return residuals


def norm(K, coef):
    """Norm of the function in the kernel's space."""
    return float(np.sqrt(max(0.0, np.sum(coef * (K @ coef)))))
