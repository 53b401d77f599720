"""Least trimmed squares by trying every set of rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np


def sum_of_squares(columns, y):
    coef = np.linalg.lstsq(columns, y, rcond=None)[0]
    return float(np.sum((y - columns @ coef) ** 2))


def least_trimmed_squares(columns, y, n_trimmed):
    """The least sum of squares of n - k rows, and the rows that are left out."""
    n, best = len(y), (np.inf, ())
    for left_out in combinations(range(n), n_trimmed):
        kept = np.setdiff1d(np.arange(n), left_out)
        best = min(best, (sum_of_squares(columns[kept], y[kept]), left_out))
    return best


def deletion_t(columns, y, kept, i):
    """Student's t of row i under the fit to the other kept rows, and its degrees of freedom."""
    others = np.array([j for j in kept if j != i])
    A = columns[others]
    coef = np.linalg.lstsq(A, y[others], rcond=None)[0]
    dof = len(others) - A.shape[1]
    variance = np.sum((y[others] - A @ coef) ** 2) / dof
    spread = 1.0 + columns[i] @ np.linalg.inv(A.T @ A) @ columns[i]
    return float((y[i] - columns[i] @ coef) / np.sqrt(variance * spread)), dof
