"""TORRENT by plain loops, without an intercept: Bhatia, Jain and Kar, Algorithms 1 to 4."""

from __future__ import annotations

import numpy as np

from .least_squares import ridge_solution


def smallest_rows(residuals, count):
    """Rows of the smallest absolute residuals."""
    return sorted(sorted(range(len(residuals)), key=lambda i: abs(residuals[i]))[:count])


def torrent(X, y, count, step, max_iter, ridge=0.0, few_changes=0.05):
    """Coefficients and objective after each update, and the rows of the last one.

    The hybrid takes gradient steps while more than a fraction of the rows has changed.
    """
    n, d = X.shape
    rate = 1.0 / (np.linalg.norm(X, 2) ** 2 + ridge)
    w, rows, changes = np.zeros(d), list(range(n)), 0
    path, coefs = [], []
    for _ in range(max_iter):
        if step == "corrective" or (step == "hybrid" and changes <= few_changes * n):
            w = ridge_solution(X[rows], y[rows], np.ones(len(rows)), ridge)
        else:
            gradient = ridge * w
            for i in rows:
                gradient = gradient + (X[i] @ w - y[i]) * X[i]
            w = w - rate * gradient
        residuals = y - X @ w
        chosen = smallest_rows(residuals, count)
        path.append(float(sum(residuals[i] ** 2 for i in chosen) + ridge * w @ w))
        coefs.append(w)
        changes = len(set(chosen) ^ set(rows))
        if step == "corrective" and changes == 0:
            break
        rows, before = chosen, rows
    else:
        rows = before
    return coefs, path, rows
