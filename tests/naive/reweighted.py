"""STIR by plain loops, without an intercept: Mukhoty et al. (2019), Algorithm 1."""

from __future__ import annotations

import math

import numpy as np

from .least_squares import ridge_solution


def truncated_weights(residuals, largest):
    """min(1 / |r|, M), row by row."""
    return np.array([largest if abs(r) * largest <= 1 else 1 / abs(r) for r in residuals])


def huber(residuals, largest):
    """2 |r| beyond 1 / M, and the parabola that joins it there."""
    total = 0.0
    for r in residuals:
        total += 2 * abs(r) if abs(r) > 1 / largest else largest * r**2 + 1 / largest
    return total


def stagewise(X, y, growth, n_iter, ridge=0.0, sharp=0.01):
    """Coefficients and objectives of so many refits, M growing when the fit hardly moves.

    It grows until 1 / M is the part ``sharp`` of the median residual.
    """
    n = len(y)
    w = ridge_solution(X, y, np.ones(n), ridge)
    largest = 1 / max(abs(y - X @ w))
    path = []
    for _ in range(n_iter):
        weights = truncated_weights(y - X @ w, largest)
        moved = ridge_solution(X, y, weights, ridge)
        step = math.sqrt(np.mean((X @ (moved - w)) ** 2))
        w = moved
        path.append(huber(y - X @ w, largest) + ridge * float(w @ w))
        blunt = 1 / largest > sharp * np.median(np.abs(y - X @ w))
        if blunt and step <= 2 / (growth * largest):
            largest *= growth
    return w, path
