"""Small problems that several tests set their solvers."""

from __future__ import annotations

import numpy as np

from naive import kernels


def rbf(X, gamma=0.5):
    """Gaussian kernel matrix."""
    return kernels.matrix(kernels.rbf, X, gamma=gamma)


def smooth_problem(rng, n=30, d=2, outputs=1, noise=0.1):
    """Kernel matrix and smooth targets."""
    X = rng.normal(size=(n, d))
    y = np.column_stack([np.sin(X.sum(axis=1) + j) for j in range(outputs)])
    return rbf(X), y + noise * rng.normal(size=y.shape)


def spoilt_problem(rng, n=20, bad=4, **options):
    """The same, the first few targets far off."""
    K, y = smooth_problem(rng, n, **options)
    y[:bad] += rng.choice([-1.0, 1.0], size=(bad, y.shape[1])) * (5.0 + 5.0 * rng.random((bad, 1)))
    return K, y


def fractional_weights(rng, n):
    """Some zeros, some fractions, some above one."""
    weights = rng.random(n) * 3
    weights[rng.permutation(n)[: n // 4]] = 0.0
    weights[rng.permutation(n)[: n // 4]] = 1.0
    return weights


def root(K):
    """Features whose linear kernel is K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def refits(system, y, weights):
    """The minimiser for alpha, a start and a tolerance, as solve_in_ball takes it."""
    return lambda alpha, start, tol: system.solve(y, weights, alpha, start, tol)


def labelled_problem(rng, n=24, classes=2, flipped=0.1):
    """Kernel matrix and labels as a loss takes them, some of them at random."""
    X = rng.normal(size=(n, 2))
    codes = np.digitize(X.sum(axis=1), np.linspace(-1, 1, classes + 1)[1:-1])
    at_random = rng.random(n) < flipped
    codes[at_random] = rng.integers(0, classes, size=at_random.sum())
    codes[:classes] = np.arange(classes)
    y = codes[:, None].astype(float) if classes == 2 else np.eye(classes)[codes]
    return rbf(X), y


def as_matrix(operator, n, k):
    """Matrix of a linear map of (n, k) arrays, rows and columns as in ``ravel``."""
    units = np.eye(n * k).reshape(n * k, n, k)
    return np.column_stack([operator(unit).ravel() for unit in units])
