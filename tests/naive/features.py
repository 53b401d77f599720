"""Features and what is summed over them, as the formulas stand: whole matrices, plain loops."""

from __future__ import annotations

import math

import numpy as np


def waves(omega, centre, X):
    """Cosines, then sines, of each row's phases: one number at a time."""
    half = omega.shape[1]
    out = np.empty((len(X), 2 * half))
    for i, x in enumerate(np.asarray(X, dtype=float)):
        for j in range(half):
            phase = math.fsum(omega[:, j] * (x - centre))
            out[i, j] = math.cos(phase) / math.sqrt(half)
            out[i, half + j] = math.sin(phase) / math.sqrt(half)
    return out


def nystroem_kernel(K_xz, K_zz, K_zx):
    """What landmarks z make of the kernel between two sets of rows."""
    return K_xz @ np.linalg.pinv(K_zz, rcond=1e-13, hermitian=True) @ K_zx


def with_ones(phi, fit_intercept):
    """The features, and a column of ones."""
    return np.hstack([phi, np.ones((len(phi), 1))]) if fit_intercept else phi


def penalised(width, fit_intercept):
    """One for each column that a ridge shrinks."""
    return np.array([1.0] * (width - fit_intercept) + [0.0] * fit_intercept)


def gram(phi, weights):
    """Sum over rows of w times the outer product of the row's features."""
    total = np.zeros((phi.shape[1], phi.shape[1]))
    for row, w in zip(phi, weights, strict=True):
        total += w * np.outer(row, row)
    return total


def ridge(phi, y, weights, alpha, fit_intercept):
    """Coefficients that minimise sum w (y - phi c)^2 + alpha c'Pc, by the normal equations."""
    P = np.diag(penalised(phi.shape[1], fit_intercept))
    return np.linalg.solve(gram(phi, weights) + alpha * P, phi.T @ (weights[:, None] * y))


def leverages(phi, weights, alpha, fit_intercept):
    """Diagonal of phi (phi' W phi + alpha P)^-1 phi', each row by a solve of its own."""
    A = gram(phi, weights) + alpha * np.diag(penalised(phi.shape[1], fit_intercept))
    return np.array([row @ np.linalg.solve(A, row) for row in phi])


def degrees_of_freedom(K, n_rows, alpha):
    """Trace of the hat matrix of a ridge fit to so many copies of these rows."""
    scaled = K * (n_rows / len(K))
    return float(np.trace(np.linalg.solve(scaled + alpha * np.eye(len(K)), scaled)))
